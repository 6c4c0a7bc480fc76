"""Sentences about the functions that code generation makes, without layout."""

from __future__ import annotations

from eio_audit.audit.codegen.codegen import CodegenFunction, Prediction, Stage, Structure, TornModule
from eio_audit.audit.codegen.codegen_location import Reason
from eio_audit.report.wording.numbers import count, shortened_list

STAGES = {
    Stage.BEFORE: "before",
    Stage.AFTER: "after",
    Stage.NOW: "as it is",
    Stage.FIXED: "after fix",
    Stage.RELABELLED: "after fix --relabel",
}
"""The names of the stages in reports."""

_UNREADABLE = {
    Reason.PREFIX: "with 'DEBUG|' before the index",
    Reason.NESTING: "with the index in an inner name",
    Reason.FIELD: "without an index, a line or another field",
    Reason.BRACKETS: "with a module that is not written 'Class[name]'",
}


def callers(prediction: Prediction) -> str:
    """Return ``@forward``, or ``2 functions``."""
    callers = prediction.callers
    return callers[0] if len(callers) == 1 else count(len(callers), "function")


def functions_summary(structure: Structure) -> str:
    """Return ``78 -> 89 functions, 89 after fix``."""
    present = structure.present
    sizes = {stage: len(one.functions) for stage, one in structure.predictions.items()}
    now = count(sizes[present], "function")
    if Stage.BEFORE in sizes:
        now = f"{sizes[Stage.BEFORE]:,} -> {now}"
    later = (stage for stage in sizes if stage not in (Stage.BEFORE, present))
    return ", ".join([now, *(f"{sizes[stage]:,} {STAGES[stage]}" for stage in later)])


def tie_summary(structure: Structure) -> str:
    """Return ``ties are broken by index; otherwise: 78 to 115 functions before, ...``. Empty without ties."""
    spans = []
    for stage, one in structure.predictions.items():
        if stage in (Stage.BEFORE, structure.present) and one.fewest != one.most:
            when = "" if stage is Stage.NOW else f" {STAGES[stage]}"
            spans.append(f"{one.fewest:,} to {one.most:,} functions{when}")
    return f"ties are broken by index; other choices give {', '.join(spans)}" if spans else ""


def obstacles(prediction: Prediction) -> list[str]:
    """Return why code generation cannot read some locations, or rejects the dump."""
    said = []
    if len(prediction.callers) > 1:
        these = f"these {len(prediction.callers)}: {shortened_list(prediction.callers)}"
        said.append(f"code generation expects one function per module and rejects {these}")
    if prediction.unreadable:
        unreadable = sum(prediction.unreadable.values())
        reasons = ", ".join(f"{number:,} {_UNREADABLE[why]}" for why, number in prediction.unreadable.items())
        locations = f"{unreadable:,} of {count(prediction.ops, 'location')}"
        said.append(f"code generation cannot read {locations}: {reasons}")
    if Reason.PREFIX in prediction.unreadable and prediction.functions:
        said.append("the functions below assume names without 'DEBUG|'")
    if prediction.clashes:
        places = shortened_list(prediction.clashes)
        said.append(f"code generation fails if one source line defines two functions: {places}")
    if prediction.left_out:
        verb = "stays" if prediction.left_out == 1 else "stay"
        said.append(f"{count(prediction.left_out, 'op')} {verb} outside the functions")
    return said


def torn_modules(structure: Structure) -> list[TornModule]:
    """Return the modules in more functions than before or, in a single dump, than necessary. Worst first."""
    present = structure.present
    return [
        row
        for row in structure.modules
        if row.functions[present] > row.functions.get(Stage.BEFORE, row.least) > 0
    ]


def is_changed(structure: Structure) -> bool:
    """Whether a pass or a fix changes the number of functions."""
    return len({len(prediction.functions) for prediction in structure.predictions.values()}) > 1


def worst(structure: Structure) -> str:
    """Return ``Bottleneck[net.b] in 4 functions, 2 before``. Empty if none is torn."""
    rows = torn_modules(structure)
    if not rows:
        return ""
    now = count(rows[0].functions[structure.present], "function")
    was = f", {rows[0].functions[Stage.BEFORE]:,} before" if Stage.BEFORE in rows[0].functions else ""
    return f"{rows[0].path[-1]} in {now}{was}"


def source_of(function: CodegenFunction) -> str:
    """Return its innermost shared module, else its file and function in the source."""
    return function.modules[-1] if function.modules else f"{function.file} {function.function}"


def index_span(function: CodegenFunction) -> str:
    """Return ``15..18``, or ``15``."""
    first, last = function.first_index, function.last_index
    return f"{first}" if first == last else f"{first}..{last}"
