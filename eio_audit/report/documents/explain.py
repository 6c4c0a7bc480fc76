"""What ``explain`` reports: why an op is where it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
from eio_audit.audit.pair_class import PairClass
from eio_audit.mlir.semantics.effects import ANY, CONTROL, EffectSource
from eio_audit.report.document import (
    Document,
    Link,
    Part,
    Rest,
    Sentence,
    Steps,
    document,
    heading_of,
    line,
)
from eio_audit.report.wording import count, more
from eio_audit.report.wording.conclusion import next_steps
from eio_audit.report.wording.order import BACK, block_name, should_carry

SHOWN_INVERSIONS = 3  # the most inversions of each kind that a report shows unless verbose
SHOWN_STEPS = 8  # the most edges of a path that it shows unless verbose

_KINDS = {
    InversionKind.FORCED: "cannot be moved back",
    InversionKind.AVOIDABLE: BACK,
    InversionKind.KNOCK_ON: "stay because of other ops",
    InversionKind.NOT_COMPARABLE: "are not comparable",
    InversionKind.UNORDERED: "are in a graph region, which has no order to keep",
}
_ONE = {"stay": "stays", "are": "is"}  # the first words of these, of a single inversion
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
    "communication": "communication",
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


def explanation_document(explanation: Explanation, *, verbose: bool = False) -> Document:
    """Return why ops are where they are. Of several with one index, it has outlines unless ``verbose``."""
    ops, dump = explanation.ops, explanation.dump
    parts: list[Part] = [heading_of(dump)]
    if len(ops) > 1:
        parts.append(line(f"{len(ops):,} ops carry index {ops[0].op.index}:"))
    are_outlines = len(ops) > 1 and not verbose
    for op in ops:
        at_line = Link(f"line {op.op.line}", dump.source, op.op.line)
        block = block_name(op.function, op.block)
        place = f": op {op.place + 1:,} of {op.ops:,} in {block} (line {op.block_line})"
        parts.append(line((op.op.title, "bold cyan"), " at ", at_line, place, indent=2))
        derived = "a pass made it from another op" if op.derived else ""
        outline = [_inversions(op), derived, _right(op), _fix(op)]
        parts += [line(fact, indent=4) for fact in (outline if are_outlines else _facts(op)) if fact]
        parts += [] if are_outlines else _told_inversions(op, verbose=verbose)
    if are_outlines:
        parts.append(line("--verbose explains all of them; a line instead of the index selects one"))
    if by_file := dump.options.configuration:
        parts.append(line(f"what counts is changed {by_file}"))
    kinds = {kind for op in ops for kind in op.kinds}
    steps = next_steps(
        [dump],
        moves=InversionKind.AVOIDABLE in kinds,
        relabels=bool(kinds & {InversionKind.FORCED, InversionKind.KNOCK_ON}),
    )
    return document([*parts, Steps(steps)])


def _facts(op: OpExplanation) -> Iterator[str]:
    yield _model(op)
    if op.derived:
        yield f"a pass made it from the op at #{op.op.index}, and it carries that op's index"
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
    """Return ``72 inversions: 29 cannot be moved back, 1 can be moved back, 42 stay because of ...``."""
    if not op.inversions:
        return "no inversions"
    if [*op.kinds] == [InversionKind.FORCED] and op.inversions > 1:
        parts = [f"none {_KINDS[InversionKind.AVOIDABLE]}"]
    else:
        everything = "it" if op.inversions == 1 else "all"
        parts = [
            f"{f'{number:,}' if len(op.kinds) > 1 else everything} {_fate(kind, number)}"
            for kind, number in op.kinds.items()
        ]
    return f"{count(op.inversions, 'inversion')}: {', '.join(parts)}"


def _fate(kind: InversionKind, number: int) -> str:
    first, rest = _KINDS[kind].split(" ", maxsplit=1)
    return f"{_ONE.get(first, first) if number == 1 else first} {rest}"


def _told_inversions(op: OpExplanation, *, verbose: bool) -> Iterator[Part]:
    yield line((_inversions(op), "bold"), indent=4)
    for kind, total in op.kinds.items():
        inversions = [inverted for inverted in op.inverted if inverted.kind is kind]
        shown = inversions if verbose else inversions[:SHOWN_INVERSIONS]
        style = "red" if kind is InversionKind.AVOIDABLE else ""
        for inverted in shown:
            yield line(f"with {inverted.op}", (_why(inverted), style), indent=6)
            yield from _path(inverted.path, verbose=verbose)
            if inverted.fixed is not None and inverted.fixed.moved:
                yield line(f"fix puts that op {_between(inverted.fixed)}", indent=8)
        if left_out := total - len(shown):
            said = f"{more(left_out)} that {_fate(kind, left_out)}"
            yield Rest(said, indent=6, is_in_verbose=len(shown) < len(inversions))
    if fix := _fix(op):
        yield line(fix, indent=4)


def _why(inverted: InvertedOp) -> str:
    """Return why an inversion stays, or that it need not: ``, which depends on it``."""
    match inverted.kind:
        case InversionKind.FORCED:
            is_user = inverted.path[-1].user == inverted.op
            is_reversed = inverted.pair_class is PairClass.REVERSED
            why = ", which depends on it" if is_user else ", on which it depends"
            return f"{why} ({inverted.pair_class})" if is_reversed else why
        case InversionKind.NOT_COMPARABLE:
            return f": {inverted.pair_class.words}" if inverted.pair_class else ""
        case InversionKind.KNOCK_ON:
            return ", though neither depends on the other"
        case InversionKind.AVOIDABLE:
            is_apart = inverted.pair_class is not None and inverted.pair_class.follow is not None
            return f": {BACK}{f' ({inverted.pair_class})' if is_apart else ''}"
        case _:
            return ""


def _path(path: Sequence[PathStep], *, verbose: bool) -> Iterator[Sentence]:
    """Yield the ops of a path, each below the op it depends on, without the middle of a long path."""
    if not path:
        return
    yield line(str(path[0].producer), indent=8)
    left_out = 0 if verbose else max(len(path) - SHOWN_STEPS, 0)
    half = SHOWN_STEPS // 2
    for number, step in enumerate(path):
        if left_out and number == half:
            yield line((f"... {count(left_out, 'more op')} ...", "dim"), indent=8)
        if not left_out or number < half or number >= half + left_out:
            yield line(f"{_STEPS[step.kind]} {step.user}", indent=8)


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
