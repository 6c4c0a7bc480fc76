"""Halving: find after which counts a state changes, from the states at few of them.

The states at both ends of an interval are compared. If they are equal, nothing inside is looked at. If they
differ, the middle is asked for, until the ends are neighbours. So changes that cancel each other between two
equal states are not found. The interval whose ends differ most comes first.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple


class Interval(NamedTuple):
    """The counts above ``first``, up to ``last``. The states at both differ."""

    first: int
    last: int

    @property
    def is_one(self) -> bool:
        """Whether it is one count, so that it cannot be halved."""
        return self.last - self.first == 1


class Halving:
    """The search between two counts.

    Args:
        states: per count, its state: those known so far, of the first count and the last at least.
        weigh: how much two states differ. An interval with a larger difference is halved first; of equals,
            the longer one.
    """

    def __init__(self, states: Mapping[int, str], weigh: Callable[[str, str], int]) -> None:
        self.states = dict(states)
        self._weigh = weigh
        self._heap: list[tuple[int, int, Interval]] = []
        self._waiting: dict[int, Interval] = {}
        for first, last in pairwise(sorted(states)):
            self._push(Interval(first, last))

    def next(self) -> int | None:
        """Return the next count whose state is needed.

        None if there is none, or none before a state that was asked for is ``put``.
        """
        if not self._heap:
            return None
        interval = heapq.heappop(self._heap)[-1]
        middle = (interval.first + interval.last) // 2
        self._waiting[middle] = interval
        return middle

    def put(self, count: int, state: str) -> None:
        """Take the state at a count that ``next`` returned."""
        interval = self._waiting.pop(count)
        self.states[count] = state
        self._push(Interval(interval.first, count))
        self._push(Interval(count, interval.last))

    def drop(self, count: int) -> None:
        """Give up an interval whose middle ``next`` returned, because its state cannot be had."""
        del self._waiting[count]

    def _push(self, interval: Interval) -> None:
        old, new = self.states[interval.first], self.states[interval.last]
        length = interval.last - interval.first
        if old != new and length > 1:
            heapq.heappush(self._heap, (-self._weigh(old, new), -length, interval))

    @property
    def changes(self) -> Iterator[Interval]:
        """The intervals in which the state changes, in order. Those of one count are resolved."""
        for first, last in pairwise(sorted(self.states)):
            if self.states[first] != self.states[last]:
                yield Interval(first, last)
