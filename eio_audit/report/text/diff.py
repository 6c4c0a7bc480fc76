"""The difference of two dumps as text, read like a review."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.audit.diff.diff import Diff
from eio_audit.audit.diff.module_runs import Fragmentation
from eio_audit.audit.diff.op_changes import OpChange
from eio_audit.audit.locations.location_health import HealthChange
from eio_audit.audit.op_label import OpLabel
from eio_audit.report.text.check import print_remedy
from eio_audit.report.text.console import Console, print_line
from eio_audit.report.text.order import print_heading, print_order
from eio_audit.report.text.structure import print_structure_change
from eio_audit.report.text.table import Column, print_table
from eio_audit.report.wording.diff import (
    both,
    by_function,
    changed_rules,
    disorder,
    from_to,
    inverse_parts,
    inverse_summary,
    inversions_of,
    kinds_of,
    ops_summary,
    order_summary,
    runs_summary,
    shortened,
    torn,
    what_happened,
)
from eio_audit.report.wording.order import count, op_name

SHOWN_CHANGES = 3
"""How many ops of each group a report names that is not verbose."""

SHOWN_LINES = 2
"""How many lines of each other list."""

SIDE_BY_SIDE = 140
"""Columns from which on before and after stand next to each other."""


def print_diff(diff: Diff, console: Console, *, verbose: bool = False) -> None:
    """Prints what happened to the ops, to the order, and to what a reader of the result depends on."""
    inversions, avoidable = order_summary(diff)
    print_heading(diff.before, console, "before  ")
    print_heading(diff.after, console, "after   ")
    style = "red" if diff.after.summary.avoidable else ""
    print_line(console, (f"ops: {ops_summary(diff)}", "bold"), f"; {inversions}, ", (avoidable, style))
    if diff.ops.implied:
        shown = f"{count(diff.ops.implied, 'op')} that only one of the two printing forms shows: not counted"
        print_line(console, (shown, "dim"))
    group_of = {id(change): name for name, group in diff.ops.groups.items() for change in group}
    hidden = 0
    for function, changes in by_function([c for group in diff.ops.groups.values() for c in group]):
        print_line(console)
        print_line(console, (function or "outside functions", "bold"))
        for name in diff.ops.groups:
            chosen = [change for change in changes if group_of[id(change)] == name]
            hidden += _print_group(name, chosen, console, verbose=verbose)
    if diff.after.summary.inversions:
        print_line(console)
        print_line(console, ("order", "bold"))
        print_order(diff.after, console, verbose=verbose, before=diff.before)
    hidden += _print_inverse_ops(diff, console, verbose=verbose)
    hidden += _print_runs(diff.fragmentation, console, verbose=verbose)
    hidden += print_structure_change(diff.structure, console, verbose=verbose)
    _print_locations(diff.locations, console, verbose=verbose)
    if hidden or diff.after.summary.inversions:
        print_line(console)
    if diff.after.summary.inversions:
        print_remedy([diff.after], console)
    if hidden:
        print_line(console, (f"--verbose shows {hidden:,} more", "dim"))


# ---------------------------------------------------------------------- ops


# What is printed below returns how many ops, pairs or modules it left out.


def _print_group(name: str, changes: Sequence[OpChange], console: Console, *, verbose: bool) -> int:
    if not changes:
        return 0
    print_line(console, (f"{len(changes):,} {name}", "bold"), kinds_of(changes), indent=2)
    ordered = sorted(changes, key=lambda change: (not change.moved, -(change.inversions_after or 0)))
    shown = changes if verbose else ordered[:SHOWN_CHANGES]
    if name != "removed" and console.wraps and console.width >= SIDE_BY_SIDE:
        _print_side_by_side(shown, console)
    else:
        _print_changes(shown, console, verbose=verbose)
    return len(changes) - len(shown)


def _print_changes(changes: Sequence[OpChange], console: Console, *, verbose: bool) -> None:
    columns = [
        Column("", [from_to(change, _index) for change in changes], right=True),
        Column("", [from_to(change, lambda op: op.name) for change in changes], style="cyan"),
        Column("", [from_to(change, lambda op: op.result or "") for change in changes]),
        Column("", [f"line {from_to(change, lambda op: str(op.line))}" for change in changes]),
        Column("", [_modules(change) for change in changes], style="dim", optional=True),
        Column("", ["; ".join(what_happened(change, verbose=verbose)) for change in changes]),
    ]
    print_table(console, columns, indent=4)


def _print_side_by_side(changes: Sequence[OpChange], console: Console) -> None:
    """Each op with what differs below it, as it was on the left and as it is on the right."""
    width = (console.width - 9) // 2
    rows = []
    for change in changes:
        rows.append((_before(change), "  ".join(filter(None, (_full(change.after), _why(change))))))
        rows += map(both, change.differences)
    left, right = ([shortened(row[side], width) for row in rows] for side in (0, 1))
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
    return ", ".join(filter(None, (where, moved, inversions_of(change))))


def _full(op: OpLabel | None) -> str:
    return "" if op is None else f"line {op.line}  {op_name(op)}"


def _index(op: OpLabel) -> str:
    return "" if op.index is None else f"#{op.index}"


def _modules(change: OpChange) -> str:
    return from_to(change, lambda op: op.module or "")


# ---------------------------------------------------------------------- inverse ops


def _print_inverse_ops(diff: Diff, console: Console, *, verbose: bool) -> int:
    inverse = diff.inverse_ops
    if not (inverse.cancelled or inverse.moved or inverse.gone or inverse.added or inverse.remaining):
        return 0
    hidden = 0
    print_line(console)
    print_line(console, ("inverse ops", "bold"), f"  {inverse_summary(inverse)}")
    for title, style, lines in inverse_parts(inverse):
        if lines:
            print_line(console, (title, style), indent=2)
            shown = lines if verbose else lines[:SHOWN_LINES]
            hidden += len(lines) - len(shown)
            for line in shown:
                print_line(console, line, indent=4)
    if said := disorder(diff):
        print_line(console, said, indent=2)
    return hidden


# ---------------------------------------------------------------------- modules and locations


def _print_runs(fragmentation: Fragmentation, console: Console, *, verbose: bool) -> int:
    modules, functions = torn(fragmentation.modules), torn(fragmentation.functions)
    worse = modules + functions
    if not worse:
        return 0
    print_line(console)
    print_line(console, ("modules", "bold"), f"  {runs_summary(fragmentation)}")
    shown = worse if verbose else modules[:SHOWN_LINES] + functions[:1]
    columns = [
        Column("before", [f"{one.before:,}" for one in shown], right=True),
        Column("after", [f"{one.after:,}" for one in shown], right=True, style="red"),
        Column("after fix", [f"{one.fixed:,}" for one in shown], right=True),
        Column("after fix --relabel", [f"{one.relabelled:,}" for one in shown], right=True),
        Column("runs of", [one.name for one in shown]),
    ]
    print_table(console, columns, indent=2)
    return len(worse) - len(shown)


def _print_locations(locations: HealthChange, console: Console, *, verbose: bool) -> None:
    rules = changed_rules(locations)
    if not any(before != after for _, _, before, after in rules) and not locations.lost:
        return
    print_line(console)
    note = f"  {count(len(locations.lost), 'op')} lost the index" if locations.lost else ""
    print_line(console, ("locations", "bold"), note)
    columns = [
        Column("before", [f"{before:,}" for _, _, before, _ in rules], right=True),
        Column("after", [f"{after:,}" for _, _, _, after in rules], right=True),
        Column("ops", [title for _, title, _, _ in rules]),
        Column("rule", [rule for rule, _, _, _ in rules], style="dim"),
    ]
    print_table(console, columns, indent=2)
    if verbose:
        for finding in locations.new:
            print_line(
                console, f"{op_name(finding.op)} (line {finding.op.line}): {finding.message}", indent=4
            )
