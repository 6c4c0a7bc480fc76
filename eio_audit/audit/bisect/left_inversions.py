"""Since which state the inversions of the last state have been there.

An op is known by its key and its number among the ops of its function with this key, in textual order. Two
ops are inverted in a state if they are in one block, and the one with the greater key comes first. A pair
that is inverted in the last state is charged to the state since which it has been inverted without a break.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from eio_audit.order.inversions import inversions_at

BlockKeys: TypeAlias = Sequence[Sequence[int]]
"""The keys of a function's ops, in textual order: a sequence for each block."""

_Op: TypeAlias = tuple[int, int]
"""An op's key, and its number among the ops with this key."""


def left_by_state(states: Sequence[Mapping[str | None, BlockKeys]], key: int | None = None) -> list[int]:
    """Return, per state, how many inversions of the last state have been there since that state.

    The sum is the number of inversions in the last state.

    Args:
        states: per function, the keys of its blocks that have an inversion.
        key: count only pairs that an op with this key is in; None to count all.

    Complexity: for each state, linear in the keys times the number of ops that are inverted at the end, on
    the bits of integers.

    Example:
        >>> left_by_state([{"@f": [[2, 1, 3]]}, {"@f": []}, {"@f": [[3, 2, 1]]}])
        [0, 0, 3]
    """
    numbers = [0] * len(states)
    for function in states[-1] if states else ():
        for state, number in enumerate(_left([state.get(function, ()) for state in states], key)):
            numbers[state] += number
    return numbers


def _left(states: Sequence[BlockKeys], key: int | None) -> list[int]:
    bits = _bits(_inverted_ops(states[-1]))
    still = _inversions(states[-1], bits)
    if key is not None:
        of_key = sum(bit for op, (bit, _) in bits.items() if op[0] == key)
        still = {op: pairs if op[0] == key else pairs & of_key for op, pairs in still.items()}
    numbers = [0] * len(states)
    for number in range(len(states) - 1, 0, -1):
        before = _inversions(states[number - 1], bits)
        for op, pairs in [*still.items()]:
            kept = pairs & before.get(op, 0)
            numbers[number] += (pairs ^ kept).bit_count()
            if kept:
                still[op] = kept
            else:
                del still[op]
        if not still:
            break
    numbers[0] += sum(pairs.bit_count() for pairs in still.values())
    return numbers


def _bits(ops: Iterable[_Op]) -> dict[_Op, tuple[int, int]]:
    """Return, per op, its bit, and the bits of all ops with lesser keys."""
    bits: dict[_Op, tuple[int, int]] = {}
    for _, same in groupby(sorted(ops), key=itemgetter(0)):
        lesser = (1 << len(bits)) - 1
        for op in same:
            bits[op] = 1 << len(bits), lesser
    return bits


def _inverted_ops(blocks: BlockKeys) -> set[_Op]:
    """Return the ops that are in an inversion."""
    return {
        op
        for ops in _blocks_of_ops(blocks)
        for op, number in zip(ops, inversions_at([key for key, _ in ops]), strict=True)
        if number
    }


def _inversions(blocks: BlockKeys, bits: Mapping[_Op, tuple[int, int]]) -> dict[_Op, int]:
    """Return, per op with inversions, the bits of the ops with lesser keys that come after it."""
    found: dict[_Op, int] = {}
    for ops in _blocks_of_ops(blocks):
        after = 0
        for op in reversed(ops):
            bit, lesser = bits.get(op, (0, 0))
            if pairs := after & lesser:
                found[op] = pairs
            after |= bit
    return found


def _blocks_of_ops(blocks: BlockKeys) -> Iterator[list[_Op]]:
    seen = Counter[int]()
    for keys in blocks:
        ops = []
        for key in keys:
            ops.append((key, seen[key]))
            seen[key] += 1
        yield ops
