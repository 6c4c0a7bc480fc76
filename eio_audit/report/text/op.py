"""One op as text: why it is where it is, and what happened to it in all passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from eio_audit.audit.dependence import DependenceKind
from eio_audit.audit.diff.dump_comparison import Relation
from eio_audit.audit.explain.explain import (
    Explanation,
    FixedPlace,
    InversionKind,
    InvertedOp,
    OpExplanation,
    PathStep,
)
from eio_audit.audit.log.history import EventKind, History, OpEvent, OpHistory, OpState
from eio_audit.audit.options import Follow
from eio_audit.audit.pair_class import PairClass
from eio_audit.mlir.semantics.effects import ANY, CONTROL, EffectSource
from eio_audit.mlir.tokens import after_arrow
from eio_audit.report.text.console import Column, Console, Piece, hyperlink, print_next, print_table
from eio_audit.report.text.diff import print_heading
from eio_audit.report.wording import count, shortened, shortened_list
from eio_audit.report.wording.conclusion import next_steps
from eio_audit.report.wording.diff import DERIVATIONS, LONGEST_STRETCH, what_happened
from eio_audit.report.wording.order import block_name, should_carry
from eio_audit.report.wording.trace import pass_called

SHOWN_INVERSIONS = 3  # the most inversions of each kind that a report shows unless verbose
SHOWN_STEPS = 8  # the most edges of a path that it shows unless verbose

_KINDS = {
    InversionKind.FORCED: "cannot be moved back",
    InversionKind.AVOIDABLE: "can be moved back",
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


def print_explanation(explanation: Explanation, console: Console) -> None:
    """Print why ops are where they are. If several share an index, print only outlines unless verbose."""
    ops, source = explanation.ops, explanation.dump.source
    print_heading(explanation.dump, console)
    if len(ops) > 1:
        console.print(f"{len(ops):,} ops carry index {ops[0].op.index}:")
    are_outlines = len(ops) > 1 and not console.verbose
    for op in ops:
        at_line = (f"line {op.op.line}", hyperlink(source, op.op.line))
        block = block_name(op.function, op.block)
        place = f": op {op.place + 1:,} of {op.ops:,} in {block} (line {op.block_line})"
        console.print((op.op.title, "bold cyan"), " at ", at_line, place, indent=2)
        derived = "a pass made it from another op" if op.derived else ""
        outline = [_inversions(op), derived, _right(op), _fix(op)]
        for fact in filter(None, outline if are_outlines else _facts(op)):
            console.print(fact, indent=4)
        if not are_outlines:
            _print_inversions(op, console)
    if are_outlines:
        console.print("--verbose explains all of them; a line instead of the index selects one")
    if by_file := explanation.dump.options.configuration:
        console.print(f"what counts is changed {by_file}")
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


def _print_inversions(op: OpExplanation, console: Console) -> None:
    console.print((_inversions(op), "bold"), indent=4)
    for kind, total in op.kinds.items():
        inversions = [inverted for inverted in op.inverted if inverted.kind is kind]
        shown = inversions if console.verbose else inversions[:SHOWN_INVERSIONS]
        style = "red" if kind is InversionKind.AVOIDABLE else ""
        for inverted in shown:
            console.print(f"with {inverted.op}", (_why(inverted), style), indent=6)
            _print_path(inverted.path, console)
            if inverted.fixed is not None and inverted.fixed.moved:
                console.print(f"fix puts that op {_between(inverted.fixed)}", indent=8)
        if left_out := total - len(shown):
            hint = "; --verbose shows more" if len(shown) < len(inversions) else ""
            more = f"... and {left_out:,} more that {_fate(kind, left_out)}{hint}"
            console.print((more, "dim"), indent=6)
    if fix := _fix(op):
        console.print(fix, indent=4)


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
            return f": can be moved back{f' ({inverted.pair_class})' if is_apart else ''}"
        case _:
            return ""


def _print_path(path: Sequence[PathStep], console: Console) -> None:
    """Print the ops of a path, each below the op it depends on. Skip the middle of a long path."""
    if not path:
        return
    console.print(str(path[0].producer), indent=8)
    left_out = 0 if console.verbose else max(len(path) - SHOWN_STEPS, 0)
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


SHOWN_OPS = 8  # the most ops that a report shows unless verbose


def print_history(history: History, console: Console) -> None:
    """Print the requested ops, then those that passes made from them."""
    shown = history.ops if console.verbose else history.ops[:SHOWN_OPS]
    sources = {event.place.source for op in history.ops for event in op.events}
    if len(sources) == 1 and not all(op.is_unchanged for op in history.ops):
        console.print((next(iter(sources)), "bold"))
    for number, op in enumerate(shown):
        if number:
            console.print()
        said: list[Piece] = [(title_of(op), "bold"), ": ", _summary(history, number)]
        if op.is_unchanged:
            places = " to ".join(dict.fromkeys(map(_place, op.events)))
            console.print(*said, f": {places}, {count(history.dumps, 'dump')}")
        else:
            console.print(*said)
            _print_events(op, console, is_one_file=len(sources) == 1)
    if len(history.ops) > len(shown):
        console.print()
    print_more_ops(len(history.ops) - len(shown), console)


def _print_events(op: OpHistory, console: Console, *, is_one_file: bool) -> None:
    def column(title: str, text_of: Callable[[OpState], str], *, optional: bool = True) -> Column:
        cells = ["" if event.state is None else text_of(event.state) for event in op.events]
        return Column(
            title,
            cells if console.verbose else [shortened(cell, LONGEST_STRETCH) for cell in cells],
            optional=optional,
        )

    def line(event: OpEvent) -> str:
        place = _place(event)
        return place.removeprefix(f"{event.place.source}:") if is_one_file else place

    columns = [
        Column("line", list(map(line, op.events)), right=is_one_file),
        Column("pass", list(map(_pass_of, op.events)), style="cyan"),
        column("result", lambda state: state.op.result or "", optional=False),
        column("place", lambda state: f"{state.place + 1:,} of {state.ops:,}"),
        column("operands", lambda state: ", ".join(state.operands)),
        column("type", lambda state: after_arrow(state.types)),
        column("location", lambda state: state.location if console.verbose else ""),
        column_of_events(op.events, console),
    ]
    print_table(console, columns, indent=2)


def column_of_events(events: Iterable[OpEvent], console: Console) -> Column:
    """Return the last column of a table of events: what happened."""
    cells = [_what_happened(event, console) for event in events]
    return Column("what", cells, cut="never" if console.verbose else "end")


def print_more_ops(number: int, console: Console) -> None:
    """Print how many ops a report does not show, if any."""
    if number:
        console.print((f"--verbose shows {count(number, 'more op')}", "dim"))


def title_of(op: OpHistory) -> str:
    """Return ``#23 ttir.permute %56 in @main``."""
    state = op.first
    return state.op.title + (f" in {state.function}" if state.function else "")


def _summary(history: History, number: int) -> str:
    """Return what happened to an op: ``made by a, changed by b and c (operands, moved), removed by d``."""
    op = history.ops[number]
    said = []
    if op.events[0].kind is EventKind.MADE:
        said.append(f"made by {_pass_of(op.events[0])}{_origin(op.events[0])}")
    if op.changes:
        passes = list(dict.fromkeys(map(_pass_of, op.changes)))
        changes = [event.change for event in op.changes if event.change]
        kinds = [kind for one in changes for kind in (*one.changed, *(["moved"] if one.moved else []))]
        said.append(f"changed by {shortened_list(passes)} ({', '.join(dict.fromkeys(kinds))})")
    if op.removal is not None:
        said.append(f"removed by {_pass_of(op.removal)}")
    elif not op.changes:
        said.append("not changed since" if said else "no pass changed it")
    made = [one.events[0] for one in history.ops if one.origin == number]
    if made:
        said.append(f"{count(len(made), 'op')} made from it ({_evidence(made)})")
    if op.inversions:
        said.append(inverted(op))
    return ", ".join(said)


def _evidence(made: Iterable[OpEvent]) -> str:
    """Return how it is known that a pass made ops from another op: ``as locations tell``."""
    ancestors = [event.change.ancestor for event in made if event.change and event.change.ancestor]
    by_dataflow = {one.relation is Relation.COMMUTED for one in ancestors}
    if len(by_dataflow) > 1:
        return "as locations and the dataflow tell"
    return "as the dataflow tells" if True in by_dataflow else "as locations tell"


def inverted(op: OpHistory) -> str:
    """Return ``in 7 inversions at the end: 5 made by cse (line 12), 2 there from the start``."""
    total = sum(one.pairs for one in op.inversions)
    makers = [
        f"{one.pairs:,} there from the start"
        if one.place is None
        else f"{one.pairs:,} made by {pass_called(one.pass_name, one.place.marker)} (line {one.place.line})"
        for one in op.inversions
    ]
    return f"in {count(total, 'inversion')} at the end: {shortened_list(makers)}"


def _place(event: OpEvent) -> str:
    if event.state is None:
        return f"{event.place.source}:{event.place.line}"
    return f"{event.place.source}:{event.state.op.line}:{event.state.column}"


def _pass_of(event: OpEvent) -> str:
    is_end = event.kind in (EventKind.FIRST, EventKind.LAST)
    return "" if is_end else pass_called(event.pass_name, event.place.marker)


def _what_happened(event: OpEvent, console: Console) -> str:
    """Return what happened: ``types: [-i32-]{+i64+}``, ``removed; its users now use %3 t.a``."""
    if event.kind in (EventKind.FIRST, EventKind.LAST):
        marker = event.place.marker
        moment = f" {marker.when or 'at'} {marker.pass_name}" if marker else ""
        return f"{event.kind.value} seen{moment}"
    if event.kind is EventKind.REMOVED:
        said = ["removed"]
        if event.users_now_use:
            said.append(f"its users now use {event.users_now_use}")
        if event.at_its_location:
            names = [f"{number:,} {name}" for name, number in event.at_its_location.items()]
            said.append(f"perhaps replaced by what is at its location now: {shortened_list(names)}")
        return "; ".join(said)
    assert event.change is not None
    if event.kind is EventKind.MADE:
        return f"made{_origin(event)}"
    change = event.change
    moved = []
    if change.moved and change.block_before is None and change.place_before != change.place_after:
        moved = [f"from place {(change.place_before or 0) + 1:,} to {(change.place_after or 0) + 1:,}"]
    said = what_happened(change, verbose=console.verbose)
    return "; ".join([*(["moved"] if change.moved and "moved" not in said else []), *moved, *said])


def _origin(event: OpEvent) -> str:
    ancestor = event.change.ancestor if event.change else None
    return f", {DERIVATIONS[ancestor.relation]} {ancestor.op}" if ancestor else ""
