"""The difference of two dumps as text, read like a review."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eio_audit.audit.check import OpLabel
from eio_audit.audit.diff import Diff, OpChange
from eio_audit.report.console import Column, Console, print_line, print_table
from eio_audit.report.text_order import print_heading, print_order
from eio_audit.report.wording import count

SHOWN_CHANGES = 8
"""How many ops of each group a report names that is not verbose."""


def print_diff(diff: Diff, console: Console, *, verbose: bool = False) -> None:
    """Prints what happened to the order, then to the ops, between two dumps."""
    before, after = diff.before.summary, diff.after.summary
    groups = {"moved": diff.moved, "modified": diff.modified, "added": diff.added, "removed": diff.removed}
    sizes = [f"{diff.unchanged:,} unchanged", *(f"{len(ops):,} {name}" for name, ops in groups.items())]
    print_heading(diff.before, console, "before  ")
    print_heading(diff.after, console, "after   ")
    print_line(
        console,
        f"{before.inversions:,} -> {count(after.inversions, 'inversion')}, ",
        (f"{before.avoidable:,} -> {after.avoidable:,} avoidable", "red" if after.avoidable else ""),
        f"; ops: {', '.join(sizes)}",
    )
    if after.inversions:
        print_line(console)
        print_line(console, ("order", "bold"))
        print_order(diff.after, console, verbose=verbose, before=diff.before)
    for name, changes in groups.items():
        if changes:
            print_line(console)
            _print_group(name, changes, console, verbose=verbose)


def _print_group(name: str, changes: Sequence[OpChange], console: Console, *, verbose: bool) -> None:
    derived = sum(change.derived for change in changes)
    note = f", {derived:,} of them derived from the op whose index they carry" if derived else ""
    print_line(console, (f"{len(changes):,} {name}", "bold"), note)
    ordered = sorted(changes, key=lambda change: not change.moved)
    shown = ordered if verbose else ordered[:SHOWN_CHANGES]
    has_functions = len({change.function for change in changes}) > 1
    modules = [_from_to(change, lambda op: op.module or "") for change in shown]
    columns = [
        Column("", [_from_to(change, _index) for change in shown], right=True),
        Column("", [_from_to(change, lambda op: op.name) for change in shown], style="cyan"),
        Column("", [_from_to(change, lambda op: op.result or "") for change in shown]),
        Column("", [f"line {_from_to(change, lambda op: str(op.line))}" for change in shown]),
        Column("", [f"place {_places(change)}" for change in shown], optional=True),
        Column("", [_notes(change, name) for change in shown]),
        Column("", [change.function or "" if has_functions else "" for change in shown]),
        Column("", modules, style="dim", optional=True),
    ]
    print_table(console, columns, indent=2)
    if len(shown) < len(changes):
        rest = f"... and {len(changes) - len(shown):,} more; --verbose shows all"
        print_line(console, (rest, "dim"), indent=2)


def _from_to(change: OpChange, text_of: Callable[[OpLabel], str]) -> str:
    """What an op shows before and after; once where it is the same."""
    texts = [text_of(op) for op in (change.before, change.after) if op is not None]
    return " -> ".join(dict.fromkeys(text or "none" for text in texts)) if any(texts) else ""


def _index(op: OpLabel) -> str:
    return "" if op.index is None else f"#{op.index}"


def _places(change: OpChange) -> str:
    places = [place for place in (change.place_before, change.place_after) if place is not None]
    return " -> ".join(map(str, dict.fromkeys(places)))


def _notes(change: OpChange, group: str) -> str:
    moved = ["moved"] if change.moved and group != "moved" else []
    derived = ["derived"] if change.derived else []
    return ", ".join([*moved, *derived, *change.changed])
