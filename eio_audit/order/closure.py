"""The transitive closure of a window, and its independent pairs by key.

A set of ops is one Python integer: bit i is set when op i is in the set.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from eio_audit.order.permutation import inverse
from eio_audit.order.windows import Window

WIDE = 4_000  # bits of a bitset that cost one more step


class TransitiveClosure:
    """All pairs of a window, as bitsets of n bits per op: n * n / 8 bytes for each attribute.

    Ops are numbered by rising key, ties by textual order. So the ops with a smaller key than a given one are
    among the lowest bits.

    Attributes:
        size: number of ops.
        place_of: per op, its place in the window.
        number_of: per place in the window, the number of its op; the inverse of ``place_of``.
        indexed: the bitset of the indexed ops.
        with_ancestors: per op, the bitset of itself and the ops it depends on, directly or not.
        with_descendants: per op, the bitset of itself and the ops that depend on it, directly or not.
        smaller_independent: per op, the bitset of the *independent* ops with a smaller key. Independent ops
            are neither ancestors nor descendants, so an order can place each pair either way. The order has
            an inversion if it places the larger key first.
        larger_independent: per op, the bitset of the independent ops with a larger key.
        forced: number of forced inversions.

    Complexity: O(n + m) operations on bitsets of n bits.

    Example:
        Keys 5, 1, 3, where 1 depends on 5. By rising key the ops are 0 (key 1), 1 (key 3) and 2 (key 5).

        >>> from eio_audit.order.precedence import Precedence
        >>> closure = TransitiveClosure(Window([5, 1, 3], [True] * 3, Precedence.from_edges(3, [0], [1])))
        >>> closure.place_of, closure.with_descendants, closure.smaller_independent, closure.forced
        ([1, 2, 0], [1, 2, 5], [0, 1, 2], 1)
    """

    def __init__(self, window: Window) -> None:
        size = window.size
        self._window = window
        self.size = size
        self.place_of = sorted(range(size), key=window.keys.__getitem__)
        self.number_of = inverse(self.place_of)
        self.indexed = sum(1 << op for op, place in enumerate(self.place_of) if window.indexed[place])
        self.with_ancestors = [1 << op for op in range(size)]
        self.with_descendants = self.with_ancestors[:]
        for producer, user in window.precedence.forwards():
            self.with_ancestors[self.number_of[user]] |= self.with_ancestors[self.number_of[producer]]
        for producer, user in window.precedence.backwards():
            self.with_descendants[self.number_of[producer]] |= self.with_descendants[self.number_of[user]]
        self._compare_keys()

    def _compare_keys(self) -> None:
        """Compute the attributes that compare keys, and ``forced``."""
        keys = [self._window.keys[place] for place in self.place_of]
        up_to = {key: (2 << op) - 1 for op, key in enumerate(keys)}  # per key, the ops with no larger key
        below = dict(zip(up_to, [0, *up_to.values()], strict=False))  # per key, the ops with a smaller key
        self.smaller_independent, self.larger_independent, self.forced = [], [], 0
        for op, key in enumerate(keys):
            others = self.indexed if self.indexed >> op & 1 else 0
            ancestors, descendants = self.with_ancestors[op], self.with_descendants[op]
            smaller, independent = others & below[key], others & ~(ancestors | descendants)
            self.smaller_independent.append(smaller & independent)
            self.larger_independent.append(independent & ~up_to[key])
            self.forced += (smaller & descendants).bit_count()

    @cached_property
    def users(self) -> list[list[int]]:
        """Per op, the ops that depend on it directly."""
        number_of, successors = self.number_of, self._window.precedence.successors
        return [[number_of[user] for user in successors(place)] for place in self.place_of]

    @cached_property
    def producers(self) -> list[int]:
        """Per op, the bitset of the ops it depends on directly."""
        producers = [0] * self.size
        for op, direct in enumerate(self.users):
            for user in direct:
                producers[user] |= 1 << op
        return producers

    @cached_property
    def equal(self) -> list[int]:
        """Per op, the bitset of the indexed ops with the same key, itself included; 0 if unindexed."""
        keys = [self._window.keys[place] for place in self.place_of]
        equal = dict.fromkeys(keys, 0)
        for op, key in enumerate(keys):
            equal[key] |= self.indexed & 1 << op
        return [equal[key] if self.indexed >> op & 1 else 0 for op, key in enumerate(keys)]


def bits(bitset: int) -> Iterator[int]:
    """Yield the positions of the set bits, lowest first.

    Example:
        >>> list(bits(0b1001))
        [0, 3]
    """
    while bitset:
        lowest = bitset & -bitset
        yield lowest.bit_length() - 1
        bitset ^= lowest


def lowest_bit(bitset: int) -> int:
    """Return the position of the lowest set bit."""
    return (bitset & -bitset).bit_length() - 1


def width(size: int) -> int:
    """Return the cost in steps of an operation on a bitset of ``size`` bits."""
    return 1 + size // WIDE
