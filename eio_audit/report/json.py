"""Audits as JSON: the fields of schema ``eio-audit/1``, described in docs/json.md.

Dataclasses are written field by field. ``_FIELDS`` lists the classes that have other fields in JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from eio_audit.mlir.source import printable_in_json

if TYPE_CHECKING:  # a command does not need the results of the others
    from eio_audit.audit.bisect.bisect import Bisection, OneApplication, OpSteps
    from eio_audit.audit.bisect.first_failure import FirstFailingDump, FirstFailure
    from eio_audit.audit.check.figures import DumpAudit, Summary
    from eio_audit.audit.corpus.trace_models import ModelTraces
    from eio_audit.audit.corpus.two_runs import RunComparison
    from eio_audit.audit.diff.advice import Advice
    from eio_audit.audit.diff.check_lines import CheckComparison
    from eio_audit.audit.diff.diff import Diff
    from eio_audit.audit.explain.explain import Explanation
    from eio_audit.audit.gate.gate import Verdict
    from eio_audit.audit.log.history import History
    from eio_audit.audit.log.trace import TracedPass
    from eio_audit.audit.pair_class import PairClass
    from eio_audit.audit.reduce.reduce import Reduction
    from eio_audit.mlir.input.time_table import TimeComparison, TimeTable

SCHEMA = "eio-audit/1"

_ROOT_OP = (
    "op=attempt.op result=attempt.result index=attempt.index "
    "model_file=attempt.model.file model_line=attempt.model.line"
)
"""The op that a pattern was applied to, in the objects with an attempt."""

_FIELDS = {
    "Advice": "now best together alone",
    "BlockAudit": (
        "function block line ops indexed inversions descents forced minimum lower_bound certified "
        "avoidable avoidable_constants hoisted_constants avoidable_splits left_splits avoidable_others "
        "displaced derived inherited constants at_constants frees at_frees followed moved moved_unindexed "
        "worst wrong_indices wrong_by_passes wrong_certified mislabelled reversed_dependences not_comparable"
    ),
    "Blocker": "op kind",
    "Application": (
        f"first last attempt pattern qualified_pattern=attempt.pattern {_ROOT_OP} "
        "inversions_before inversions made undone left left_shuffled=traced.left_shuffled "
        "avoidable=traced.figures.avoidable line=traced.place.line op_changes=op_counts"
    ),
    "Bisection": (
        "compiler=command pass=pass_name function number left_at_end=left alone=is_alone why_not_alone "
        "one_step=why_one_step first=attempts.first attempts=attempted runs inversions left_before "
        "without_patterns patterns applications=of_patterns advice log reproduction stopped errors=failures"
    ),
    "Diagnostic": "line message location=place op=op_name op_lines",
    "CheckComparison": "check_file source order lines forbidden apart",
    "Configuration": "file keys",
    "FoundLine": "check=check.text check_line=check.line line text displaced=is_displaced",
    "CountedDump": "source=place.source line=place.line pass=place.pass_name when=place.when function ops",
    "DisplacedOp": "*op inversions stands derived held_by=blocker",
    "Explanation": "dump configuration=dump.options.configuration ops",
    "DumpAudit": "source line pass=pass_name when unindexed=is_unindexed blocks unknown_ops assumed_pure",
    "FirstFailingDump": (
        "log test pass=pass_name good bad dumps between tests stopped configuration=options.configuration"
    ),
    "FirstFailure": (
        "compiler=command test of_pass=is_of_pass of_compiler=is_of_compiler endless pass=pass_name function "
        f"number first last pattern=attempt.pattern {_ROOT_OP} one_step=why_one_step stopped runs "
        "reproduction configuration=options.configuration"
    ),
    "FixedPlace": "place moved behind=after before inversions",
    "Finding": (
        "code=rule.code rule=rule.name message source dump_line=place.line moment=place.moment function "
        "block *op column inversions model_file=model.file model_line=model.line model_path pass=pass_name "
        "until left"
    ),
    "InputError": "source line=position.line column=position.column message",
    "InverseOps": "before after inverse_before inversions cancelled copies moved gone added remaining",
    "LeftFinding": "*finding made_in=made_at",
    "LeftOp": "*op source function pairs",
    "LocationHealth": "ops counts findings",
    "MislabelledOp": "*op inversions right",
    "OpChange": (
        "function before after place_before place_after block_before block_after changed differences moved "
        "derived ancestor inversions_before inversions_after"
    ),
    "Reduction": (
        "compiler=command interesting property pass=pass_name before after runs refused timeouts "
        "interrupted=is_interrupted output"
    ),
    "RepeatedChange": "times modules module changes=places",
    "ModelTrace": "model=name initial made undone left left_shuffled mislabelled lost passes",
    "ModelTraces": "*merged pass_totals=passes models unjudged",
    "OpEvent": (
        "kind pass=pass_name source=place.source dump_line=place.line when=place.when state change "
        "users_now_use at_its_location"
    ),
    "OpExplanation": (
        "*op function block block_line place ops modules model_line derived right follows consumer last_use "
        "effects inversions kinds inverted same_index lower higher fixed"
    ),
    "OpInversions": "pass=pass_name source=place.source line=place.line inversions=pairs",
    "OpLabel": "op=name result index line module",
    "OneApplication": f"attempt=number pattern=attempt.pattern {_ROOT_OP} reproduction",
    "PatternTotal": (
        "pattern resolved=is_resolved applications made undone left left_apart op_changes=op_counts "
        "worst=worst.last"
    ),
    "PassTotal": "pass=pass_name made models undone left left_shuffled mislabelled lost",
    "PassTime": "pass=name places seconds share",
    "ComparedTime": "pass=name before after",
    "PassFigures": (
        "pass=pass_name when dumps models models_avoidable inversions avoidable avoidable_constants "
        "avoidable_splits wrong_indices findings"
    ),
    "UnjudgedInput": "source dumps",
    "TestedDump": "number source=place.source line=place.line pass=place.pass_name when=place.when",
    "Trace": (
        "left passes culprit=culprit.pass_name culprit_index=culprit.index left_classes "
        "initial initial_left initial_left_shuffled partial=is_partial "
        "summary final=at_end_of_log unindexed_dumps=unindexed errors"
    ),
    "TracedPass": (
        "pass=pass_name index function program source=place.source line=place.line failed changed *figures "
        "made multiplied undone left left_shuffled left_classes left_ahead left_ops mislabelled lost "
        "ops=size op_changes=ops seconds timed_runs faults errors unread advice"
    ),
}
"""By class: ``name`` or ``key=attribute.of_attribute``; ``*attribute`` for all fields of an attribute, or
for none if it is None.

An attribute ``op`` of other classes, an OpLabel, is written the same way.
"""

_MADE: dict[str, Callable[[Any], object]] = {
    "Advice.alone": lambda advice: [
        {
            "pattern": one.pattern,
            "ops": one.made,
            "carries": one.carries,
            "inversions": advice.now - one.removed,
        }
        for one in advice.alone
    ],
    "Advice.best": lambda advice: {
        "changes": _changes(advice),
        "inversions": advice.inversions,
        "left": advice.inversions if advice.left is None else advice.left,
        "at_most": advice.at_most,
    },
    "Advice.together": lambda advice: {
        "patterns": [*dict.fromkeys(one.pattern for one in advice.changes if one.pattern)],
        "inversions": advice.inversions,
        "exact": advice.is_exact,
    },
    "Application.attempt": lambda one: one.last if one.is_resolved else None,
    "BlockAudit.not_comparable": lambda block: _of_classes(block.not_comparable),
    "Bisection.log": lambda one: str(one.log) if one.is_kept else None,
    "Reproduction.input": lambda one: one.input if one.is_kept else None,
    "Bisection.attempts.first": lambda one: one.attempts[0],
    "Bisection.inversions": lambda one: dict(zip(("before", "after"), one.inversions, strict=True)),
    "DisplacedOp.stands": lambda one: "early" if one.early else "late",
    "DumpAudit.assumed_pure": lambda dump: dict(sorted(dump.assumed_pure.items())),
    "DumpAudit.unknown_ops": lambda dump: dict(sorted(dump.unknown_ops.items())),
    "Explanation.dump": lambda explanation: _head(explanation.dump),
    "ModelFigures.worst": lambda one: one.worst and _head(one.worst),
    "OpExplanation.effects": lambda op: {**_plain(op.effects), "known": op.effects_source},
    "OpExplanation.model_line": lambda op: str(op.model_line) if op.model_line else None,
    "OpExplanation.modules": lambda op: op.origin.modules if op.origin else (),
    "LeftFinding.made_at": lambda one: (
        one.made_at and {"source": one.made_at.source, "line": one.made_at.line}
    ),
    "ModelTraces.unjudged": lambda traces: [
        {"model": model.name, "dumps": model.trace.unindexed} for model in traces.unjudged
    ],
    "RepeatedChange.times": lambda one: len(one.changes),
    "Summary.not_comparable": lambda figures: _of_classes(figures.not_comparable),
    "Trace.left_classes": lambda trace: _by_class(trace.left_classes),
    "TracedPass.left_classes": lambda traced: _by_class(traced.left_classes),
    "Trace.at_end_of_log": lambda trace: _without_dumps(trace.at_end_of_log),
    "TracedPass.faults": lambda one: [
        {"function": part if isinstance(part, str) else None, "kind": fault.kind, "text": fault.text}
        for part, fault in one.faults
    ],
    "TracedPass.figures": lambda one: {
        "judged_ops" if key == "ops" else key: number  # its `ops` are all of them, also where none is judged
        for key, number in _without_dumps(one.figures).items()
    },
    "TracedPass.ops": lambda one: (
        one.ops
        and {
            **_plain(one.op_counts),
            "functions": one.functions,
            "by_name": _plain(dict(sorted(one.ops.items()))),
        }
    ),
}


def check_to_json(verdict: Verdict) -> str:
    """Return the audits of ``check`` and the findings of its gate, ending in a newline."""
    from eio_audit.audit.corpus.models import figures_by_model, figures_by_pass

    check = verdict.check
    inputs = {dump.source for dump in check.dumps} | {error.source for error in check.errors}
    about = {"inputs": len(inputs), "unjudged": len(check.unjudged), "unindexed_dumps": check.unindexed}
    return _document(
        "check",
        dumps=check.dumps,
        summary=_plain(check.summary) | _about_frees(check.dumps) | about,
        errors=check.errors,
        unjudged=check.unjudged,
        findings=verdict.findings,
        failed=[rule.code for rule in verdict.failed],
        configuration=check.configuration,
        known=verdict.known,
        stale=[{**_plain(entry), "count": count} for entry, count in sorted(verdict.stale.items())],
        models=figures_by_model(verdict),
        passes=figures_by_pass(verdict),
    )


def diff_to_json(diff: Diff, only_table: str | None = None) -> str:
    """Return the comparison of two dumps, ending in a newline; with an ``only_table``, also all ops."""
    before, after = diff.op_counts if only_table else ({}, {})
    counted = {"op_totals": {"before": before, "after": after}} if only_table else {}
    return _document("diff", **_diff_members(diff), **counted)


def _diff_members(diff: Diff) -> dict[str, object]:
    from eio_audit.audit.diff.dump_comparison import repeated_changes
    from eio_audit.report.wording.diff import verdict

    found = diff.ops.found
    repeated = {name: repeated_changes(diff.comparison, changes) for name, changes in found.items()}
    sizes = {name: len(changes) for name, changes in found.items()}
    return {
        "verdict": {
            "same_as": diff.sameness.sameness,
            "ignored": diff.ignored,
            "text": verdict(diff),
            "reason": diff.sameness.reason or None,
        },
        "before": _plain(diff.before.summary) | _about_frees([diff.before]),
        "after": _plain(diff.after.summary) | _about_frees([diff.after]),
        "ops": {"unchanged": diff.ops.unchanged, **sizes},
        "implied_ops": diff.ops.implied,
        "changes": diff.ops.groups,
        "repeated": {name: [one for one in ones if len(one.changes) > 1] for name, ones in repeated.items()},
        "inverse_ops": diff.inverse_ops,
        "fragmentation": diff.fragmentation,
        "locations": diff.locations,
        "advice": diff.advice,
        "configuration": diff.after.options.configuration,
        "dumps": [diff.before, diff.after],
        "errors": [],
    }


def two_runs_to_json(runs: RunComparison) -> str:
    """Return where two runs of a compiler diverge, ending in a newline."""
    only_in = [
        {"run": number, "dumps": count, "first": {"source": dump.source.name, "line": dump.line}}
        for number, (dump, count) in enumerate(runs.only_in, 1)
        if dump is not None
    ]
    return _document(
        "diff",
        same=runs.is_same,
        pairs=runs.pairs,
        different=runs.different,
        only_in=only_in,
        times=runs.times,
        first=runs.difference and {"schema": SCHEMA, "command": "diff", **_diff_members(runs.difference)},
        unlike=runs.unlike
        and {
            "source": runs.unlike.first.source.name,
            "line": runs.unlike.first.line,
            "same_as": runs.unlike.verdict.sameness,
            "reason": runs.unlike.verdict.reason or None,
        },
        errors=[],
    )


def to_json(
    result: CheckComparison | Explanation | FirstFailingDump | FirstFailure | History | Reduction,
) -> str:
    """Return the fields of a result, ending in a newline."""
    command = {
        "CheckComparison": "diff",
        "Explanation": "explain",
        "History": "history",
        "Reduction": "reduce",
    }
    members = _plain(result)
    members.setdefault("errors", [])
    return _document(command.get(type(result).__name__, "bisect"), **members)


def bisection_to_json(result: Bisection) -> str:
    """Return what the patterns of a pass did, ending in a newline."""
    states = result.states
    return _document(
        "bisect",
        **_plain(result),
        final=_without_dumps(states.at_end_of_log),
        left=states.left,
        configuration=states.options.configuration,
        passes=result.passes.passes,
    )


def application_to_json(one: OneApplication) -> str:
    """Return what one application did, ending in a newline."""
    return _document("bisect", **_plain(one), diff=_diff_members(one.diff), errors=[])


def op_steps_to_json(steps: OpSteps) -> str:
    """Return what the applications did to one op, ending in a newline."""
    placed = [steps.placed_by(op) for op in steps.history.ops]
    return _document(
        "bisect",
        **{"pass": steps.bisection.pass_name},
        ops=[
            {
                "steps": [{**_plain(step), **_plain(event)} for event, step in steps.events(op)],
                "placed_by": step and step.last,
                "inversions_since": [
                    {"attempt": since and since.last, "inversions": number}
                    for since, number in steps.inversions_since(op)
                ],
                "origin": op.origin,
            }
            for op, step in zip(steps.history.ops, placed, strict=True)
        ],
        errors=steps.history.errors,
    )


def times_to_json(times: TimeTable) -> str:
    """Return the time of each pass, ending in a newline."""
    return _document("trace", source=times.source, total=times.total, times=times.passes, errors=[])


def two_times_to_json(times: TimeComparison) -> str:
    """Return the time of each pass before and after, ending in a newline."""
    totals = {"before": times.before.total, "after": times.after.total}
    return _document("diff", total=totals, times=times.times, errors=[])


def traces_to_json(
    traces: ModelTraces, rows: Sequence[TracedPass] | None = None, only_table: str | None = None
) -> str:
    """Return what each pass did to the order in all models; ``rows`` are the passes to list, None for all.

    With the table of ops only, it has the ops of each dump, too.
    """
    members = _plain(traces)
    if only_table == "ops":
        members["op_totals"] = _plain(traces.merged.op_totals)
    chosen = None
    if rows is not None:
        chosen = {"passes": len(rows), "of": len(traces.merged.passes)}
        members["passes"] = _plain(rows)
    configuration = traces.merged.options.configuration
    return _document("trace", **members, chosen=chosen, configuration=configuration)


def _document(command: str, **members: object) -> str:
    return dumped({"schema": SCHEMA, "command": command, **_plain(members)})


def dumped(document: object) -> str:
    """Return a document as indented JSON that is harmless to print, ending in a newline."""
    return printable_in_json(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"


def _by_class(numbers: Mapping[PairClass, int]) -> dict[str, int]:
    from eio_audit.audit.pair_class import PairClass

    return {one.key: numbers.get(one, 0) for one in PairClass}


def _of_classes(numbers: Mapping[PairClass, int]) -> dict[str, int]:
    """Return the numbers of the classes that occur."""
    return {one.key: number for one, number in numbers.items() if number}


def _changes(advice: Advice) -> list[dict[str, object]]:
    from eio_audit.report.wording.advice import sentences

    return [
        {"kind": change.kind, "pattern": change.pattern, "ops": change.ops, "sentence": sentence}
        for change, sentence in zip(advice.changes, sentences(advice), strict=True)
    ]


def _without_dumps(figures: Summary) -> dict[str, object]:
    return {key: number for key, number in _plain(figures).items() if key != "dumps"}


def _about_frees(dumps: Sequence[DumpAudit]) -> dict[str, int]:
    blocks = [block for dump in dumps for block in dump.blocks]
    return {key: sum(getattr(block, key) for block in blocks) for key in ("frees", "at_frees")}


def _head(dump: DumpAudit) -> dict[str, object]:
    return {"source": dump.source, "line": dump.line, "pass": dump.pass_name, "when": dump.when}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Mapping):
        return {key: _plain(member) for key, member in value.items()}
    if type(value) in (tuple, list):  # not a named tuple
        return [_plain(member) for member in value]
    if isinstance(value, frozenset):
        return sorted(value)
    members: dict[str, object] = {}
    for key, path, made in _members_of(value.__class__):
        member = _plain(made(value) if made else _at(value, path))
        if key == "*":
            members |= member or {}
        else:
            members[key] = member
    return members


@cache
def _members_of(kind: Any) -> list[tuple[str, list[str], Callable[[Any], object] | None]]:
    """Return the JSON members of a class: key (``*`` for nested ones), attribute path, function or None."""
    name = kind.__name__
    if name in _FIELDS:
        listed = _FIELDS[name].split()
    else:
        annotation = kind.__annotations__.get("op")  # of a named tuple, a ForwardRef
        is_label = getattr(annotation, "__forward_arg__", annotation) == "OpLabel"
        listed = ["*op" if is_label and one == "op" else one for one in kind.__match_args__]
    members = []
    for one in listed:
        key, _, path = one.partition("=")
        attribute, key = (path or key).removeprefix("*"), "*" if key[0] == "*" else key
        members.append((key, attribute.split("."), _MADE.get(f"{name}.{attribute}")))
    return members


def _at(value: Any, path: Sequence[str]) -> Any:
    for name in path:
        value = None if value is None else getattr(value, name)
    return value
