"""Sentences about the functions that code generation makes, without layout."""

from __future__ import annotations

from eio_audit.audit.codegen.codegen import Stage, StoppingOp, Structure, TornModule
from eio_audit.audit.codegen.prediction import CodegenFunction, Failure, Prediction
from eio_audit.audit.locations.codegen_location import Reason
from eio_audit.report.wording.commands import Step, command, is_readable_again, selection
from eio_audit.report.wording.numbers import count, shortened_list, span

STAGES = {
    Stage.BEFORE: "before",
    Stage.AFTER: "after",
    Stage.NOW: "as it is",
    Stage.FIXED: "after fix",
    Stage.RELABELLED: "after fix --relabel",
}
"""The names of the stages in reports."""

_UNREADABLE = {
    Reason.PREFIX: "'DEBUG|' is before the index",
    Reason.NESTING: "the index is in an inner name",
    Reason.FIELD: "the index or another field is missing",
    Reason.BRACKETS: "a module is not written 'Class[name]'",
}

SHOWN_STOPPING = 100
"""How many ops a page lists at which code generation fails. JSON has all."""

NUMBER = (
    "Each op needs a name as its outermost location, with these fields:",
    "index|Class[name]|...|file:line|function|line|op",
    "tt-xla names ops so with XLA_HLO_DEBUG=1. A pass must extend the name of the",
    'op that it replaces: "X_tm0"("X").',
)
"""How the ops get locations that code generation can read, line by line."""


def cut(prediction: Prediction) -> str:
    """Return ``@forward becomes 8 to 41 functions, typically 8``. Empty if code generation fails."""
    callers, into = prediction.callers, _functions(prediction)
    if not into:
        return ""
    return (
        f"{callers[0]} becomes {into}" if len(callers) == 1 else f"{len(callers):,} functions become {into}"
    )


def outcome(prediction: Prediction) -> str:
    """Return whether code generation runs on a dump."""
    if not prediction.ops:
        return "code generation reads no op of this dump"
    if not prediction.failures:
        named = prediction.ops - sum(prediction.unreadable.values())
        return f"code generation runs: it can read the locations of {count(named, 'op')}"
    if prediction.failures == (Failure.PREFIX,):
        return "code generation fails on this dump as long as names begin with 'DEBUG|'"
    return "code generation fails on this dump"


def reasons(prediction: Prediction) -> list[str]:
    """Return why code generation fails, one sentence for each kind of reason."""
    said = []
    if Failure.FUNCTIONS in prediction.failures or len(prediction.callers) > 1:
        what = "one function for the device" if Failure.FUNCTIONS in prediction.failures else "one function"
        names = shortened_list(prediction.callers)
        said.append(f"it accepts {what}, not these {len(prediction.callers)}: {names}")
    if prediction.refused:
        ops = count(prediction.refused, "op")
        said.append(f"it refuses the locations of {ops} because they are not names")
    for why, number in prediction.unreadable.items():
        locations = count(prediction.ops, "location")
        said.append(f"it cannot read {number:,} of {locations}: {_UNREADABLE[why]}")
    if prediction.clashes:
        places = shortened_list(prediction.clashes)
        said.append(f"locations name two functions for one line of the source: {places}")
    if Failure.BETWEEN in prediction.failures:
        said.append("an op between the functions is in none of them, but all calls are together")
    return said


def assumption(prediction: Prediction) -> str:
    """Return what the functions of a dump are on which code generation fails. Empty if it runs."""
    if prediction.failures == (Failure.PREFIX,):
        return "the figures and functions below are those for names without 'DEBUG|'"
    return "the functions below are a sketch from the other ops" if prediction.failures else ""


def obstacles(prediction: Prediction) -> list[str]:
    """Return whether code generation runs, why not, what is shown nevertheless, and the ops left out."""
    said = [outcome(prediction), *reasons(prediction)]
    if prediction.functions and (assumed := assumption(prediction)):
        said.append(assumed)
    if prediction.left_out:
        verb = "stays" if prediction.left_out == 1 else "stay"
        said.append(f"{count(prediction.left_out, 'op')} {verb} outside the functions")
    return said


def stopping_op(one: StoppingOp) -> str:
    """Return ``ttnn.abs %0 (line 3): its location is fused, not a name``."""
    return f"{one.op}: {one.message}"


def _functions(prediction: Prediction) -> str:
    """Return ``8 to 41 functions, typically 8``. Empty if code generation fails."""
    if prediction.fewest is None or prediction.most is None:
        return ""
    fewest, most = prediction.fewest, prediction.most
    if fewest == most:
        return count(fewest, "function")
    typical = "" if prediction.typical is None else f", typically {prediction.typical:,}"
    return f"{fewest:,} to {count(most, 'function')}{typical}"


def tries(prediction: Prediction) -> str:
    """Return ``8 to 15``, the functions in the orders that were tried. Empty if code generation fails."""
    tried = prediction.tried
    return "" if tried is None else span(tried.fewest, tried.most)


def orders(prediction: Prediction) -> str:
    """Return ``all 120`` or ``64``, the number of orders tried. Empty if code generation fails."""
    tried = prediction.tried
    return "" if tried is None else f"all {tried.orders:,}" if tried.all else f"{tried.orders:,}"


def functions_summary(structure: Structure) -> str:
    """Return ``typically 78 -> 89 functions, 82 after fix --relabel``, or a range where none is typical."""
    present, said = structure.present, {}
    for stage, one in structure.predictions.items():
        known = "fails" if one.fewest is None else f"{one.fewest:,} to {one.most:,} functions"
        said[stage] = known if one.typical is None else f"{one.typical:,}"
    later = [stage for stage in said if stage not in (Stage.BEFORE, present)]
    if all(one.typical is not None for one in structure.predictions.values()):
        was = f"{said[Stage.BEFORE]} -> " if Stage.BEFORE in said else ""
        changed = [f"{said[stage]} {STAGES[stage]}" for stage in later if said[stage] != said[present]]
        return ", ".join([f"typically {was}{said[present]} functions", *changed])
    if len(set(said.values())) == 1:
        return said[present]
    return ", ".join(f"{STAGES[stage]}: {known}" for stage, known in said.items())


def torn_modules(structure: Structure) -> list[TornModule]:
    """Return the modules in more functions than before or, in a single dump, than necessary. Worst first.

    They are so in each try; those certain to be so in any run come first.
    """
    present = structure.present
    return [
        row
        for row in structure.modules
        if row.functions[present] > row.functions.get(Stage.BEFORE, row.least) > 0
    ]


def is_changed(structure: Structure) -> bool:
    """Whether a pass or a fix changes the number of functions, or whether code generation runs."""
    return len({(one.failures, _functions(one), tries(one)) for one in structure.predictions.values()}) > 1


def pieces(structure: Structure) -> list[str]:
    """Return how many modules are torn in any run, then how many in each try, each with the worst one."""
    rows, total = torn_modules(structure), count(len(structure.modules), "model module")
    certain = [row for row in rows if row.certain > row.least]
    said = [f"torn in any run: {len(certain):,} of {total}"]
    if certain:
        said[0] += f", {certain[0].path[-1]} in {certain[0].certain:,} functions or more"
    tried = structure.predictions[structure.present].tried
    if rows and tried:
        worst = max(rows, key=lambda row: row.functions[structure.present])
        which = f"{worst.path[-1]} in {worst.functions[structure.present]:,} or more"
        was = f", {worst.functions[Stage.BEFORE]:,} before" if Stage.BEFORE in worst.functions else ""
        tries = (
            f"all {tried.orders:,} orders" if tried.all else f"each of {count(tried.orders, 'try', 'tries')}"
        )
        said.append(f"torn in {tries}: {len(rows):,} of {total}, {which}{was}")
    return said


def where(row: TornModule) -> str:
    """Return ``21 after 13``: the line where the module continues after an op of another source line."""
    return shortened_list([f"{one.op.line} after {one.via.line}" for one in row.returns], 1)


def source_of(function: CodegenFunction) -> str:
    """Return its innermost shared module, else its file and function in the source."""
    return function.modules[-1] if function.modules else f"{function.file} {function.function}"


def index_span(function: CodegenFunction) -> str:
    """Return ``15..18``, or ``15``."""
    first, last = function.first_index, function.last_index
    return f"{first}" if first == last else f"{first}..{last}"


def next_steps(structure: Structure) -> list[Step]:
    """Return the commands that show unreadable locations, correct wrong indices, and show what was torn."""
    dump, prediction = structure.dump, structure.predictions[structure.present]
    steps: list[Step] = []
    if not is_readable_again(dump, dump.source):
        return steps
    if prediction.unreadable or prediction.refused:
        rules = [("EIO106", prediction.refused), ("EIO107", prediction.unreadable)]
        selected = ",".join(rule for rule, found in rules if found)
        listing = command("check", dump, dump.source, f"--select {selected}")
        steps.append(Step(listing, "lists the unreadable locations"))
    if structure.predictions[Stage.RELABELLED] != structure.predictions[Stage.FIXED]:
        steps.append(Step(command("fix --relabel", dump, dump.source), "corrects wrong op indices"))
    if torn_modules(structure) and selection(dump) and dump.when == "after":
        steps.append(Step(command("diff", dump, dump.source), "shows what the pass tore"))
    return steps
