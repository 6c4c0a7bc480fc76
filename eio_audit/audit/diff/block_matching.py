"""Matches the blocks of two dumps, and their arguments, once some of their ops are matched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from typing import TypeVar

from eio_audit.audit.diff.compared_dump import ComparedOps

Value = tuple[int, int]
"""A value by its op and the number of the result, or by ``-1 - block`` and the number of the argument."""

T = TypeVar("T", int, Value)


def match_blocks(
    before: ComparedOps,
    after: ComparedOps,
    ops: Mapping[int, int],
    same_form: Container[str],
    functions: Mapping[int, int],
) -> dict[int, int]:
    """Match blocks by their place in an op that both dumps have, or else by the ops in them.

    Args:
        before: one dump.
        after: the other.
        ops: by op of the dump before, the op it became.
        same_form: names of ops that both dumps print in one and the same form.
        functions: by function op of the dump before, the op of the same function after. Its entry block
            stays the entry block, even if the op itself is another one now.
    """
    blocks = {
        before.blocks_of[old][0]: after.blocks_of[new][0]
        for old, new in functions.items()
        if ops.get(old, new) == new
    }
    blocks |= _only_blocks(before, after, ops, same_form)
    taken = set(blocks.values())
    votes = Counter(
        (block, after.ir.op_block[ops[old]])
        for block, inside in enumerate(before.ir.block_ops)
        if block not in blocks
        for old in inside
        if old in ops and after.ir.op_block[ops[old]] not in taken
    )
    return blocks | _one_to_one(votes)


def _only_blocks(
    before: ComparedOps, after: ComparedOps, ops: Mapping[int, int], same_form: Container[str]
) -> Iterator[tuple[int, int]]:
    """The blocks that are alone in the same region of an op that both dumps have.

    A custom form may print the regions of an op in another order than the generic form does.
    """
    for old, old_blocks in before.blocks_of.items():
        new = ops.get(old)
        if new is None or (len(old_blocks) > 1 and before.names[old] not in same_form):
            continue
        was = {before.region_places[block]: block for block in old_blocks}
        now = {after.region_places[block]: block for block in after.blocks_of.get(new, ())}
        for (region, place), block in was.items():
            is_alone = place == 0 and (region, 1) not in was and (region, 1) not in now
            if is_alone and (region, 0) in now:
                yield block, now[region, 0]


def match_arguments(
    before: ComparedOps, after: ComparedOps, ops: Mapping[int, int], blocks: Mapping[int, int]
) -> dict[Value, Value]:
    """Match the arguments of matched blocks by number; by their users where a block has more or fewer now."""
    was, now = before.argument_counts, after.argument_counts
    by_number = {
        (-1 - old, number): (-1 - new, number)
        for old, new in blocks.items()
        if was[old] == now[new]
        for number in range(was[old])
    }
    changed = {-1 - old: -1 - new for old, new in blocks.items() if was[old] != now[new]}
    votes: Counter[tuple[Value, Value]] = Counter()
    for old, new in ops.items() if changed else ():
        for a, b in zip(before.producers[old], after.producers[new], strict=False):
            if changed.get(a[0]) == b[0]:
                votes[a, b] += 1
    return by_number | _one_to_one(votes)


def _one_to_one(votes: Counter[tuple[T, T]]) -> dict[T, T]:
    """The pairs with most votes, each left and right side once."""
    chosen: dict[T, T] = {}
    taken: set[T] = set()
    for (left, right), _ in sorted(votes.items(), key=lambda item: (-item[1], item[0])):
        if left not in chosen and right not in taken:
            chosen[left] = right
            taken.add(right)
    return chosen
