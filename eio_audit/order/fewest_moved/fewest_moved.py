"""Fewest ops moved: among the orders with fewest inversions, the one closest to the textual order.

An op counts as *moved* when it is not *kept*, and kept are the ops of a longest subsequence of the order that
is still in textual order. (Whoever moves the other ops one by one turns the textual order into this one.)

Where several ops have the same key, or none, or where a squeezed op has the choice of where to pay, several
orders have fewest inversions. Section by section (sections.py), each step only for what those before have
left open:

1. Each moved op is matched with an op that it has to overtake, no op twice from the same side: that many ops
   are moved in every minimal order (maximum_antichain.py). For nearly all sections this is the proof.
2. Moved ops go back, one by one, where that costs nothing (restore_positions.py).
3. All that is settled is worked out (implied_order.py), with it the largest set of ops that could stay and
   thereby
   a bound. The set is *held*: its ops are chained by additional dependences, and the section is ordered
   again. If that costs no inversion, the bound is met.
4. A search through all minimal orders of the section, if these are few (moved_search.py).

Where unindexed ops are among the moved ones, they go to their consumers at last (unindexed.py).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.effort import Effort, width
from eio_audit.order.fewest_moved.implied_order import settled_before
from eio_audit.order.fewest_moved.maximum_antichain import largest_staying
from eio_audit.order.fewest_moved.moved_search import MovedSearch
from eio_audit.order.fewest_moved.restore_positions import go_back, longest_in_place, moved_places
from eio_audit.order.fewest_moved.sections import sections_of
from eio_audit.order.precedence import Precedence
from eio_audit.order.search.solve_window import best_order
from eio_audit.order.unindexed import attach_unindexed
from eio_audit.order.windows import Window, block_of, split_into_windows

SETTLED_SIZE = 4_000  # ops of the largest section whose pairs are all looked at
SETTLED_INVERSIONS = 100_000  # the same for inversions that are not forced
OVERTAKEN_STEPS = 2_000  # ops looked at to match one moved op


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """Where minimal orders may differ in the preferences they break.

    Attributes:
        window_of: for each op, the number of its window; -1 for one that is in none.
        place_in: its place there.
        rows: for each window, by place, the bitset of the places that are open with it, as in
            ``LowerBound.open_pairs``; empty where no pair is open, None where nothing is known of that.
    """

    window_of: Sequence[int]
    place_in: Sequence[int]
    rows: Sequence[Sequence[int] | None]

    def holds(self, smaller: int, larger: int) -> bool:
        """Return whether some minimal order may place two independent ops against their keys."""
        window = self.window_of[smaller]
        if window < 0 or window != self.window_of[larger]:
            return False
        rows = self.rows[window]
        return rows is None or (
            len(rows) > 0 and rows[self.place_in[smaller]] >> self.place_in[larger] & 1 > 0
        )


@dataclass(frozen=True, slots=True)
class Moved:
    """An order with few ops moved.

    Attributes:
        order: ``order[k]`` is the op placed k-th.
        count: how many ops are moved.
        least: every order with as few inversions moves this many ops, if ``order`` has the fewest inversions.
    """

    order: list[int]
    count: int
    least: int

    def improved(self, order: list[int]) -> Moved:
        """Return this with another order, if that moves fewer ops."""
        count = len(moved_places(order))
        return replace(self, order=order, count=count) if count < self.count else self


def fewest_moved(
    block: Window, order: Sequence[int], left_open: LeftOpen, effort: Effort | None = None
) -> Moved:
    """Return an order with no more inversions than ``order`` and few ops moved, and a bound on these.

    Args:
        block: the ops, numbered by textual order.
        order: an order of them that keeps the dependences. The bound is about orders with as few inversions
            and takes for granted that no order has fewer.
        left_open: what minimal orders may differ in.
        effort: how much may be done; then what has been found stands.

    Complexity: O(n log n) where step 1 is the proof; more work is for single sections, and capped for each.
    """
    order = list(order)
    effort = effort or Effort()
    overtaking = _Overtaking(block, order, left_open, effort)
    sections: list[tuple[int, int]] = []
    found: list[Moved] = []
    for start, stop in sections_of(block, order):
        moved, matched = overtaking.count(start, stop)
        if moved:
            sections.append((start, stop))
            found.append(Moved(order[start:stop], moved, matched))
    _settle_each(block, sections, found, effort)
    for (start, stop), section in zip(sections, found, strict=True):
        order[start:stop] = section.order
        if not all(block.indexed[start:stop]):
            order[start:stop] = attach_unindexed(
                block.precedence, block.indexed, section.order, longest_in_place(section.order)
            )
    return Moved(order, sum(section.count for section in found), sum(section.least for section in found))


def _settle_each(
    block: Window, sections: Sequence[tuple[int, int]], found: list[Moved], effort: Effort
) -> None:
    """Settle those sections where the bound is not met yet; their ops are numbered as in the block."""
    numbers = [number for number, moved in enumerate(found) if moved.least < moved.count]
    starts = [sections[number][0] for number in numbers]
    parts = [block.restricted(range(*sections[number])) for number in numbers]
    for number, start, section in zip(numbers, starts, parts, strict=True):
        moved = found[number]
        moved = _settle(section, replace(moved, order=[op - start for op in moved.order]), effort)
        found[number] = replace(moved, order=[op + start for op in moved.order])


class _Overtaking:
    """The moved ops of an order, matched with ops that they are exchanged with."""

    def __init__(self, block: Window, order: Sequence[int], left_open: LeftOpen, effort: Effort) -> None:
        self._block = block
        self._order = order
        self._left_open = left_open
        self._effort = effort
        self._places = moved_places(order)
        moved = [order[place] for place in self._places]
        # An op moves down when more of the kept ops stand before it in the order than in the text.
        kept_before = {op: op - rank for rank, op in enumerate(sorted(moved))}
        self._moves_down = {
            op: place - rank > kept_before[op]
            for rank, (op, place) in enumerate(zip(moved, self._places, strict=True))
        }

    def count(self, start: int, stop: int) -> tuple[int, int]:
        """Return how many ops are moved in the section from ``start`` to ``stop``, and how many are matched.

        An op that moves down is matched as the earlier of the two in the text, one that moves up as the later
        one. Together the pairs form chains.
        """
        places = self._places[bisect_left(self._places, start) : bisect_left(self._places, stop)]
        matched_from_side: tuple[set[int], set[int]] = set(), set()
        for place in places:
            is_down = self._moves_down[self._order[place]]
            last = max(start - 1, place - OVERTAKEN_STEPS) if is_down else min(stop, place + OVERTAKEN_STEPS)
            self._match(place, last, matched_from_side[is_down])
        return len(places), sum(map(len, matched_from_side))

    def _match(self, start: int, last: int, matched: set[int]) -> None:
        """Match the op at place ``start`` with the nearest possible one on the way to ``last``."""
        order, moves_down, is_open = self._order, self._moves_down, self._left_open.holds
        keys, indexed = self._block.keys, self._block.indexed
        op = order[start]
        if not indexed[op] or self._effort.is_spent:
            return
        is_down = moves_down[op]
        sign = 1 if is_down else -1
        for place in range(start - sign, last, -sign):
            self._effort.left -= 2
            other = order[place]
            if (
                (other - op) * sign > 0
                and other not in matched
                and indexed[other]
                and (keys[op] - keys[other]) * sign > 0
                and moves_down.get(other, is_down) == is_down
                and not is_open(*((other, op) if is_down else (op, other)))
            ):
                matched.add(other)
                return


def _settle(section: Window, moved: Moved, effort: Effort) -> Moved:
    """Find an order of a section with fewer ops moved, or prove that there is none."""
    moved = moved.improved(go_back(section, moved.order, effort))
    if moved.least == moved.count or section.size > SETTLED_SIZE or effort.is_spent:
        return moved
    effort.left -= section.size * width(section.size)
    relations = TransitiveClosure(section)
    inversions = section.inversions(moved.order)
    if inversions - relations.forced > SETTLED_INVERSIONS:
        return moved
    packing = CyclePacking(relations, moved.order, effort)
    if len(packing) < len(packing.broken):
        packing.find_detours(effort)
    if len(packing) == len(packing.broken):
        moved = _held(section, relations, packing, moved, effort)
    if moved.least == moved.count:
        return moved
    search = MovedSearch(relations, packing.cycles(), inversions, moved.count, effort=effort)
    order = search.run()
    if order is not None:
        moved = moved.improved(order)
    return replace(moved, least=moved.count) if search.is_complete else moved


def _held(
    section: Window, relations: TransitiveClosure, packing: CyclePacking, moved: Moved, effort: Effort
) -> Moved:
    """Raise the bound to what is settled, and see whether the ops that could stay can all be held."""
    before = settled_before(relations, packing, effort)
    if before is None:
        return moved
    exchanged = [0] * section.size
    text_after = (1 << section.size) - 1
    for op in relations.number_of:
        text_after ^= 1 << op
        exchanged[op] = before[op] & text_after
    largest = largest_staying(exchanged, effort)
    if largest is None:
        return moved
    staying = sorted(relations.place_of[op] for op in largest)
    moved = replace(moved, least=max(moved.least, section.size - len(staying)))
    if moved.least == moved.count:
        return moved
    order = _minimal(_with_chain(section, staying), effort)
    if section.inversions(order) > section.inversions(moved.order):
        return moved
    return moved.improved(order)


def _with_chain(block: Window, ops: Sequence[int]) -> Window:
    """Return the block with additional dependences that keep ``ops`` in textual order."""
    producers = [(producer, op) for op in range(block.size) for producer in block.precedence.predecessors(op)]
    edges = chain(producers, pairwise(ops))
    keys = [key if own else None for key, own in zip(block.keys, block.indexed, strict=True)]
    return block_of(keys, Precedence.from_edges(block.size, *zip(*edges, strict=True)))


def _minimal(block: Window, effort: Effort) -> list[int]:
    """Return the best order found for a block, window by window."""
    windows = split_into_windows(block)
    order = windows.order
    for start, stop in windows.spans:
        ops = order[start:stop]
        order[start:stop] = [ops[place] for place in best_order(block.restricted(ops), effort).order]
    return order
