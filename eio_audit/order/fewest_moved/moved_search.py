"""Exact search: among the orders of a section with fewest inversions, one with fewest ops moved.

As in exact_search.py, sets of placed ops are built up by moves. What has been decided so far is told by three
things: the set of placed ops, the *last kept* op, and how many of the placed ops are moved. An op can be kept
if it stands behind the last kept one in the text. Sets are followed by size, smallest first (dynamic
programming); so when a set is taken up, all ways to it are known. Of these only the ones count

- that have cost no more than the cheapest: every minimal order goes through its sets at their lowest cost;
- that no other way beats, with a last kept op not further down the text and not more ops moved.

Ways are left out that cost more than the minimum allows, by the packing of cycles, and those that have lost
as many ops as the order already known: the moved ones, and the unplaced ones that the last kept op has
passed.

**Free moves.** An available op whose smaller independent ops are placed costs nothing (exact_search.py). If
it stands before the last kept op in the text, or before all unplaced ones, it may be placed at once: moved to
the front of any order of the rest, it adds no inversion, and no op that could have been kept is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from eio_audit.order.bitsets import bits
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.effort import Effort, width
from eio_audit.order.search.downset_states import DownsetStates

MOVED_WAYS = 5_000  # ways that one search may follow
MOVED_WORK = 300_000  # the same times the ops of the section, since ways are as long
MOVED_STEPS = 20  # what a way costs


@dataclass(slots=True)
class _Way:
    """A way to a set of placed ops.

    Attributes:
        surplus: what it has cost beyond the packing.
        moved: how many of the placed ops are moved.
        last: the place in the text of the last kept op; -1 when none is kept.
        available: the ops that can be placed next.
        op: the op placed last.
        before: the way it continues; None for the empty set.
    """

    surplus: int
    moved: int
    last: int
    available: int
    op: int
    before: _Way | None


class MovedSearch:
    """Looks for an order with as few inversions as one known, and fewer ops moved.

    Args:
        relations: the ops of the section.
        cycles: a packing of cycles, as the preferences on each.
        inversions: the inversions of a minimal order.
        moved: the ops moved by the best one known.
        ways: how many ways may be followed.
        effort: what that may cost.

    Attributes:
        is_complete: whether the search got through: what it has not found does not exist.

    Example:
        Keys 2, 1 and 1. Both ops with key 1 can stay.

        >>> from eio_audit.order.precedence import Precedence
        >>> from eio_audit.order.windows import Window
        >>> relations = TransitiveClosure(Window([2, 1, 1], [True] * 3, Precedence.from_edges(3, [], [])))
        >>> search = MovedSearch(relations, [], inversions=0, moved=2)
        >>> search.run(), search.is_complete
        ([1, 2, 0], True)
    """

    def __init__(
        self,
        relations: TransitiveClosure,
        cycles: Sequence[Sequence[tuple[int, int]]],
        inversions: int,
        moved: int,
        ways: int = MOVED_WAYS,
        effort: Effort | None = None,
    ) -> None:
        self._relations = relations
        self._moves = DownsetStates(relations, cycles)
        self._most_surplus = inversions - relations.forced - len(cycles)
        self._known = moved
        self._ways_left = min(ways, MOVED_WORK // max(relations.size, 1))
        self._effort = effort or Effort()
        self._way_steps = MOVED_STEPS * width(relations.size)
        self.is_complete = False
        # By place in the text: the ops that stand before it.
        self._text_before = [0]
        for op in relations.number_of:
            self._text_before.append(self._text_before[-1] | 1 << op)

    def run(self) -> list[int] | None:
        """Return an order with fewest ops moved, as places in the section; None when none is found."""
        size = self._relations.size
        layers: list[dict[int, dict[int, _Way]]] = [{} for _ in range(size + 1)]
        layers[0][0] = {-1: _Way(0, 0, -1, self._moves.start, -1, None)}
        for count in range(size):
            for placed, ways in layers[count].items():
                for way in _unbeaten(ways):
                    self._ways_left -= 1
                    self._effort.left -= self._way_steps
                    if self._ways_left < 0 or self._effort.is_spent:
                        return None
                    for reached, longer in self._continued(placed, way):
                        _keep_cheapest(layers[count + 1].setdefault(reached, {}), longer)
            layers[count].clear()
        self.is_complete = True
        complete = [way for ways in layers[size].values() for way in ways.values()]
        return self._retrace(min(complete, key=lambda way: way.moved)) if complete else None

    def _continued(self, placed: int, way: _Way) -> Iterator[tuple[int, _Way]]:
        """Yield the ways that place one op more, with what is then placed."""
        place_of = self._relations.place_of
        unplaced = ~placed
        for op in self._choices(placed, way):
            surplus = way.surplus + self._moves.surplus(op, placed)
            if surplus > self._most_surplus:
                continue
            reached, available = self._moves.place(op, placed, way.available)
            place = place_of[op]
            is_first = not self._text_before[place] & unplaced
            if place > way.last and not self._is_hopeless(reached, way.moved, place):
                yield reached, _Way(surplus, way.moved, place, available, op, way)
                if is_first:
                    continue
            if not self._is_hopeless(reached, way.moved + 1, way.last):
                yield reached, _Way(surplus, way.moved + 1, way.last, available, op, way)

    def _choices(self, placed: int, way: _Way) -> Iterable[int]:
        """Return the ops to try next: all that are available, or one if that can be placed at once."""
        relations = self._relations
        for op in bits(way.available):
            place = relations.place_of[op]
            if relations.smaller_independent[op] & ~placed:
                continue
            if place < way.last or not self._text_before[place] & ~placed:
                return (op,)
        return bits(way.available)

    def _is_hopeless(self, placed: int, moved: int, last: int) -> bool:
        """Return whether as many ops are lost as the order known has moved."""
        return moved + (self._text_before[last + 1] & ~placed).bit_count() >= self._known

    def _retrace(self, way: _Way) -> list[int]:
        """Return the order that a way has placed its ops in."""
        order = []
        while way.before is not None:
            order.append(self._relations.place_of[way.op])
            way = way.before
        return order[::-1]


def _keep_cheapest(ways: dict[int, _Way], way: _Way) -> None:
    """Add a way to those that lead to the same set, if none with the same last kept op is as good."""
    known = ways.get(way.last)
    if known is None or (way.surplus, way.moved) < (known.surplus, known.moved):
        ways[way.last] = way


def _unbeaten(ways: dict[int, _Way]) -> Iterator[_Way]:
    """Yield the ways with the least surplus that no other beats."""
    least = min(way.surplus for way in ways.values())
    last = None
    for way in sorted(ways.values(), key=lambda way: (way.moved, way.last)):
        if way.surplus == least and (last is None or way.last < last):
            last = way.last
            yield way
