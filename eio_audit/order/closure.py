"""Which ops of a window depend on each other, and which of the others have a smaller key."""

from __future__ import annotations

from functools import cached_property
from itertools import compress
from operator import not_

from eio_audit.order.windows import Window


class TransitiveClosure:
    """All pairs of a window, as bitsets: one row of n bits per op, so n * n / 8 bytes for each attribute.

    Ops are numbered by rising key here, ties by textual order: the ops with a smaller key than a given one
    are then among the lowest bits.

    Attributes:
        size: number of ops.
        place_of: the place in the window of each op.
        number_of: the number of the op at each place of the window: the inverse of ``place_of``.
        indexed: the bitset of the indexed ops.
        with_ancestors: per op, itself and the ops it depends on, directly or not, as a bitset like all that
            follow.
        with_descendants: itself and the ops that depend on it, directly or not.
        smaller_independent: the ops with a smaller key that are *independent* of it, neither ancestors nor descendants: an
            order may place each such pair either way, and to place the larger key first is an inversion.
        larger_independent: the independent ops with a larger key.
        forced: the number of forced inversions.

    Complexity: O(n + m) operations on bitsets of n bits.

    Example:
        Keys 5, 1, 3, where 1 depends on 5. By rising key the ops are 0 (key 1), 1 (key 3) and 2 (key 5).

        >>> from eio_audit.order.precedence import Precedence
        >>> relations = TransitiveClosure(Window([5, 1, 3], [True] * 3, Precedence.from_edges(3, [0], [1])))
        >>> relations.place_of, relations.with_descendants, relations.smaller_independent, relations.forced
        ([1, 2, 0], [1, 2, 5], [0, 1, 2], 1)
    """

    def __init__(self, window: Window) -> None:
        size = window.size
        self._window = window
        self.size = size
        self.place_of = sorted(range(size), key=window.keys.__getitem__)
        self.number_of = [0] * size
        for op, place in enumerate(self.place_of):
            self.number_of[place] = op
        self._follow_dependences()
        self._compare_keys()

    def _follow_dependences(self) -> None:
        """Fill in who depends on whom, by one sweep from the start and one from the end."""
        precedence, number_of = self._window.precedence, self.number_of
        up = [1 << op for op in range(self.size)]
        down = up[:]
        for producer, user in precedence.forwards():
            up[number_of[user]] |= up[number_of[producer]]
        for producer, user in precedence.backwards():
            down[number_of[producer]] |= down[number_of[user]]
        self.with_ancestors, self.with_descendants = up, down

    def _compare_keys(self) -> None:
        """Fill in whose keys are smaller and larger, apart for the dependent and the independent."""
        is_indexed = list(map(self._window.indexed.__getitem__, self.place_of))
        indexed = (1 << self.size) - 1
        for op in compress(range(self.size), map(not_, is_indexed)):
            indexed ^= 1 << op
        keys = sorted(self._window.keys)
        up_to = {key: (2 << op) - 1 for op, key in enumerate(keys)}  # by key: the ops with no larger one
        below = dict(zip(up_to, [0, *up_to.values()], strict=False))  # by key: the ops with a smaller one
        smaller_independent, larger_independent, forced = [], [], 0
        rows = zip(keys, is_indexed, self.with_ancestors, self.with_descendants, strict=True)
        for key, is_own, ancestors, descendants in rows:
            others = indexed if is_own else 0
            smaller = others & below[key]
            independent = others & ~(ancestors | descendants)
            smaller_independent.append(smaller & independent)
            larger_independent.append(independent & ~up_to[key])
            forced += (smaller & descendants).bit_count()
        self.indexed, self.smaller_independent, self.larger_independent, self.forced = (
            indexed,
            smaller_independent,
            larger_independent,
            forced,
        )

    @cached_property
    def users(self) -> list[list[int]]:
        """Per op, the ops that depend on it directly."""
        number_of, successors = self.number_of, self._window.precedence.successors
        return [[number_of[user] for user in successors(place)] for place in self.place_of]

    @cached_property
    def producers(self) -> list[int]:
        """Per op, the bitset of those it depends on directly."""
        producers = [0] * self.size
        for op, direct in enumerate(self.users):
            for user in direct:
                producers[user] |= 1 << op
        return producers

    @cached_property
    def equal(self) -> list[int]:
        """Per op, the bitset of the indexed ops with the same key, itself among them; 0 if unindexed."""
        keys = [self._window.keys[place] for place in self.place_of]
        equal = dict.fromkeys(keys, 0)
        for op, key in enumerate(keys):
            equal[key] |= self.indexed & 1 << op
        return [equal[key] if self.indexed >> op & 1 else 0 for op, key in enumerate(keys)]
