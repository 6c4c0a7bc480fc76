"""Windows of a block that can be ordered independently, and lower bounds on the inversions of any order.

**Windows.** A direct dependence u -> v crosses a threshold t downwards if key(u) > t >= key(v). If none
crosses t, all ops with a key up to t can go first: they depend on nothing above t. This costs nothing. Take
any order of the block and move the ops up to t before the others, with both groups in their own order. No
dependence breaks, and no pair across t is inverted any more. So the block is cut at every such t. A *window*
is a component of the union of the intervals [key(v), key(u)) over the inverted direct dependences. The
minimum of the block is the sum of the minima of its windows.

In a transitive closure, a set of ops is one Python integer: bit i is set when op i is in the set.

**Forced inversions.** An op is *over* another if the other depends on it, directly or not, and has the
smaller key. The two are a *forced* inversion: every order has it. An *early* op is over another op, a *late*
op is under one. Cycles add one more inversion each, in windows with a transitive closure.

**Cycles.** Draw an edge between two ops if one *should* come before the other:

- a *dependence* goes from an op to each of its descendants. Every order follows it.
- a *soft edge* goes from the smaller key to the larger, between two independent ops. An order that breaks it
  has an inversion that is not forced.

No order follows all edges of a cycle, and every order follows the dependences. So every order breaks a soft
edge of each cycle. A *packing* is a set of cycles that share no soft edge, so each costs its own inversion.
So the forced inversions plus the size of a packing are a lower bound. (The minimum is a minimum feedback arc
set, and the packing is its dual. In planar graphs the two are equal: Lucchesi and Younger 1978.)

**Which cycles?** The cycles that explain a good order. Let the order break the soft edge y -> x: it has x
before y. Let it follow a soft edge p -> q, where p is x or depends on it, and y is q or depends on it. Then

    y -> x => p -> q => y

is a cycle of two soft edges, one broken and one followed. p -> q is its *closing edge*. Two such cycles are
disjoint if they differ in both. So the largest packing of such cycles is a maximum matching of broken edges
with closing edges, found by alternating paths (Berge 1957). If all broken edges are matched, the packing has
as many cycles as there are inversions that are not forced. Then it proves that the order is minimal.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from itertools import chain, count, repeat
from operator import eq, itemgetter, sub
from typing import NamedTuple

from eio_audit.order.effort import (
    BROKEN_STEPS,
    EDGE_STEPS,
    FORCED_STEPS,
    OP_STEPS,
    PACKING_STEPS,
    Effort,
    width,
)
from eio_audit.order.permutation import count_inversions, inverse
from eio_audit.order.precedence import Precedence, effective_keys

LARGEST_KEY = 1 << 30  # Python adds and compares such integers fastest


class Window(NamedTuple):
    """An independent problem: find a linear extension of these ops with few inversions.

    Ops are numbered 0, 1, 2, ... by textual order within the window. A whole block is a window that has not
    been split.
    """

    keys: Sequence[int]  # per op, its effective key, an integer from 0 to LARGEST_KEY
    # Per op, whether the key is its own. An unindexed op takes no part in inversions.
    indexed: Sequence[bool]
    precedence: Precedence  # the dependences among these ops

    @property
    def size(self) -> int:
        """Number of ops, indexed or not."""
        return self.precedence.size

    @property
    def shape(self) -> Hashable:
        """A value that is equal for windows that are the same problem, up to a constant added to all keys."""
        smallest = min(self.keys, default=0)
        return tuple(map(sub, self.keys, repeat(smallest))), tuple(self.indexed), self.precedence.columns

    def inversions(self, order: Sequence[int]) -> int:
        """Return the number of inversions of ``order``, where ``order[k]`` is the op placed k-th."""
        return count_inversions([self.keys[op] for op in order if self.indexed[op]])

    def restricted(self, ops: Sequence[int]) -> Window:
        """Return the problem on ``ops`` only, renumbered by their place in that sequence."""
        if len(ops) == self.size and all(map(eq, ops, count())):
            return self
        return Window(
            keys=list(map(self.keys.__getitem__, ops)),
            indexed=list(map(self.indexed.__getitem__, ops)),
            precedence=self.precedence.restricted(ops),
        )

    def mirrored(self) -> Window:
        """Return the reversed problem: op i becomes op size - 1 - i, and small keys become large.

        An order of one, reversed and renumbered, is an order of the other with as many inversions.
        """
        largest = max(self.keys, default=0)
        return Window(
            keys=[largest - key for key in reversed(self.keys)],
            indexed=self.indexed[::-1],
            precedence=self.precedence.mirrored(),
        )


def block_of(keys: Sequence[int | None], precedence: Precedence) -> Window:
    """Return the whole block as one window with effective keys; large or negative keys become ranks."""
    effective = effective_keys(keys, precedence)
    if min(effective, default=0) < 0 or max(effective, default=0) > LARGEST_KEY:
        rank_of = {key: rank for rank, key in enumerate(sorted(set(effective)))}
        effective = [rank_of[key] for key in effective]
    return Window(effective, [key is not None for key in keys], precedence)


class Windows(NamedTuple):
    """A block cut into windows."""

    order: list[int]  # a linear extension of the block: window after window, in textual order within each
    # The windows with an inverted dependence, as half-open ranges of `order`. Other ops are in final order.
    spans: list[tuple[int, int]]


def split_into_windows(block: Window) -> Windows:
    """Cut ``block`` at every threshold that no direct dependence crosses downwards.

    Complexity: O(n log n + m), near O(n + m) if the block is nearly in order.

    Take keys 2, 0, 1, 5, 4; the op with key 2 must stay before the one with key 0.

    >>> precedence = Precedence.from_edges(5, producers=[0], users=[1])
    >>> split_into_windows(Window([2, 0, 1, 5, 4], [True] * 5, precedence))
    Windows(order=[0, 1, 2, 4, 3], spans=[(0, 3)])
    """
    keys, key_of = block.keys, block.keys.__getitem__
    highest: dict[int, int] = {}  # per key of a user, the largest key of its producers
    for producer, user in block.precedence.inverted(keys):
        low, high = keys[user], keys[producer]
        if high > highest.get(low, low):
            highest[low] = high
    joined: list[tuple[int, int]] = []  # the smallest and the largest key of each window
    for low, high in sorted(highest.items()):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(high, joined[-1][1])
        else:
            joined.append((low, high))
    order = sorted(range(block.size), key=key_of)
    spans = []
    for low, high in joined:
        # The ranges before are no longer sorted by key. But all their keys are smaller, so a bisection works.
        start, stop = bisect_left(order, low, key=key_of), bisect_right(order, high, key=key_of)
        order[start:stop] = sorted(order[start:stop])
        spans.append((start, stop))
    return Windows(order, spans)


class TransitiveClosure:
    """All pairs of a window, as bitsets of n bits per op: n * n / 8 bytes for each attribute.

    Ops are numbered by rising key, ties by textual order. So the ops with a smaller key than a given one are
    among the lowest bits.
    *Independent* ops are neither ancestors nor descendants, so an order can place each pair either way. The
    order has an inversion if it places the larger key first.

    Complexity: O(n + m) operations on bitsets of n bits.

    Take keys 5, 1, 3, where 1 depends on 5. By rising key the ops are 0 (key 1), 1 (key 3) and 2 (key 5).

    >>> closure = TransitiveClosure(Window([5, 1, 3], [True] * 3, Precedence.from_edges(3, [0], [1])))
    >>> closure.place_of, closure.with_descendants, closure.smaller_independent, closure.forced
    ([1, 2, 0], [1, 2, 5], [0, 1, 2], 1)
    """

    def __init__(self, window: Window) -> None:
        self.size = window.size  # number of ops
        self.place_of = inverse(window.keys)  # per op, its place in the window
        self.number_of = inverse(self.place_of)  # per place in the window, the number of its op
        # Per op, the bitset of itself and the ops that it depends on, or that depend on it, directly or not.
        self.with_ancestors, self.with_descendants = relatives(window.precedence, self.number_of)
        # Per op, the bitset of the independent ops with a smaller key, or with a larger one.
        self.smaller_independent: list[int] = []
        self.larger_independent: list[int] = []
        self.forced = 0  # number of forced inversions
        keys = [window.keys[place] for place in self.place_of]
        up_to = {key: (2 << op) - 1 for op, key in enumerate(keys)}  # per key, the ops with no larger key
        below = dict(zip(up_to, [0, *up_to.values()], strict=False))  # per key, the ops with a smaller key
        indexed = sum(1 << op for op, place in enumerate(self.place_of) if window.indexed[place])
        for op, key in enumerate(keys):
            others = indexed if indexed >> op & 1 else 0
            ancestors, descendants = self.with_ancestors[op], self.with_descendants[op]
            smaller, independent = others & below[key], others & ~(ancestors | descendants)
            self.smaller_independent.append(smaller & independent)
            self.larger_independent.append(independent & ~up_to[key])
            self.forced += (smaller & descendants).bit_count()


def relatives(precedence: Precedence, number_of: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the bitsets of the ancestors and of the descendants of each op, each with the op itself.

    In the result, an op has the number in ``number_of``.
    """
    with_ancestors = [1 << op for op in range(precedence.size)]
    with_descendants = with_ancestors[:]
    for producer, user in precedence.forwards():
        with_ancestors[number_of[user]] |= with_ancestors[number_of[producer]]
    for producer, user in precedence.backwards():
        with_descendants[number_of[producer]] |= with_descendants[number_of[user]]
    return with_ancestors, with_descendants


def bits(bitset: int) -> Iterator[int]:
    """Yield the positions of the set bits, lowest first.

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


class CyclePacking:
    """Cycles that every order breaks, no two of which share a soft edge.

    ``order`` is an order of the places of the window, as good as possible. Each of its inversions takes
    memory. The packing keeps the cycles found within the budget.

    Complexity: O(i * n) operations on bitsets of n bits for i broken edges. Most need few operations.

    Take keys 5, 1, 3, where 1 depends on 5. The textual order has 3 after 5: 3 -> 5 is broken, and 1 -> 3
    closes the cycle.

    >>> closure = TransitiveClosure(Window([5, 1, 3], [True] * 3, Precedence.from_edges(3, [0], [1])))
    >>> [closure.place_of[op] for op in CyclePacking(closure, [0, 1, 2], Effort()).cycles()]
    [2, 0, 1, 2]
    """

    def __init__(self, closure: TransitiveClosure, order: Sequence[int], effort: Effort) -> None:
        order = [closure.number_of[place] for place in order]  # as ops of `closure`
        self.broken: list[tuple[int, int]] = []  # the soft edges y -> x that the order breaks
        self._size = closure.size
        self._width = width(closure.size)
        self._from = closure.with_descendants
        self._to = closure.with_ancestors
        # Per op, the starts of the soft edges to it that the order follows.
        followed = [0] * self._size
        before = 0
        for op in order:
            followed[op] = closure.smaller_independent[op] & before
            self.broken += [(op, x) for x in bits(closure.larger_independent[op] & before)]
            before |= 1 << op
        self._free = followed[:]  # the same, for edges that close no cycle
        self._open = followed[:]  # the same, for edges from which no search has failed
        self._ends = [0] * self._size  # per op, the ops after it that have a followed soft edge to them
        ends = 0
        for op in reversed(order):
            self._ends[op] = ends
            if followed[op]:
                ends |= 1 << op
        # A closing edge p -> q is p * size + q; a broken edge is its index in ``broken``.
        self._broken_of: dict[int, int] = {}
        self._closing: dict[int, int] = {}  # the inverse: per broken edge, its closing edge
        with effort.part(PACKING_STEPS) as self._effort:
            self._effort.left -= self._size * self._width + BROKEN_STEPS * len(self.broken)
            self._match()

    def __len__(self) -> int:
        return len(self._closing)

    def cycles(self) -> array[int]:
        """Return the ops of its cycles, four by four: the broken edge y -> x and its closing edge p -> q."""
        cycles = sorted(self._closing.items())
        ends = ((*self.broken[edge], *divmod(closing, self._size)) for edge, closing in cycles)
        return array("i", chain.from_iterable(ends))

    def _match(self) -> None:
        """Match broken edges: first with free closing edges, then by alternating paths."""
        edges = range(len(self.broken))
        for broken in [edge for edge in edges if not (self._effort.is_spent or self._close(edge))]:
            self._augment(broken)

    def _close(self, broken: int) -> bool:
        """Match a broken edge with a free closing edge; return whether there is one."""
        y, x = self.broken[broken]
        from_x, free = self._from[x], self._free
        for q in bits(self._to[y] & self._ends[x]):
            self._effort.left -= self._width
            starts = free[q] & from_x
            if starts:
                self._set_closing(broken, lowest_bit(starts) * self._size + q)
                return True
        return False

    def _set_closing(self, broken: int, edge: int) -> None:
        """Match a broken edge with ``edge``. The one it had goes to the edge before it on the path."""
        self._closing[broken] = edge
        self._broken_of[edge] = broken
        self._free[edge % self._size] &= ~(1 << edge // self._size)

    def _augment(self, start: int) -> None:
        """Match one more broken edge by the shortest alternating path, if there is one."""
        came_from: dict[int, tuple[int, int]] = {}  # per broken edge, the one before it and the edge between
        seen: dict[int, int] = {}  # per op q, the starts p of the closing edges visited
        for last in self._alternating(start, came_from, seen):
            if self._close(last):
                broken = last
                while broken in came_from:
                    broken, edge = came_from[broken]
                    self._set_closing(broken, edge)
                return
        if self._effort.is_spent:
            return
        # A search that failed fails again from every edge that it visited, whatever is matched later.
        for q, starts in seen.items():
            self._open[q] &= ~starts

    def _alternating(
        self, start: int, came_from: dict[int, tuple[int, int]], seen: dict[int, int]
    ) -> Iterator[int]:
        """Yield the broken edges on alternating paths from ``start``, breadth first."""
        queue = deque([start])
        while queue and not self._effort.is_spent:
            broken = queue.popleft()
            yield broken
            y, x = self.broken[broken]
            for q in bits(self._to[y] & self._ends[x]):
                self._effort.left -= self._width
                starts = self._open[q] & self._from[x] & ~seen.get(q, 0)
                if not starts:
                    continue
                seen[q] = seen.get(q, 0) | starts
                for p in bits(starts):
                    edge = p * self._size + q
                    matched = self._broken_of[edge]
                    came_from[matched] = broken, edge
                    queue.append(matched)


def early_ops(window: Window) -> list[int]:
    """Return the indexed ops that are over another, in textual order."""
    smallest_below = window.precedence.smallest_below(window.keys)
    return [op for op in range(window.size) if window.indexed[op] and smallest_below[op] < window.keys[op]]


def late_ops(window: Window, largest_above: Sequence[int]) -> list[int]:
    """Return the indexed ops that are under another, in textual order."""
    return [op for op in range(window.size) if window.indexed[op] and largest_above[op] > window.keys[op]]


def rows_over(
    window: Window, late: Sequence[int], largest_above: Sequence[int], effort: Effort
) -> Iterator[tuple[int, int]]:
    """Yield the ops that are over some of ``late``, last in the text first, each with a bitset of these.

    ``late`` are some late ops, at least one, by rising key: bit i of a bitset is for ``late[i]``. If the
    budget has fewer than 0 steps left, the sweep was cut short.

    One sweep from the last op to the first passes bitsets from users to producers: the late ops that depend
    on an op. An op's bitset is dropped once it has been passed on. A late op leaves the bitset once no
    ancestor has a larger key. So few bitsets are alive at a time, and the sweep ends with the last one.

    Complexity: O(n + m) operations on bitsets. In practice, the sweep is short.

    >>> window = Window([3, 2, 1], [True] * 3, Precedence.from_edges(3, [0, 1], [1, 2]))
    >>> [(op, bin(row)) for op, row in rows_over(window, [2, 1], [3, 3, 3], Effort())]
    [(1, '0b1'), (0, '0b11')]
    """
    keys, indexed, last = window.keys, window.indexed, max(late)
    starts, producers = window.precedence.predecessor_rows
    late_keys = [keys[op] for op in late]
    number_of = {op: number for number, op in enumerate(late)}
    prefixes = [(1 << number) - 1 for number in range(len(late) + 1)]  # the lowest bits: the smallest keys
    smaller = list(map(bisect_left, repeat(late_keys), keys[: last + 1]))  # per op, how many keys are smaller
    arriving: dict[int, int] = {}  # per op not yet visited, the late ops that depend on it, as far as known
    first, left, producer_steps = min(late), effort.left, EDGE_STEPS + width(len(late))
    for op in range(last, -1, -1):
        left -= OP_STEPS
        below = arriving.pop(op, 0)
        if below and indexed[op] and (row := below & prefixes[smaller[op]]):
            yield op, row
        if op in number_of:
            below |= 1 << number_of[op]
        if below and largest_above[op] <= late_keys[-1]:
            below &= prefixes[bisect_left(late_keys, largest_above[op])]
        if below:
            start, stop = starts[op], starts[op + 1]
            left -= producer_steps * (stop - start)
            for producer in producers[start:stop]:
                arriving[producer] = arriving.get(producer, 0) | below
        if left < 0 or (not arriving and op <= first):
            break
    effort.left = left


def count_forced(window: Window, effort: Effort) -> int:
    """Count the forced inversions without a transitive closure, in sweeps for some late ops each.

    If the budget is spent, only those of some late ops are counted.

    Complexity: O(l / b * (n + m)) operations on bitsets of b bits for l late ops, b = 256 .. 16384. In
    practice, sweeps are short.
    """
    largest_above = window.precedence.largest_above(window.keys)
    late = late_ops(window, largest_above)
    fewest, most = effort.limits.sweep_sizes
    batch_size = min(most, max(fewest, effort.limits.sweep_bits // max(window.size, 1)))
    forced = 0
    with effort.part(FORCED_STEPS) as part:
        for start in range(0, len(late), batch_size):
            batch = sorted(late[start : start + batch_size], key=window.keys.__getitem__)
            forced += sum(
                map(int.bit_count, map(itemgetter(1), rows_over(window, batch, largest_above, part)))
            )
            if part.left < 0:
                break
        return forced
