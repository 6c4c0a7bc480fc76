"""Why an op is where it is, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eio_audit.audit.check.pair_classes import PairClass
from eio_audit.audit.dependence import DependenceKind
from eio_audit.audit.explain.explain import (
    Explanation,
    FixedPlace,
    InversionKind,
    InvertedOp,
    OpExplanation,
    PathStep,
)
from eio_audit.audit.options import Follow
from eio_audit.mlir.semantics.effects import ANY, CONTROL, EffectSource
from eio_audit.report.text.console import Console, hyperlink, print_next
from eio_audit.report.text.order import print_heading
from eio_audit.report.wording.conclusion import next_steps
from eio_audit.report.wording.numbers import count
from eio_audit.report.wording.order import block_name, should_carry

SHOWN_INVERSIONS = 3
SHOWN_STEPS = 8
"""The most inversions of each kind, and edges of a path, that a report shows unless verbose."""

_KINDS = {
    InversionKind.FORCED: "forced by dependences",
    InversionKind.AVOIDABLE: "avoidable",
    InversionKind.KNOCK_ON: "knock-on",
    InversionKind.UNORDERED: "in a graph region, which has no order to keep",
}
_STEPS = {
    DependenceKind.VALUE: "value: used by",
    DependenceKind.CAPTURE: "capture: used inside the regions of",
    DependenceKind.EFFECT: "effect: memory effects keep it before",
    DependenceKind.TERMINATOR: "terminator: the block ends with",
}
_STATES = {
    "stack": "the stack",
    "environment": "the environment (rounding mode, default device, volatile memory)",
    "files": "files",
    "solver": "the solver's state",
}
_SOURCES = {
    EffectSource.LISTED: "from the op table",
    EffectSource.CONFIGURED: "from the project's own op table",
    EffectSource.CONTENTS: "from the ops in its regions",
    EffectSource.CALLEE: "from the function that it calls",
    EffectSource.UNKNOWN: "unknown to the op table",
    EffectSource.UNLISTED: "not in the op table",
    EffectSource.ASSUMED: "by --assume-pure",
}


def print_explanation(explanation: Explanation, console: Console, *, verbose: bool = False) -> None:
    """Print why ops are where they are. If several share an index, print only outlines unless verbose."""
    ops, source = explanation.ops, explanation.dump.source
    print_heading(explanation.dump, console)
    if len(ops) > 1:
        console.print(f"{len(ops):,} ops carry index {ops[0].op.index}:")
    are_outlines = len(ops) > 1 and not verbose
    for op in ops:
        at_line = (f"line {op.op.line}", hyperlink(source, op.op.line))
        block = block_name(op.function, op.block)
        place = f": op {op.place + 1:,} of {op.ops:,} in {block} (line {op.block_line})"
        console.print((op.op.title, "bold cyan"), " at ", at_line, place, indent=2)
        derived = "derived: a pass made it from another op" if op.derived else ""
        outline = [_inversions(op), derived, _right(op), _fix(op)]
        for fact in filter(None, outline if are_outlines else _facts(op)):
            console.print(fact, indent=4)
        if not are_outlines:
            _print_inversions(op, console, verbose=verbose)
    if are_outlines:
        console.print("--verbose explains all of them; a line instead of the index selects one")
    kinds = {kind for op in ops for kind in op.kinds}
    print_next(
        next_steps(
            [explanation.dump],
            moves=InversionKind.AVOIDABLE in kinds,
            relabels=bool(kinds & {InversionKind.FORCED, InversionKind.KNOCK_ON}),
        ),
        console,
    )


def _facts(op: OpExplanation) -> Iterator[str]:
    yield _model(op)
    if op.derived:
        yield f"derived: a pass made it from the op at #{op.op.index}, and it carries that op's index"
    yield _right(op)
    yield _index(op)
    if op.last_use is not None:
        verb = "it follows its last use," if op.follows is Follow.FREES else "it only frees; its last use is"
        yield f"{verb} {op.last_use}"
    yield _effects(op)
    for neighbour, side in ((op.lower, "lower"), (op.higher, "higher")):
        if neighbour is not None:
            away = count(abs(neighbour.distance), "place")
            direction = "before" if neighbour.distance < 0 else "after"
            yield f"next {side} index: {neighbour.op}, {away} {direction} it"


def _model(op: OpExplanation) -> str:
    if op.origin is None:
        return f"from {op.model_line}" if op.model_line else ""
    function = f"{op.origin.function}()" if op.origin.function else None
    parts = [str(op.model_line or ""), function, *op.origin.modules[-1:], op.origin.op]
    return "from " + ", ".join(filter(None, parts))


def _right(op: OpExplanation) -> str:
    if op.right is None:
        return ""
    return f"its index is wrong: it should carry {should_carry(op.right)}; fix --relabel corrects it"


def _index(op: OpExplanation) -> str:
    stays = f"; it stays with {op.consumer}" if op.consumer else ""
    if op.follows is Follow.FREES:
        return "its index does not count, because it only frees (--follow none counts it)"
    if op.follows is not None:
        return f"its index does not count (--follow {op.follows.value}){stays}"
    if op.op.index is None:
        return f"unindexed: its location carries no op index{stays}"
    if not op.same_index:
        return ""
    verb = "carries" if op.same_index == 1 else "carry"
    return f"{count(op.same_index, 'other op')} of the block {verb} its index"


def _effects(op: OpExplanation) -> str:
    effects, source = op.effects, _SOURCES[op.effects_source]
    if effects.anywhere == ANY:
        return f"may do anything to memory ({source})"
    touched = {
        "memory anywhere": effects.anywhere,
        "buffers": effects.memory,
        "tensors that it uses": effects.tensors,
        **{_STATES[state]: kinds for state, kinds in effects.states.items() if state != CONTROL},
    }
    present = {what: sorted(kinds) for what, kinds in touched.items() if kinds}
    parts = [f"{' and '.join(f'{kind}s' for kind in kinds)} {what}" for what, kinds in present.items()]
    if "write" in effects.states.get(CONTROL, ()):
        parts.append("may not return")
    return f"{', '.join(parts) or 'no memory effects'} ({source})"


def _inversions(op: OpExplanation) -> str:
    if not op.inversions:
        return "no inversions"
    kind = _KINDS[next(iter(op.kinds))]
    if op.inversions == 1:
        return f"1 inversion, {kind.replace('dependences', 'a dependence')}"
    if len(op.kinds) == 1:
        return f"{count(op.inversions, 'inversion')}, all {kind}"
    parts = ", ".join(f"{number:,} {_KINDS[kind]}" for kind, number in op.kinds.items())
    return f"{count(op.inversions, 'inversion')}: {parts}"


def _print_inversions(op: OpExplanation, console: Console, *, verbose: bool) -> None:
    console.print((_inversions(op), "bold"), indent=4)
    for kind, total in op.kinds.items():
        inversions = [inverted for inverted in op.inverted if inverted.kind is kind]
        shown = inversions if verbose else inversions[:SHOWN_INVERSIONS]
        style = "red" if kind is InversionKind.AVOIDABLE else ""
        for inverted in shown:
            console.print((kind.value, style), f" with {inverted.op}{_told_apart(inverted)}", indent=6)
            _print_path(inverted.path, console, verbose=verbose)
            if inverted.fixed is not None and inverted.fixed.moved:
                console.print(f"fix puts that op {_between(inverted.fixed)}", indent=8)
        if len(shown) < total:
            hint = "; --verbose shows more" if len(shown) < len(inversions) else ""
            console.print((f"... and {total - len(shown):,} more {kind.value}{hint}", "dim"), indent=6)
    if fix := _fix(op):
        console.print(fix, indent=4)


def _told_apart(inverted: InvertedOp) -> str:
    """Return whether the inversion is one of a hoisted constant or a split: `` (split)``."""
    is_apart = inverted.pair_class in (PairClass.HOISTED_CONSTANT, PairClass.SPLIT)
    return f" ({inverted.pair_class})" if is_apart else ""


def _print_path(path: Sequence[PathStep], console: Console, *, verbose: bool) -> None:
    """Print the ops of a path, each below the op it depends on. Skip the middle of a long path."""
    if not path:
        return
    console.print(str(path[0].producer), indent=8)
    left_out = 0 if verbose else max(len(path) - SHOWN_STEPS, 0)
    half = SHOWN_STEPS // 2
    for number, step in enumerate(path):
        if left_out and number == half:
            console.print((f"... {count(left_out, 'more op')} ...", "dim"), indent=8)
        if not left_out or number < half or number >= half + left_out:
            console.print(f"{_STEPS[step.kind]} {step.user}", indent=8)


def _fix(op: OpExplanation) -> str:
    """Return what a fix would do to the op. Empty for an op without inversions."""
    if not op.inversions:
        return ""
    if op.fixed is None:
        return "nothing moves in a graph region"
    if op.fixed.inversions == op.inversions:
        after = f"{'all' if op.inversions > 1 else 'the'} {count(op.inversions, 'inversion')}"
    else:
        after = f"{count(op.fixed.inversions, 'inversion')} instead of {op.inversions:,}"
    fix = "fix" if op.right is None else "without --relabel, fix"
    if op.fixed.moved:
        return f"{fix} puts it {_between(op.fixed)}: {after}"
    if InversionKind.AVOIDABLE in op.kinds:
        return f"{fix} leaves it and moves others: {after}"
    return f"{fix} leaves it where it is"


def _between(fixed: FixedPlace) -> str:
    if fixed.after is None:
        return f"at the start of the block, before {fixed.before}" if fixed.before else "where it is"
    return f"after {fixed.after}" + (f", before {fixed.before}" if fixed.before else "")
