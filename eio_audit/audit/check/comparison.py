"""Which ops of a block the original order compares.

The original order is that of a tree: an op with regions covers the indices from its own up to the largest
inside it. After a pass, some pairs of ops have no order in it: an op and the region that it left, two copies
of a loop body, a terminator and any op. Each class of such pairs is a step. A step takes the keys of a block
and returns keys in which these pairs are in order and all others are as they were. So the pairs that it puts
in order are those of its class, and the keys after the last step are those that a gate judges.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import compress, count, pairwise, starmap
from operator import gt
from typing import NamedTuple, TypeAlias

from eio_audit.audit.check.keyed_dump import KeyedDump
from eio_audit.audit.pair_class import PairClass
from eio_audit.mlir.semantics.accesses import VALUE_CASTS
from eio_audit.mlir.semantics.functions import ends_block
from eio_audit.order.permutation import keyed_inversions
from eio_audit.order.precedence import Precedence

Keys: TypeAlias = Sequence[int | None]
_Token: TypeAlias = tuple[int, int]  # the key and the name of an op


class _Body(NamedTuple):
    """The body of a loop that has copies in a block."""

    low: int  # the smallest key that several copies have
    high: int  # the largest one
    starts: list[int]  # where each copy but the first starts, among the ops with keys


class Comparison(NamedTuple):
    """What of a block can be compared."""

    keys: Keys  # by place, the key of the comparable order; None for an op that has no place in it
    # The classes that occur, each with the keys after its step, and how many inversions it explains.
    steps: tuple[tuple[PairClass, Keys], ...]
    numbers: Counter[PairClass]

    def class_of(self, early: int, late: int) -> PairClass | None:
        """Return the class of an inverted pair that is not comparable; None for any other pair."""
        return next((one for one, keys in self.steps if not is_inverted(keys, early, late)), None)


def is_inverted(keys: Keys, early: int, late: int) -> bool:
    """Return whether two ops are inverted, the earlier one first."""
    first, second = keys[early], keys[late]
    return first is not None and second is not None and first > second


def compare(dump: KeyedDump, block: int, keys: Keys, inversions: int) -> Comparison:
    """Compare the ops of a block with so many ``inversions``.

    Complexity: O(n log n) for a block of n ops.
    """
    steps, numbers = [], Counter[PairClass]()
    for one, step in STEPS.items():
        changed = step(dump, block, keys) if inversions else keys
        if changed is not keys and (left := keyed_inversions(changed)) < inversions:
            numbers[one], inversions, keys = inversions - left, left, changed
            steps.append((one, keys))
    return Comparison(keys, tuple(steps), numbers)


def without(keys: Keys, places: Iterable[int]) -> Keys:
    """Return the keys without those of the ops at some places. The same object if there are none."""
    places = list(places)
    if not places:
        return keys
    changed = list(keys)
    for place in places:
        changed[place] = None
    return changed


def _without_terminators(dump: KeyedDump, block: int, keys: Keys) -> Keys:
    """A terminator can stand nowhere else."""
    ir = dump.ir
    last, own = ir.block_ops[block][-1], keys[-1]
    if own is None or own == max(key for key in keys if key is not None):
        return keys  # it is in no inversion
    name, table = ir.name(last), ir.op_table
    is_listed = "terminator" in table.flags(name)
    is_terminator = is_listed or (table.may_be_terminator(name) and ends_block(ir, last))
    return without(keys, [len(keys) - 1] if is_terminator else [])


def _without_pieces(dump: KeyedDump, block: int, keys: Keys) -> Keys:
    """The pieces of a lowered region op carry its index, and stand all over what was its range."""
    ops, pieces = dump.ir.block_ops[block], dump.keys.pieces
    return without(keys, (place for place, op in enumerate(ops) if op in pieces))


CASTS = VALUE_CASTS | {"bufferization.to_buffer", "bufferization.to_memref", "bufferization.to_tensor"}
"""What conversions leave where types meet."""
PACKING = frozenset({"llvm.insertvalue", "llvm.mlir.poison", "llvm.mlir.undef"})
"""What packs a descriptor."""


def _without_casts(dump: KeyedDump, block: int, keys: Keys) -> Keys:
    """The casts that conversions leave follow what they serve.

    So do the ops of one index that pack one value. In a program of LLVM each of these has its own index.
    """
    ir = dump.ir
    is_cast, packs = ([name in names for name in ir.names] for names in (CASTS, PACKING))
    if not any(is_cast) and not any(packs):
        return keys
    names = ir.of_block(block, ir.op_name)
    casts = {*compress(ir.block_ops[block], map(is_cast.__getitem__, names))}
    for op in compress(ir.block_ops[block], map(packs.__getitem__, names)):
        for owner in map(ir.value_owner.__getitem__, ir.operands_of(op)):
            if owner >= 0 and packs[ir.op_name[owner]] and dump.keys.by_op[owner] == dump.keys.by_op[op]:
                casts |= {op, owner}
    return without(keys, (place for place, op in enumerate(ir.block_ops[block]) if op in casts))


def _beside_regions(dump: KeyedDump, block: int, keys: Keys) -> Keys:
    """An op that left a region stands neither before nor after it.

    The op with the region takes the largest key before it that lies in its range, but none above such a key
    after it. So it is in order with all ops that left it, unless these are out of order themselves.
    """
    regions = dump.ir.regions_of
    with_regions = [(place, op) for place, op in enumerate(dump.ir.block_ops[block]) if op in regions]
    ascending = sorted(key for key in keys if key is not None) if with_regions else []
    changed = list(keys)
    for place, op in with_regions:
        if (own := keys[place]) is None:
            continue
        end = dump.keys.range_end(op)
        if bisect_right(ascending, own) == bisect_right(ascending, end):
            continue  # no other op has a key in its range
        left = [(other, key) for other, key in enumerate(changed) if key is not None and own < key <= end]
        if before := [key for other, key in left if other < place]:
            changed[place] = min(max(before), *(key for other, key in left if other > place), end)
    return changed if changed != list(keys) else keys


def _apart_by_copies(dump: KeyedDump, block: int, keys: Keys) -> Keys:
    """The copies of a loop body, as unrolling makes them, stand one after another.

    In the new keys, an op with a key of the body stands behind all ops of the copies before its own.
    """
    unrolled = _Unrolled(dump, block, keys)
    bodies = unrolled.bodies()
    if not bodies:
        return keys
    lows, new = [body.low for body in bodies], dict[int, tuple[int, int, int]]()
    for number, (place, key) in enumerate(zip(unrolled.places, unrolled.keys, strict=True)):
        low, high, starts = bodies[bisect_right(lows, key) - 1]
        in_body = low <= key <= high
        new[place] = (low, bisect_right(starts, number), key) if in_body else (key, 0, key)
    rank = {key: rank for rank, key in enumerate(sorted({*new.values()}))}
    return [rank[new[place]] if place in new else None for place in range(len(keys))]


class _Unrolled:
    """The ops of a block that have keys. They are numbered from 0."""

    def __init__(self, dump: KeyedDump, block: int, keys: Keys) -> None:
        self._dump = dump
        self._block = block
        self.places = [place for place, key in enumerate(keys) if key is not None]
        self.keys = [key for key in keys if key is not None]
        self._names = dump.ir.of_block(block, dump.ir.op_name)

    def bodies(self) -> list[_Body]:
        """Return the loop bodies that have copies, by rising keys, which do not overlap.

        A copy is a run of ops whose keys do not fall. It shares ops of two keys or more with the copies
        before it, key and name alike. One of the two may lack ops of the other, which were merged or folded.
        It has the last op of the run before it, and begins with one of the shared ops: so it follows its
        original, and nothing stands between the two but what only the copy uses.
        """
        falls = compress(count(1), starmap(gt, pairwise(self.keys)))
        found: list[_Body] = []
        before, known, body, starts = 0, set[_Token](), set[_Token](), list[int]()
        for start, end in pairwise((*falls, len(self.keys))):
            if self.keys[start - 1] in self.keys[start:end]:  # few runs may be copies
                known, run = known or {*self._tokens(before, start)}, self._tokens(start, end)
                twins = known.intersection(run) if self._tokens(start - 1, start)[0] in run else set()
                first = next((k for k, token in enumerate(run) if token in twins), 0)
                if (
                    len({key for key, _ in twins}) > 1
                    and _is_part(twins, run[first:], known)
                    and self._serve(range(start, start + first), {*run[:first], *twins, *body}, twins)
                ):
                    body |= twins.union(run[:first])
                    known |= {*run}
                    starts.append(start)
                    continue
            found += _body(body, starts)
            before, known, body, starts = start, set(), set(), []
        return _merged([*found, *_body(body, starts)])

    def _tokens(self, start: int, end: int) -> list[_Token]:
        names = map(self._names.__getitem__, self.places[start:end])
        return list(zip(self.keys[start:end], names, strict=True))

    @cached_property
    def _token_at(self) -> Mapping[int, _Token]:
        return dict(zip(self.places, self._tokens(0, len(self.places)), strict=True))

    def _serve(self, ops: Sequence[int], copy: Collection[_Token], others: Collection[_Token]) -> bool:
        """Return whether the values of some ops go to a copy alone, and come from no other copy."""
        for place in map(self.places.__getitem__, ops):
            served = {self._token_at.get(user) for user in self._values.successors(place)}
            came_from = {self._token_at.get(producer) for producer in self._values.predecessors(place)}
            if not served or not served <= {*copy} or not came_from.isdisjoint(others):
                return False
        return True

    @property
    def _values(self) -> Precedence:
        return self._dump.dependences.of([self._block])[self._block].values


def _is_part(twins: Collection[_Token], run: Iterable[_Token], known: Collection[_Token]) -> bool:
    """Return whether one of two runs has all ops of the other, among the keys of the ops that both have."""
    low, high = min(twins)[0], max(twins)[0]
    one, other = ({token for token in tokens if low <= token[0] <= high} for tokens in (run, known))
    return one <= other or other <= one


def _body(shared: Collection[_Token], starts: list[int]) -> list[_Body]:
    return [_Body(min(shared)[0], max(shared)[0], starts)] if shared else []


def _merged(bodies: Sequence[_Body]) -> list[_Body]:
    merged: list[_Body] = []
    for low, high, starts in sorted(bodies):
        if merged and low <= merged[-1].high:
            first = merged.pop()
            merged.append(_Body(first.low, max(first.high, high), sorted(first.starts + starts)))
        else:
            merged.append(_Body(low, high, starts))
    return merged


STEPS: dict[PairClass, Callable[[KeyedDump, int, Keys], Keys]] = {
    PairClass.TERMINATOR: _without_terminators,
    PairClass.REGION_OP: _without_pieces,
    PairClass.SERVING: _without_casts,
    PairClass.LEFT_REGION: _beside_regions,
    PairClass.COPY: _apart_by_copies,
}
"""The steps, in the order in which they take their pairs."""
