"""Sentences about a fix, without layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eio_audit.report.wording import count, order

if TYPE_CHECKING:
    from eio_audit.audit.check.figures import Summary
    from eio_audit.audit.fix.fix import Fix


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
