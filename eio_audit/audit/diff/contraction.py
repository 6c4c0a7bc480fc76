"""The dataflow of two dumps without the ops that passes add and remove freely.

Passes insert, move and cancel casts, permutes, reshapes and broadcasts. Then the types and neighbours of a
whole chain differ, though the same is computed. So an op with one operand and one result is *passed over* if
ops of its kind are not equally many in both dumps: a user of its result counts as a user of its operand.
An operand that is only a place for the result (``tensor.empty``) does not count.

Passes also wrap ops in regions: ``arith.addf`` on tensors becomes a ``linalg.generic`` with ``arith.addf`` on
numbers in its region. Such a *wrapper* is passed over too: its block arguments stand for its operands, and
its results for the operands of the last op in its block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Mapping
from copy import copy

from eio_audit.audit.diff.compared_dump import ComparedOps, Users


def contracted(before: ComparedOps, after: ComparedOps) -> tuple[ComparedOps, ComparedOps] | None:
    """Both dumps with other ``producers`` and ``users``: each the first that is not passed over.

    An op that is passed over has none of either. The result is None if there is no such op.
    """
    kinds = _kinds_not_equally_many(before, after)
    sides = _contracted(before, kinds, {}), _contracted(after, kinds, {})
    is_same = all(side.producers == ops.producers for side, ops in zip(sides, (before, after), strict=True))
    return None if is_same else sides


def unwrapped(
    before: ComparedOps, after: ComparedOps, matched: tuple[Container[int], Container[int]]
) -> tuple[ComparedOps, ComparedOps] | None:
    """As ``contracted``, and wrappers are passed over. The result is None if there is no wrapper.

    The ops that were in a wrapper count as in the block around it.

    Args:
        before: one dump.
        after: the other.
        matched: by dump, the ops that the other has too. They are no wrappers.
    """
    wrappers = _wrappers(before, matched[0]), _wrappers(after, matched[1])
    if not any(wrappers):
        return None
    kinds = _kinds_not_equally_many(before, after)
    return _contracted(before, kinds, wrappers[0]), _contracted(after, kinds, wrappers[1])


def _kinds_not_equally_many(before: ComparedOps, after: ComparedOps) -> set[Hashable]:
    was, now = Counter(_kinds(before)), Counter(_kinds(after))
    return {kind for kind in was.keys() | now.keys() if was[kind] != now[kind]}


def _kinds(ops: ComparedOps) -> list[Hashable]:
    """By op, its name, or if it has regions its name and the names of the ops in them."""
    kinds: list[Hashable] = list(ops.names)
    for op in ops.blocks_of:
        if op >= 0:
            kinds[op] = ops.names[op], ops.names_inside(op)
    return kinds


def _contracted(ops: ComparedOps, kinds: Container[Hashable], wrappers: Mapping[int, int]) -> ComparedOps:
    """The ops without those of the kinds that pass a value on, and without the wrappers, by their block."""
    side = copy(ops)
    side.blocks_of = {}
    side.op_blocks = list(ops.op_blocks)
    side.producers = []
    ends = {ops.ir.block_ops[block][-1]: wrapper for wrapper, block in wrappers.items()}
    makes_place = {name for name in {*ops.names} if name.endswith(".empty")}
    empty = {op for op, name in enumerate(ops.names) if name in makes_place and not ops.producers[op]}
    kind_of = _kinds(ops)
    passed_on: dict[tuple[int, int], tuple[int, int]] = {}  # by value that is passed over, the one behind it
    for op, operands in enumerate(ops.producers):
        if wrappers and (parent := ops.ir.parent_op(ops.op_blocks[op])) in wrappers:
            side.op_blocks[op] = side.op_blocks[parent]
        found = [passed_on.get(value, value) for value in operands if value[0] not in empty]
        owner = ends.get(op)
        if (
            kind_of[op] in kinds
            and len(found) == 1 == ops.ir.result_count(op)
            and len(ops.names_inside(op)) < 2
        ):
            owner = op
        if op in wrappers:
            owner = -1 - wrappers[op]
        if owner is not None:
            passed_on.update(((owner, number), value) for number, value in enumerate(found))
            found = []
        side.producers.append(tuple(found))
    side.users = Users(side.producers)
    return side


def _wrappers(ops: ComparedOps, matched: Container[int]) -> dict[int, int]:
    """By op that wraps others, its only block."""
    return {
        op: blocks[0]
        for op, blocks in ops.blocks_of.items()
        if op >= 0 and op not in matched and len(blocks) == 1 and _wraps(ops, op, blocks[0])
    }


def _wraps(ops: ComparedOps, op: int, block: int) -> bool:
    """Whether the last op of the block hands on the op's results, and the block can use its operands."""
    inside, results = ops.ir.block_ops[block], ops.ir.result_count(op)
    return (
        bool(inside)
        and ops.ir.result_count(inside[-1]) == 0 < results == len(ops.producers[inside[-1]])
        and ops.argument_counts[block] in (0, len(ops.producers[op]))
    )
