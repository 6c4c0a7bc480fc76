"""What ``fix`` prints of each file, and of all."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from eio_audit.report.wording import configured, count, order

if TYPE_CHECKING:
    from eio_audit.audit.check.figures import Summary
    from eio_audit.audit.fix.fix import Fix
    from eio_audit.report.text.console import Console


def print_fix(fix: Fix, source_name: str, console: Console, *, is_dry: bool = False) -> None:
    """Print what a fix moved, or with ``is_dry`` would move, what inversions remain and why."""
    assumed = order.assumed_pure(sum((dump.assumed_pure for dump in fix.dumps), Counter()))
    if assumed and (fix.before.inversions or fix.relabelled):
        console.print(f"{source_name}: {assumed}")
    would = "would be changed: " if is_dry and fix.changed else ""
    console.print(f"{source_name}: {would}{outcome(fix)}{configured(fix.dumps[0].options)}")


def print_fixes(changed: int, unchanged: int, failed: int, console: Console, *, is_dry: bool = False) -> None:
    """Print how many files changed, or with ``is_dry`` would change, and how many did not."""
    groups = {"would be changed" if is_dry else "changed": changed, "unchanged": unchanged, "failed": failed}
    parts = [f"{number:,} {group}" for group, number in groups.items() if number]
    console.print(f"{count(changed + unchanged + failed, 'file')}: {', '.join(parts)}")


def outcome(fix: Fix) -> str:
    """Return ``1 op moved, 2 inversions removed; none remains``, or why a file is unchanged."""
    before, remain = fix.before, fix.ordered_from.minimum
    relabel = order.relabelling(fix.ordered_from if fix.changed else before, fix.dumps)
    advice = f": --relabel {'instead ' if fix.moved else ''}{relabel}" if relabel else ""
    if not (before.inversions or fix.relabelled):
        return f"{'in order' if before.has_indices else 'no op indices'}: unchanged"
    why = "" if advice else _why_they_remain(fix.ordered_from)
    if not fix.changed:
        return f"nothing to move: unchanged; {_remaining(remain)}{why}{advice}"
    total = count(before.inversions, "inversion")
    removed, rest = f"{total} removed", "none remains"
    if remain:
        removed = f"{before.inversions - remain:,} of {total} removed"
        rest = f"{_remaining(remain, '')}{why}"
    relabelled = f"{count(fix.relabelled, 'index', 'indices')} corrected, " if fix.relabelled else ""
    unindexed = f" ({fix.moved_unindexed:,} unindexed)" if fix.moved_unindexed else ""
    moved = f"{count(fix.moved, 'op')} moved{unindexed}" if fix.moved else "no op moved"
    return f"{relabelled}{moved}, {removed}; {rest}{advice}"


def _remaining(number: int, noun: str = "inversion") -> str:
    """Return ``18 inversions remain``, or without a noun ``18 remain``."""
    return f"{count(number, noun) if noun else f'{number:,}'} {'remains' if number == 1 else 'remain'}"


def _why_they_remain(before: Summary) -> str:
    """Return why a fix leaves inversions that come from no wrong index: `` (in graph regions)``."""
    unordered, reversals = order.in_graph_regions(before), before.reversed_dependences
    parts = []
    if before.unavoidable > unordered:
        parts.append("every legal order has them" if before.certified else "no better order was found")
    if reversals:
        parts.append(f"{count(reversals, 'reversed dependence')}, left as it is")
    if before.not_compared:
        parts.append(f"{before.not_compared:,} not comparable")
    if unordered:
        parts.append(f"{unordered:,} in graph regions")
    return f" ({'; '.join(parts)})" if parts else ""
