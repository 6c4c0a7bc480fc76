"""The difference of two dumps as text, read like a review."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.audit.diff.diff import Diff
from eio_audit.audit.diff.op_changes import OpChange
from eio_audit.audit.diff.sameness import Sameness
from eio_audit.audit.op_label import OpLabel
from eio_audit.report.document import Changes, Figures, Lines, Section, diff_document
from eio_audit.report.text.console import Console
from eio_audit.report.text.order import print_heading, print_order
from eio_audit.report.text.table import Column, print_figures, print_table
from eio_audit.report.wording import diff as words
from eio_audit.report.wording.conclusion import next_steps
from eio_audit.report.wording.order import op_name

SHOWN_CHANGES = 3
"""How many ops of each group a report names that is not verbose."""

SHOWN_LINES = 2
"""How many lines of each other list."""

SIDE_BY_SIDE = 140
"""Columns from which on before and after are side by side."""


def print_diff(diff: Diff, console: Console, *, verbose: bool = False) -> None:
    """Prints what happened to the ops, to the order, and to what a reader of the result depends on."""
    document = diff_document(diff, verbose=verbose)
    inversions, avoidable = words.order_summary(diff)
    if diff.sameness.sameness is Sameness.BYTES and not verbose:
        known = f"; {inversions}, {avoidable}" if diff.after.summary.inversions else ""
        console.print((words.verdict(diff), "bold green"), known)
        return
    print_heading(diff.before, console, "before  ")
    print_heading(diff.after, console, "after   ")
    style = "red" if diff.after.summary.avoidable else ""
    order = (f"; {inversions}, ", (avoidable, style)) if inversions else ()
    console.print((f"ops: {words.ops_summary(diff)}", "bold"), *order)
    if said := words.implied_ops(diff):
        console.print((said, "dim"))
    hidden = 0
    for section in document.functions:
        console.print()
        console.print((section.title or "outside functions", "bold"))
        hidden += _print_parts(section, console, verbose=verbose)
    if diff.after.summary.inversions:
        console.print()
        console.print(("order", "bold"))
        print_order(diff.after, console, verbose=verbose, before=diff.before)
    for section in document.details:
        console.print()
        note = f"  {section.note}" if section.note else ""
        console.print(((section.title or "").lower(), "bold"), note)
        hidden += _print_parts(section, console, verbose=verbose)
    if hidden or diff.after.summary.inversions:
        console.print()
    if diff.after.summary.inversions:
        for step in next_steps([diff.after]):
            console.print(step)
    if hidden:
        console.print((f"--verbose shows {hidden:,} more", "dim"))
    console.print()
    console.print(("verdict: ", "bold"), words.verdict(diff))


def _print_parts(section: Section, console: Console, *, verbose: bool) -> int:
    """Prints the details of a section; returns how many ops, lines or rows it left out."""
    hidden = 0
    for part in section.parts:
        match part:
            case Changes():
                console.print((part.title, "bold"), part.note, indent=2)
                worst = sorted(part.changes, key=lambda one: (not one.moved, -(one.inversions_after or 0)))
                shown = part.changes if verbose else worst[:SHOWN_CHANGES]
                has_after = any(change.after for change in shown)
                if has_after and console.wraps and console.width >= SIDE_BY_SIDE:
                    _print_side_by_side(shown, console)
                else:
                    _print_changes(shown, console, verbose=verbose)
                hidden += len(part.changes) - len(shown)
            case Lines():
                if part.title:
                    console.print((part.title, part.style), indent=2)
                lines = part.items if verbose else part.items[:SHOWN_LINES]
                for line in lines:
                    console.print(line, indent=4)
                hidden += len(part.items) - len(lines)
            case Figures():
                hidden += print_figures(part, console, verbose=verbose)
            case _:
                console.print(part, indent=2)
    return hidden


def _print_changes(changes: Sequence[OpChange], console: Console, *, verbose: bool) -> None:
    index, name, result, line, module = zip(*map(words.cells_of, changes), strict=True)
    columns = [
        Column("", index, right=True),
        Column("", name, style="cyan"),
        Column("", result),
        Column("", [f"line {number}" for number in line]),
        Column("", module, style="dim", optional=True),
        Column("", ["; ".join(words.what_happened(change, verbose=verbose)) for change in changes]),
    ]
    print_table(console, columns, indent=4)


def _print_side_by_side(changes: Sequence[OpChange], console: Console) -> None:
    """Each op with what differs below it, as it was on the left and as it is on the right."""
    width = (console.width - 9) // 2
    rows = []
    for change in changes:
        rows.append((_before(change), "  ".join(filter(None, (_full(change.after), _why(change))))))
        rows += map(words.both, change.differences)
    left, right = ([words.shortened(row[side], width) for row in rows] for side in (0, 1))
    columns = [Column("", left), Column("", ["|"] * len(rows), style="dim"), Column("", right)]
    print_table(console, columns, indent=4)


def _before(change: OpChange) -> str:
    """The op as it was, or the one it came from."""
    if change.ancestor is None:
        return _full(change.before)
    return f"{_full(change.ancestor.op)}  ({change.ancestor.relation.value})"


def _why(change: OpChange) -> str:
    where = f"from {change.block_before}" if change.block_before is not None else ""
    moved = "moved" if change.moved and change.differences else ""
    return ", ".join(filter(None, (where, moved, words.inversions_of(change))))


def _full(op: OpLabel | None) -> str:
    return "" if op is None else f"line {op.line}  {op_name(op)}"
