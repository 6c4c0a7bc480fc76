"""Since which change each pair of ops has been out of order without a break.

A pair of ops is out of order if both are in one block, and the earlier one has the greater key. The change
that put it out of order is its origin until the pair is in order again, or ends: an op that is gone, that has
lost its key or that is in another block than the other op is in no pair with it.

Pairs are the bits of integers. Each op that is in a pair has a bit among those of its function, and a row: by
origin, the bits of the ops that it should follow.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import accumulate, chain, compress, groupby, islice
from operator import gt, itemgetter, lt, or_
from typing import NamedTuple

from eio_audit.order.permutation import displaced

NO_OPS: Mapping[int, Collection[int]] = {}
INITIAL = -1  # the origin of pairs that no change made: the first state of their function has them


class KeyedOps(NamedTuple):
    """The ops of a block that have a key, in textual order."""

    ops: Sequence[int]  # their numbers
    keys: Sequence[int]  # their keys
    origin: int  # what is charged with its pairs that are new: the number of a change, or INITIAL

    @property
    def is_in_order(self) -> bool:
        """Whether no pair is out of order."""
        return not any(map(gt, self.keys, islice(self.keys, 1, None)))

    def inverted(self) -> list[int]:
        """Return the places of the ops that are in a pair out of order.

        >>> KeyedOps([5, 6, 7, 8], [1, 3, 2, 4], INITIAL).inverted()
        [1, 2]
        """
        greatest, least = accumulate(self.keys, max), accumulate(reversed(self.keys), min)
        is_early, is_late = map(gt, self.keys, [*least][::-1]), map(lt, self.keys, greatest)
        return [*compress(range(len(self.keys)), map(or_, is_early, is_late))]

    def chosen(self, places: Iterable[int]) -> KeyedOps:
        """Return only the ops at some places."""
        places = list(places)
        return KeyedOps([self.ops[k] for k in places], [self.keys[k] for k in places], self.origin)


@dataclass(slots=True, eq=False)
class _Bits:
    ops: list[int] = field(default_factory=list)  # by bit, its op
    free: list[int] = field(default_factory=list)  # the bits that no op has now
    # By the bit of an op, by origin, the bits of the ops after it in the block with lesser keys.
    rows: dict[int, dict[int, int]] = field(default_factory=dict)

    def give(self, op: int) -> int:
        if self.free:
            bit = self.free.pop()
            self.ops[bit] = op
            return bit
        self.ops.append(op)
        return len(self.ops) - 1


class InvertedPairs:
    """The pairs of ops of one program that are out of order, each with its origin.

    Of a block with more than ``most_ops`` ops in pairs, only so many displaced ops are followed.
    """

    def __init__(self, most_ops: int = sys.maxsize) -> None:
        self._most_ops = most_ops
        self.made = Counter[int]()  # by origin, how many pairs it put out of order
        # By origin, how many of these came later, when ops took the place of one in such a pair.
        self.multiplied = Counter[int]()
        self.undone = Counter[int]()  # by origin, how many pairs out of order it put in order
        self.is_partial = False  # whether some block had too many ops to follow all of its pairs
        self._bit_of: dict[int, tuple[_Bits, int]] = {}

    def among(self, ops: Collection[int]) -> set[int]:
        """Return those of some ops that are in a pair."""
        return self._bit_of.keys() & ops

    def replace(self, op: int, successor: int) -> None:
        """Let an op that is in a pair go on under another number."""
        bits, bit = self._bit_of[successor] = self._bit_of.pop(op)
        bits.ops[bit] = successor

    def update(
        self,
        ops: Collection[int],
        blocks: Iterable[KeyedOps],
        replaced: Mapping[int, Collection[int]] = NO_OPS,
    ) -> None:
        """Take the next state of some functions.

        Args:
            ops: all ops of these functions so far. Those that are in none of the blocks are gone.
            blocks: the blocks in which they and new ops are now.
            replaced: by op, other ops so far in whose place it stands. A new pair of it has the origin of the
                pair that one of them was in, the first of several.

        Complexity: linear in the ops; for those that are or were in a pair, times their number, on bits.
        """
        known = self.among(ops)
        all_members = [members for block in blocks if (members := self._followed(block)).ops]
        before = {*chain.from_iterable([*replaced.values(), *(block.ops for block in all_members)])}
        places = {op: self._bit_of[op] for op in self.among(before)} if replaced else {}
        placed = [self._placed(members) for members in all_members]
        released = [*chain.from_iterable(more for _, _, more in placed)]
        inherited = [self._inherited(members, bits, places, replaced) for members, bits, _ in placed]
        for (members, bits, _), origins in zip(placed, inherited, strict=True):
            known.difference_update(members.ops)
            released += self._compare(members, bits, origins)
        for op in known:
            released.append(self._bit_of.pop(op))
        for bits, bit in released:  # only now, as rows of other ops had them
            bits.rows.pop(bit, None)
            bits.free.append(bit)

    def _followed(self, block: KeyedOps) -> KeyedOps:
        """Return the ops of a block that are in a pair, or were in one before."""
        if block.is_in_order:
            return block.chosen(place for place, op in enumerate(block.ops) if op in self._bit_of)
        inverted = block.inverted()
        if len(inverted) > self._most_ops:
            self.is_partial = True
            block = block.chosen(inverted)
            return block.chosen(displaced(block.keys)[: self._most_ops])
        is_inverted = {*inverted}
        return block.chosen(
            place for place, op in enumerate(block.ops) if place in is_inverted or op in self._bit_of
        )

    def _placed(self, members: KeyedOps) -> tuple[KeyedOps, _Bits, list[tuple[_Bits, int]]]:
        """Give the ops of a block bits of one function, that of most. Return the bits they had in others."""
        known = [(op, *self._bit_of[op]) for op in members.ops if op in self._bit_of]
        numbers = Counter(id(bits) for _, bits, _ in known)
        most = max(numbers, key=numbers.__getitem__, default=0)
        home = next((bits for _, bits, _ in known if id(bits) == most), _Bits())
        moved = [(op, bits, bit) for op, bits, bit in known if bits is not home]
        rows = {op: [*_decoded(bits, bit)] for op, bits, bit in moved}
        came_from = {op: bits for op, bits, _ in moved}
        for op in members.ops:
            if op not in self._bit_of or op in came_from:
                self._bit_of[op] = home, home.give(op)
        for op, row in rows.items():
            pairs = Counter[int]()
            for origin, other in row:
                if came_from.get(other) is came_from[op]:
                    pairs[origin] |= 1 << self._bit_of[other][1]
            if pairs:
                home.rows[self._bit_of[op][1]] = {**pairs}
        return members, home, [(bits, bit) for _, bits, bit in moved]

    def _inherited(
        self,
        members: KeyedOps,
        home: _Bits,
        places: Mapping[int, tuple[_Bits, int]],
        replaced: Mapping[int, Collection[int]],
    ) -> dict[int, dict[int, int]]:
        """Return, as in rows, the pairs of the ops that stand in another one's place as it was in them.

        ``places`` has the bits of the ops so far.
        """
        found: dict[int, dict[int, int]] = defaultdict(dict)
        if replaced.keys().isdisjoint(members.ops):
            return found
        # by bit so far, the bits that ops have now of which it is the place
        now: dict[int, tuple[_Bits, dict[int, int]]] = {}
        for op in members.ops:
            for one in (op, *replaced.get(op, ())):
                if one in places:
                    bits, bit = places[one]
                    at = now.setdefault(id(bits), (bits, {}))[1]
                    at[bit] = at.get(bit, 0) | 1 << self._bit_of[op][1]
        for bits, at in now.values():
            stayed = reduce(or_, (one for bit, one in at.items() if bits is home and one == 1 << bit), 0)
            other = reduce(or_, (1 << bit for bit in at), 0) & ~stayed
            for bit, firsts in at.items():
                for origin, pairs in bits.rows.get(bit, {}).items():
                    if pairs & other or not stayed >> bit & 1:
                        seconds = reduce(or_, (at[place] for place in _places(pairs & other)), pairs & stayed)
                        for first in _places(firsts):
                            found[first][origin] = found[first].get(origin, 0) | seconds
        return found

    def _compare(
        self, members: KeyedOps, bits: _Bits, inherited: Mapping[int, Mapping[int, int]]
    ) -> list[tuple[_Bits, int]]:
        """Follow the pairs of a block. Return the bits of the ops that are in no pair now.

        Of ``inherited`` pairs those that are new have the origin given there, the first of several.
        """
        numbers = [self._bit_of[op][1] for op in members.ops]
        lesser, same = _by_key(members.keys, numbers)
        here = reduce(or_, (1 << number for number in numbers))
        after = in_pairs = undone = 0
        made: dict[int, int] = {}
        turned: list[tuple[int, int, int]] = []  # now first, now second, origin
        for number, key in zip(reversed(numbers), reversed(members.keys), strict=True):
            now = after & lesser[key]
            row = bits.rows.pop(number, {})
            was = reduce(or_, row.values(), 0)
            if ended := was & here & ~now:  # the order of an op and its key may change together
                still = ended & ~(after | lesser[key] | same.get(key, 0))
                undone += (ended ^ still).bit_count()
                for origin, pairs in row.items() if still else ():
                    turned += ((first, number, origin) for first in _places(pairs & still))
            if kept := {origin: pairs & now for origin, pairs in row.items() if pairs & now}:
                bits.rows[number] = kept
            if now & ~was:
                made[number] = now & ~was
            if now:
                in_pairs |= now | 1 << number
            after |= 1 << number
        for first, second, origin in turned:
            made[first] ^= 1 << second
            row = bits.rows.setdefault(first, {})
            row[origin] = row.get(origin, 0) | 1 << second
        for number, pairs in made.items():
            for origin, known in (*sorted(inherited.get(number, {}).items()), (members.origin, pairs)):
                if own := pairs & known:
                    row = bits.rows.setdefault(number, {})
                    row[origin] = row.get(origin, 0) | own
                    self.made[origin] += own.bit_count()
                    self.multiplied[origin] += own.bit_count() if origin != members.origin else 0
                    pairs ^= own  # noqa: PLW2901  (what is left for the origins after it)
        self.undone[members.origin] += undone
        freed = [op for op, number in zip(members.ops, numbers, strict=True) if not in_pairs >> number & 1]
        return [self._bit_of.pop(op) for op in freed]

    @property
    def left(self) -> Counter[int]:
        """By origin, how many of its pairs are out of order."""
        numbers = Counter[int]()
        for bits in {id(bits): bits for bits, _ in self._bit_of.values()}.values():
            for row in bits.rows.values():
                for origin, pairs in row.items():
                    numbers[origin] += pairs.bit_count()
        return numbers

    def bits_of(self, ops: Sequence[int]) -> list[int]:
        """Return the bits of the ops of a block. Ops in no pair have a bit that no other op has."""
        known = [self._bit_of[op] for op in ops if op in self._bit_of]
        spare = len(known[0][0].ops) if known else 0
        return [self._bit_of[op][1] if op in self._bit_of else spare for op in ops]

    def row(self, op: int) -> Mapping[int, int]:
        """Return, by origin, the bits of the ops that come after an op and have lesser keys."""
        bits, bit = self._bit_of.get(op, (_Bits(), 0))
        return bits.rows.get(bit, {})

    def at_each(self, ops: Iterable[int]) -> dict[int, Counter[int]]:
        """Return, by op of a block that is in a pair, by origin, in how many pairs it is."""
        found = {op: Counter[int]() for op in ops if op in self._bit_of}
        sums: dict[int, list[int]] = {}
        for op, numbers in found.items():
            for origin, pairs in self.row(op).items():
                numbers[origin] += pairs.bit_count()
                _add(sums.setdefault(origin, []), pairs)
        for origin, digits in sums.items():
            texts = [f"{digit:b}"[::-1] for digit in digits]
            for op, numbers in found.items():
                bit = self._bit_of[op][1]
                numbers[origin] += sum(1 << k for k, text in enumerate(texts) if text[bit : bit + 1] == "1")
        return found

    def of(self, op: int) -> Counter[int]:
        """Return, by origin, in how many pairs an op is."""
        numbers = Counter({origin: pairs.bit_count() for origin, pairs in self.row(op).items()})
        bits, bit = self._bit_of.get(op, (_Bits(), 0))
        for row in bits.rows.values():
            for origin, pairs in row.items():
                numbers[origin] += pairs >> bit & 1
        return numbers


def _add(digits: list[int], bits: int) -> None:
    """Add 1 to the numbers at some bits. ``digits`` has their binary digits, least first."""
    for place, digit in enumerate(digits):
        digits[place], bits = digit ^ bits, digit & bits
    if bits:
        digits.append(bits)


def _decoded(bits: _Bits, bit: int) -> Iterator[tuple[int, int]]:
    """Yield the origin and the second op of each pair with a first op."""
    for origin, pairs in bits.rows.get(bit, {}).items():
        yield from ((origin, bits.ops[place]) for place in _places(pairs))


def _places(bits: int) -> Iterator[int]:
    return (place for place, digit in enumerate(reversed(f"{bits:b}")) if digit == "1")


def _by_key(keys: Sequence[int], numbers: Sequence[int]) -> tuple[dict[int, int], dict[int, int]]:
    """Return, by key, the bits of all ops with lesser keys, and those with the same, if several have it."""
    lesser, same, below = {}, {}, 0
    for key, group in groupby(sorted(zip(keys, numbers, strict=True), key=itemgetter(0)), itemgetter(0)):
        equal = [1 << number for _, number in group]
        lesser[key] = below
        if len(equal) > 1:
            same[key] = reduce(or_, equal)
        below |= reduce(or_, equal)
    return lesser, same
