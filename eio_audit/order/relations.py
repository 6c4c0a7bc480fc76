"""Which ops of a window depend on each other, and which of the others have a smaller key."""

from __future__ import annotations

from itertools import accumulate
from operator import or_

from eio_audit.order.windows import Window


class Relations:
    """All pairs of a window, as bitsets: one row of n bits per op, so n * n / 8 bytes for each attribute.

    Ops are numbered by rising key here, ties by textual order: the ops with a smaller key than a given one
    are then among the lowest bits.

    Attributes:
        size: number of ops.
        place_of: the place in the window of each op.
        number_of: the number of the op at each place of the window: the inverse of ``place_of``.
        indexed: the bitset of the indexed ops.
        users: per op, the ops that depend on it directly.
        producers: per op, those it depends on directly, as a bitset like all that follow.
        ancestors: the ops it depends on, directly or not.
        descendants: the ops that depend on it, directly or not.
        soft: the ops with a smaller key that are *independent* of it, neither ancestors nor descendants: an
            order may place each such pair either way, and to place the larger key first is an inversion.
        soft_above: the independent ops with a larger key.
        equal: the indexed ops with the same key, itself among them; none for an unindexed op.
        forced: the number of forced inversions.

    Complexity: O(n + m) operations on bitsets of n bits.

    Example:
        Keys 5, 1, 3, where 1 depends on 5. By rising key the ops are 0 (key 1), 1 (key 3) and 2 (key 5).

        >>> from eio_audit.order.precedence import Precedence
        >>> relations = Relations(Window([5, 1, 3], [True] * 3, Precedence.from_edges(3, [0], [1])))
        >>> relations.place_of, relations.descendants, relations.soft, relations.forced
        ([1, 2, 0], [0, 0, 1], [0, 1, 2], 1)
    """

    def __init__(self, window: Window) -> None:
        size = window.size
        self.size = size
        self.place_of = sorted(range(size), key=window.keys.__getitem__)
        self.number_of = [0] * size
        for op, place in enumerate(self.place_of):
            self.number_of[place] = op
        self._follow_dependences(window)
        self._compare_keys(window)

    def _follow_dependences(self, window: Window) -> None:
        """Fill in who depends on whom, by one sweep from the end and one from the start."""
        number_of, successors = self.number_of, window.precedence.successors
        users: list[list[int]] = [[]] * self.size
        producers = [0] * self.size
        descendants = [0] * self.size
        ancestors = [0] * self.size
        for place in range(self.size - 1, -1, -1):
            op = number_of[place]
            users[op] = direct = [number_of[user] for user in successors(place)]
            below = 0
            for user in direct:
                below |= 1 << user | descendants[user]
                producers[user] |= 1 << op
            descendants[op] = below
        for op in number_of:
            above = ancestors[op] | 1 << op
            for user in users[op]:
                ancestors[user] |= above
        self.users, self.producers = users, producers
        self.descendants, self.ancestors = descendants, ancestors

    def _compare_keys(self, window: Window) -> None:
        """Fill in whose keys are smaller, equal and larger, apart for the dependent and the independent."""
        keys = [window.keys[place] for place in self.place_of]
        is_indexed = [window.indexed[place] for place in self.place_of]
        below = list(accumulate((flag << op for op, flag in enumerate(is_indexed)), or_, initial=0))
        indexed = self.indexed = below[-1]
        stop = {key: op + 1 for op, key in enumerate(keys)}
        start = {key: op for op, key in zip(range(self.size - 1, -1, -1), reversed(keys), strict=True)}
        self.soft = [0] * self.size
        self.soft_above = [0] * self.size
        self.equal = [0] * self.size
        self.forced = 0
        for op, key in enumerate(keys):
            if not is_indexed[op]:
                continue
            smaller, not_larger = below[start[key]], below[stop[key]]
            independent = ~(self.ancestors[op] | self.descendants[op])
            self.soft[op] = smaller & independent
            self.soft_above[op] = (indexed ^ not_larger) & independent
            self.equal[op] = not_larger ^ smaller
            self.forced += (smaller & self.descendants[op]).bit_count()
