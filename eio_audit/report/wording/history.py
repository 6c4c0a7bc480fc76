"""Sentences about one op through all passes, without layout."""

from __future__ import annotations

from eio_audit.audit.log.history import EventKind, History, OpEvent, OpHistory
from eio_audit.report.wording.diff import DERIVATIONS, what_happened
from eio_audit.report.wording.numbers import count, shortened_list
from eio_audit.report.wording.order import op_at, op_name
from eio_audit.report.wording.trace import pass_called


def title(op: OpHistory) -> str:
    """Return ``#23 ttir.permute %56 in @main``."""
    state = op.first
    return op_name(state.op) + (f" in {state.function}" if state.function else "")


def summary(history: History, number: int) -> str:
    """Return what happened to an op: ``made by a, changed by b and c (operands, moved), removed by d``."""
    op = history.ops[number]
    said = []
    if op.events[0].kind is EventKind.MADE:
        said.append(f"made by {pass_of(op.events[0])}{_origin(op.events[0])}")
    if op.changes:
        passes = list(dict.fromkeys(map(pass_of, op.changes)))
        kinds = ", ".join(dict.fromkeys(kind for event in op.changes for kind in _kinds(event)))
        said.append(f"changed by {shortened_list(passes)} ({kinds})")
    if op.removal is not None:
        said.append(f"removed by {pass_of(op.removal)}")
    elif not op.changes:
        said.append("not changed since" if said else "no pass changed it")
    if made := sum(other.origin == number for other in history.ops):
        said.append(f"{count(made, 'op')} made from it")
    return ", ".join(said)


def places(op: OpHistory, dumps: int) -> str:
    """Return where an unchanged op is in its first and last dump: ``a.log:12:5 to a.log:90:5``."""
    return f"{' to '.join(dict.fromkeys(map(place, op.events)))}, {count(dumps, 'dump')}"


def place(event: OpEvent) -> str:
    """Return ``passes.log:625:5``. For a removed op, the dump without it."""
    if event.state is None:
        return f"{event.place.source}:{event.place.line}"
    return f"{event.place.source}:{event.state.op.line}:{event.state.column}"


def pass_of(event: OpEvent) -> str:
    """Return the pass of an event. Empty for the first and the last dump."""
    is_end = event.kind in (EventKind.FIRST, EventKind.LAST)
    return "" if is_end else pass_called(event.pass_name, event.place.marker)


def what(event: OpEvent, *, verbose: bool) -> str:
    """Return what happened: ``types: [-i32-]{+i64+}``, ``removed; its users now use %3 t.a``."""
    if event.kind in (EventKind.FIRST, EventKind.LAST):
        marker = event.place.marker
        moment = f" {marker.when or 'at'} {marker.pass_name}" if marker else ""
        return f"{event.kind.value} seen{moment}"
    if event.kind is EventKind.REMOVED:
        return "removed" + (f"; its users now use {event.users_now_use}" if event.users_now_use else "")
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
    return f", {DERIVATIONS[ancestor.relation]} {op_at(ancestor.op)}" if ancestor else ""


def _kinds(event: OpEvent) -> list[str]:
    assert event.change is not None
    return [*event.change.changed, *(["moved"] if event.change.moved else [])]
