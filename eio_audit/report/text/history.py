"""One op through all passes as text: what happened to it, and a row for each pass that changed it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from eio_audit.audit.log.history import EventKind, History, OpEvent, OpHistory, OpState
from eio_audit.mlir.tokens import after_arrow
from eio_audit.report.text.console import Console, Piece
from eio_audit.report.text.table import Column, print_table
from eio_audit.report.wording.diff import DERIVATIONS, LONGEST_STRETCH, what_happened
from eio_audit.report.wording.numbers import count, shortened, shortened_list
from eio_audit.report.wording.trace import pass_called

SHOWN_OPS = 8
"""The most ops that a report shows unless verbose."""


def print_history(history: History, console: Console, *, verbose: bool = False) -> None:
    """Print the requested ops, then those that passes made from them."""
    shown = history.ops if verbose else history.ops[:SHOWN_OPS]
    sources = {event.place.source for op in history.ops for event in op.events}
    if len(sources) == 1 and not all(op.is_unchanged for op in history.ops):
        console.print((next(iter(sources)), "bold"))
    for number, op in enumerate(shown):
        if number:
            console.print()
        said: list[Piece] = [(title_of(op), "bold"), ": ", _summary(history, number)]
        if op.is_unchanged:
            console.print(*said, f": {_places(op, history.dumps)}")
        else:
            console.print(*said)
            _print_events(op, console, is_one_file=len(sources) == 1, verbose=verbose)
    if len(history.ops) > len(shown):
        console.print()
    print_more_ops(len(history.ops) - len(shown), console)


def _print_events(op: OpHistory, console: Console, *, is_one_file: bool, verbose: bool) -> None:
    def column(title: str, text_of: Callable[[OpState], str], *, optional: bool = True) -> Column:
        cells = ["" if event.state is None else text_of(event.state) for event in op.events]
        return Column(
            title,
            cells if verbose else [shortened(cell, LONGEST_STRETCH) for cell in cells],
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
        column("location", lambda state: state.location if verbose else ""),
        column_of_events(op.events, verbose=verbose),
    ]
    print_table(console, columns, indent=2)


def column_of_events(events: Iterable[OpEvent], *, verbose: bool) -> Column:
    """Return the last column of a table of events: what happened."""
    cells = [_what_happened(event, verbose=verbose) for event in events]
    return Column("what", cells, cut="never" if verbose else "end")


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
        kinds = ", ".join(dict.fromkeys(kind for event in op.changes for kind in _kinds(event)))
        said.append(f"changed by {shortened_list(passes)} ({kinds})")
    if op.removal is not None:
        said.append(f"removed by {_pass_of(op.removal)}")
    elif not op.changes:
        said.append("not changed since" if said else "no pass changed it")
    if made := sum(other.origin == number for other in history.ops):
        said.append(f"{count(made, 'op')} made from it")
    if op.inversions:
        said.append(inverted(op))
    return ", ".join(said)


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


def _places(op: OpHistory, dumps: int) -> str:
    """Return where an unchanged op is in its first and last dump: ``a.log:12:5 to a.log:90:5``."""
    return f"{' to '.join(dict.fromkeys(map(_place, op.events)))}, {count(dumps, 'dump')}"


def _place(event: OpEvent) -> str:
    """Return ``passes.log:625:5``. For a removed op, the dump without it."""
    if event.state is None:
        return f"{event.place.source}:{event.place.line}"
    return f"{event.place.source}:{event.state.op.line}:{event.state.column}"


def _pass_of(event: OpEvent) -> str:
    """Return the pass of an event. Empty for the first and the last dump."""
    is_end = event.kind in (EventKind.FIRST, EventKind.LAST)
    return "" if is_end else pass_called(event.pass_name, event.place.marker)


def _what_happened(event: OpEvent, *, verbose: bool) -> str:
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


def _kinds(event: OpEvent) -> list[str]:
    assert event.change is not None
    return [*event.change.changed, *(["moved"] if event.change.moved else [])]
