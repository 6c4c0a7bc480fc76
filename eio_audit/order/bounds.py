"""A proven lower bound on the inversions of any order: forced inversions, and squeezes on top of them.

*Forced*: a and b with key(a) > key(b), where b depends on a, directly or not. They are inverted in every
order.

*Squeezed*: an op c with key(b) < key(c) < key(a) that is independent of both ends of a forced inversion
(a, b). Either c comes after a, and (a, c) is an inversion, or it comes before a, thus before b, and (c, b)
is one. Neither pair is forced, so this is one inversion more. Triples (a, c, b) no two of which share one of
these pairs each cost an inversion of their own, so the forced inversions and the size of any such *packing*
add up to a lower bound. Cutting the packing short makes the bound weaker, never wrong.

Finding the true minimum is NP-hard (Brandenburg, Gleissner, Hofmeier, "Comparing and aggregating partial
orders with Kendall tau distances", 2013). On the blocks that compilers make, this bound certifies most
results all the same.

Sets of ops are bitsets: Python integers with one bit per op. They hold only ops that can be an end of a
forced inversion:

- an *early* op has a smaller key among its descendants: it stands early because someone needs it;
- a *late* op has a larger key among its ancestors: it stands late because it waits for someone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import accumulate
from operator import or_

from eio_audit.order.bitsets import bits, lowest_bit, prefix
from eio_audit.order.windows import Window

SWEEP_BITS = 1 << 30  # what the bitsets of one sweep for forced inversions may hold together
SWEEP_EARLY_LIMITS = (256, 4096)  # fewest and most early ops that one such sweep follows
FORCED_STEPS = 30_000_000  # ops and dependences visited while counting the forced inversions of one window
SQUEEZE_BITS = 1 << 30  # what the bitsets of one window may hold together while squeezes are packed
SQUEEZE_STEPS = 2_000_000  # early ops looked at while packing the squeezes of one window


@dataclass(frozen=True, slots=True)
class LowerBound:
    """What every order of a window has to pay.

    Attributes:
        forced: inverted pairs where one op depends on the other.
        knock_on: further inversions, proven by a packing of squeezes or by a search (exact.py).
        forced_complete: False when counting forced pairs was cut short: ``forced`` is then too small.
    """

    forced: int
    knock_on: int
    forced_complete: bool

    @property
    def total(self) -> int:
        """No order has fewer inversions than this."""
        return self.forced + self.knock_on

    def raised(self, total: int) -> LowerBound:
        """Return the bound with what a search has proven: no order has fewer inversions than ``total``."""
        return replace(self, knock_on=max(self.knock_on, total - self.forced))


def lower_bound(window: Window) -> LowerBound:
    """Return a proven lower bound on the inversions of any order of ``window``."""
    forced, complete = count_forced(window)
    textual = window.inversions(range(window.size))
    knock_on = pack_squeezes(window) if forced < textual else 0
    return LowerBound(forced, knock_on, complete)


# --- forced inversions ------------------------------------------------------------------------------------


def count_forced(window: Window, steps: int = FORCED_STEPS) -> tuple[int, bool]:
    """Count the forced inversions, without building a transitive closure.

    Early ops are taken some thousands at a time. For each such batch one sweep over the window hands on, from
    producer to user, the bitset of those early ops that the user depends on. An op's bitset is dropped as
    soon as it has been handed on, and an early op leaves it once no descendant has a smaller key, so what
    is held at a time is narrow, and a sweep ends where its last bit is dropped.

    Args:
        window: the ops to count among.
        steps: how many ops and dependences may be visited, over all sweeps.

    Returns:
        The number of forced inversions found, and whether that is all of them: False when the steps ran out.

    Complexity: O(e / b * (n + m)) operations on bitsets of b bits for e early ops, b = 256 .. 4096; in
    practice sweeps are short.

    Example:
        Key 3 before 2 before 1, each a user of the one before: all three pairs are forced.

        >>> from eio_audit.order.precedence import Precedence
        >>> count_forced(Window([3, 2, 1], [True] * 3, Precedence.from_edges(3, [0, 1], [1, 2])))
        (3, True)
    """
    smallest_below = window.smallest_keys_below()
    early = _early_ops(window, smallest_below)
    fewest, most = SWEEP_EARLY_LIMITS
    batch_size = min(most, max(fewest, SWEEP_BITS // max(window.size, 1)))
    forced = 0
    for start in range(0, len(early), batch_size):
        counted, steps = _sweep_forced(window, early[start : start + batch_size], smallest_below, steps)
        forced += counted
        if steps < 0:
            break
    return forced, steps >= 0


def _early_ops(window: Window, smallest_below: Sequence[int]) -> list[int]:
    """Return the indexed ops with a smaller key among their descendants, in textual order."""
    return [op for op in range(window.size) if window.indexed[op] and smallest_below[op] < window.keys[op]]


def _sweep_forced(
    window: Window, early: Sequence[int], smallest_below: Sequence[int], steps: int
) -> tuple[int, int]:
    """Count the forced inversions that start at one of ``early``, given in textual order.

    Returns:
        The count, and the steps left; fewer than 0 when the sweep was cut short.
    """
    # Bits by falling key: the early ops with a key larger than a given one are a prefix, the lowest bits.
    falling = sorted(early, key=lambda op: -window.keys[op])
    negated_keys = [-window.keys[op] for op in falling]
    bit_of = {op: 1 << place for place, op in enumerate(falling)}
    last_early = early[-1]
    forced = 0
    arriving: dict[int, int] = {}  # per op still ahead: its early ancestors, as far as handed on
    for op in range(early[0], window.size):
        steps -= 1
        ancestors = arriving.pop(op, 0)
        if ancestors and window.indexed[op]:
            forced += (ancestors & prefix(negated_keys, -window.keys[op])).bit_count()
        handed_on = (ancestors | bit_of.get(op, 0)) & prefix(negated_keys, -smallest_below[op])
        if handed_on:
            users = window.precedence.successors(op)
            steps -= len(users)
            for user in users:
                arriving[user] = arriving.get(user, 0) | handed_on
        if steps < 0 or (not arriving and op >= last_early):
            break
    return forced, steps


# --- squeezes ---------------------------------------------------------------------------------------------


def pack_squeezes(window: Window, most_bits: int = SQUEEZE_BITS, steps: int = SQUEEZE_STEPS) -> int:
    """Return the size of a packing of squeezes (see ``squeezes``).

    Example:
        Keys 5, 1, 3, where 1 depends on 5: wherever 3 goes, it is squeezed.

        >>> from eio_audit.order.precedence import Precedence
        >>> pack_squeezes(Window([5, 1, 3], [True] * 3, Precedence.from_edges(3, [0], [1])))
        1
    """
    return sum(1 for _ in squeezes(window, most_bits, steps))


def squeezes(
    window: Window, most_bits: int = SQUEEZE_BITS, steps: int = SQUEEZE_STEPS
) -> Iterator[tuple[int, int, int]]:
    """Yield a packing of squeezes: triples (a, c, b) no two of which share {a, c} or {c, b}.

    For one op c this is a bipartite matching: early ops a with a larger key on one side, late ops b with a
    smaller key on the other, an edge where (a, b) is a forced inversion; a and b independent of c, and their
    pairs with it not used up by an op before. Ops that are neither early nor late themselves go first:
    their pairs are in nobody else's way.

    Args:
        window: the ops to bound.
        most_bits: how much the bitsets of ancestors and descendants may hold. Where they would get larger,
            only the early and the late ops that reach furthest take part.
        steps: how many early ops to look at, over all matchings; then the packing stays as it is.
    """
    packing = _Packing(window, most_bits, steps)
    indexed_ops = [op for op in range(window.size) if window.indexed[op]]
    for op in sorted(indexed_ops, key=lambda op: (packing.is_end(op), window.keys[op])):
        for early, late in packing.squeeze(op):
            yield early, op, late


def _early_ancestors(window: Window, most: int) -> tuple[list[int], list[int]]:
    """Find the early ops, and whose ancestors they are.

    Args:
        window: the ops to look at.
        most: how many early ops to take; where there are more, those that reach down furthest.

    Returns:
        The early ops by falling key, and for each op of the window the bitset of the early ones among its
        ancestors (bit i for the i-th early op), as far as they have a larger key than it or a descendant.
    """
    smallest_below = window.smallest_keys_below()
    early = _early_ops(window, smallest_below)
    if len(early) > most:
        early = nsmallest(most, early, key=lambda op: (smallest_below[op] - window.keys[op], op))
    early.sort(key=lambda op: -window.keys[op])
    negated_keys = [-window.keys[op] for op in early]
    bit_of = {op: 1 << place for place, op in enumerate(early)}
    ancestors_of = [0] * window.size
    for op in range(window.size):
        ancestors = 0
        for producer in window.precedence.predecessors(op):
            ancestors |= ancestors_of[producer] | bit_of.get(producer, 0)
        if ancestors:
            ancestors_of[op] = ancestors & prefix(negated_keys, -smallest_below[op])
    return early, ancestors_of


class _Packing:
    """The pairs used up by the squeezes packed so far, and the steps left.

    Bitsets of early ops number them by falling key, bitsets of late ops by rising key, so that those with a
    larger, or smaller, key than a given one are a prefix.
    """

    def __init__(self, window: Window, most_bits: int, steps: int) -> None:
        self._keys = window.keys
        self._steps = steps
        most = most_bits // (2 * max(window.size, 1))
        self._early, self._early_above = _early_ancestors(window, most)
        # Late ops are the early ops of the mirrored window, descendants are ancestors there.
        mirrored_late, mirrored_below = _early_ancestors(window.mirrored(), most)
        self._late = [window.size - 1 - op for op in mirrored_late]
        self._late_below = mirrored_below[::-1]
        self._negated_early_keys = [-window.keys[op] for op in self._early]
        self._late_keys = [window.keys[op] for op in self._late]
        self._place_in_early = {op: place for place, op in enumerate(self._early)}
        self._place_in_late = {op: place for place, op in enumerate(self._late)}
        # Per op, the early and the late ops it forms a used pair with.
        self._used_early = [0] * window.size
        self._used_late = [0] * window.size
        # Per early op, the late ops it forms a forced inversion with: those below it with a smaller key.
        self._forced_with = [
            self._late_below[op] & prefix(self._late_keys, window.keys[op]) for op in self._early
        ]
        # Early ops by the smallest key they are forced with, and the bitset of each prefix of that sequence.
        by_target = sorted(
            (self._late_keys[lowest_bit(late_ops)], place)
            for place, late_ops in enumerate(self._forced_with)
            if late_ops
        )
        self._target_keys = [key for key, _ in by_target]
        self._early_by_target = list(accumulate((1 << place for _, place in by_target), or_, initial=0))

    def is_end(self, op: int) -> bool:
        """Return whether ``op`` is early or late, so that other squeezes may use it as an end."""
        return op in self._place_in_early or op in self._place_in_late

    def squeeze(self, op: int) -> list[tuple[int, int]]:
        """Add as many triples around ``op`` as fit, and return their ends: early op, late op."""
        key = self._keys[op]
        # The early ops that are forced with a smaller key than this, and have a larger one.
        spanning = self._early_by_target[bisect_left(self._target_keys, key)]
        spanning &= prefix(self._negated_early_keys, -key)
        larger = spanning & ~self._early_above[op] & ~self._used_early[op]
        if not larger or self._steps <= 0:
            return []
        smaller = prefix(self._late_keys, key) & ~self._late_below[op] & ~self._used_late[op]
        ends = [
            (self._early[early], self._late[late]) for late, early in self._match(larger, smaller).items()
        ]
        if self.is_end(op):
            for early_op, late_op in ends:
                self._use_pair(op, early_op)
                self._use_pair(op, late_op)
        return ends

    def _use_pair(self, op: int, other: int) -> None:
        """Note that a triple uses this pair, for the squeezes around either of the two."""
        for one, two in ((op, other), (other, op)):
            if one in self._place_in_early:
                self._used_early[two] |= 1 << self._place_in_early[one]
            if one in self._place_in_late:
                self._used_late[two] |= 1 << self._place_in_late[one]

    def _match(self, larger: int, smaller: int) -> dict[int, int]:
        """Match early ops of the bitset ``larger`` with late ops of ``smaller``, along forced inversions.

        The matching is maximum unless the steps run out: it grows by augmenting paths until there is none
        (Berge 1957).

        Returns:
            The place among the early ops of each partner, by the place among the late ops.
        """
        partner_of: dict[int, int] = {}
        free = smaller
        for early in bits(larger):
            if not free or self._steps <= 0:
                break
            self._steps -= 1
            if not self._forced_with[early] & smaller:
                continue
            path, searched = self._augmenting_path(early, smaller, free, partner_of)
            if not path:
                # What a failed search has seen leads nowhere later either.
                smaller &= ~searched
                continue
            partner_of.update(path)
            free &= ~(1 << path[0][0])
        return partner_of

    def _augmenting_path(
        self, start: int, smaller: int, free: int, partner_of: dict[int, int]
    ) -> tuple[list[tuple[int, int]], int]:
        """Search breadth first, from an early op without a partner to a late op without one.

        Returns:
            The new couples (late, early) along the path, that of the free late op first; empty when there is
            no path. And for that case the bitset of the late ops searched.
        """
        reached_from: dict[int, int] = {}  # late op: the early op whose forced inversion led to it
        present_partner: dict[int, int] = {}  # early op: the late op it is matched with so far
        unseen = smaller
        queue = deque([start])
        while queue:
            self._steps -= 1
            early = queue.popleft()
            options = self._forced_with[early] & unseen
            if options & free:
                late = lowest_bit(options & free)
                path = [(late, early)]
                while early != start:
                    late = present_partner[early]
                    early = reached_from[late]
                    path.append((late, early))
                return path, 0
            unseen &= ~options
            for late in bits(options):
                reached_from[late] = early
                present_partner[partner_of[late]] = late
                queue.append(partner_of[late])
        return [], smaller & ~unseen
