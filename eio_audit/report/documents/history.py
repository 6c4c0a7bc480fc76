"""What ``history`` reports: what happened to one op in all passes, and to those that passes made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from eio_audit.audit.diff.dump_comparison import Relation
from eio_audit.audit.log.history import EventKind, History, OpEvent, OpHistory, OpState
from eio_audit.mlir.tokens import after_arrow
from eio_audit.report.document import (
    Cells,
    Document,
    Figures,
    Part,
    Piece,
    Rest,
    document,
    figures_of,
    line,
)
from eio_audit.report.wording import count, more, shortened, shortened_list
from eio_audit.report.wording.diff import DERIVATIONS, LONGEST_STRETCH, what_happened
from eio_audit.report.wording.trace import pass_called

SHOWN_OPS = 8  # the most ops that a report shows unless verbose


def history_document(history: History, *, verbose: bool = False) -> Document:
    """Return the requested ops, then those that passes made from them."""
    shown = history.ops if verbose else history.ops[:SHOWN_OPS]
    sources = {event.place.source for op in history.ops for event in op.events}
    is_one_file = len(sources) == 1
    sections: list[list[Part]] = []
    for number, op in enumerate(shown):
        said: list[Piece] = [(title_of(op), "bold"), ": ", _summary(history, number)]
        if op.is_unchanged:
            places = " to ".join(dict.fromkeys(map(_place, op.events)))
            said.append(f": {places}, {count(history.dumps, 'dump')}")
        events = [] if op.is_unchanged else [_events(op, verbose=verbose, is_one_file=is_one_file)]
        sections.append([line(*said), *events])
    if is_one_file and not all(op.is_unchanged for op in history.ops):
        sections[0].insert(0, line((next(iter(sources)), "bold")))
    return document(*sections, [Rest(more(len(history.ops) - len(shown), "op"))])


def _events(op: OpHistory, *, verbose: bool, is_one_file: bool) -> Figures:
    def of(text_of: Callable[[OpState], str]) -> Callable[[OpEvent], str]:
        def cell(event: OpEvent) -> str:
            text = "" if event.state is None else text_of(event.state)
            return text if verbose else shortened(text, LONGEST_STRETCH)

        return cell

    cells: Cells = {
        "line": lambda event: _place(event).removeprefix(f"{event.place.source}:" if is_one_file else ""),
        "pass": _pass_of,
        "result": of(lambda state: state.op.result or ""),
        "place": of(lambda state: f"{state.place + 1:,} of {state.ops:,}"),
        "operands": of(lambda state: ", ".join(state.operands)),
        "type": of(lambda state: after_arrow(state.types)),
        "location": of(lambda state: state.location if verbose else ""),
        "what": lambda event: told(event, verbose=verbose),
    }
    columns = f"{'>' * is_one_file}line, pass, result, place?, operands?, type?, location?, what"
    return figures_of(op.events, columns, cells)


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


def told(event: OpEvent, *, verbose: bool = False) -> str:
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
    said = what_happened(change, verbose=verbose)
    return "; ".join([*(["moved"] if change.moved and "moved" not in said else []), *moved, *said])


def _origin(event: OpEvent) -> str:
    ancestor = event.change.ancestor if event.change else None
    return f", {DERIVATIONS[ancestor.relation]} {ancestor.op}" if ancestor else ""
