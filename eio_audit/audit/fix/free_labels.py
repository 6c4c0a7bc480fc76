"""The labels of ops that only free, where they follow their last use and labels are put right.

Such a free counts in no inversion, but its label is read all the same: by a check that does not follow frees,
and by code generation. So its label must not be below that of the last op before it, nor above that of the
next op after it. Of the frees between two ops as many as possible keep their labels: a longest sequence that
is in order. Each other takes the label of the op before it, at the start of a block that of the op after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from eio_audit.audit.check.check import AuditedDump
from eio_audit.audit.options import Follow
from eio_audit.order.displaced import displaced


def donors_of_frees(
    dump: AuditedDump, orders: Mapping[int, Sequence[int]], index_of: Sequence[int | None]
) -> dict[int, int]:
    """By free that follows its last use and carries a wrong label, the op whose label it should carry.

    Args:
        dump: which.
        orders: those found for its blocks.
        index_of: by op its label; those of the other ops are taken to be right.

    Complexity: O(n log n).
    """
    if Follow.FREES not in dump.options.follow or not dump.keys.has_frees:
        return {}
    donors: dict[int, int] = {}
    for block in dump.blocks:
        ops = dump.ir.block_ops[block]
        if frees := dump.keys.frees_that_follow(block):
            is_graph = dump.ir.region_is_graph[dump.ir.block_region[block]]
            order = orders.get(block, range(len(ops)))
            if not is_graph:
                in_order, following = [ops[k] for k in order], {ops[k] for k in frees}
                donors.update(_wrong(in_order, following, dump.keys.by_op, index_of))
    return donors


def _wrong(
    ops: Sequence[int], frees: set[int], key_of: Sequence[int | None], index_of: Sequence[int | None]
) -> Iterator[tuple[int, int]]:
    """The frees of a block with wrong labels, and the ops whose labels they should carry."""
    before: int | None = None  # the last op that counts
    gap: list[int] = []
    for op in ops:
        if op in frees and index_of[op] is not None:
            gap.append(op)
        elif key_of[op] is not None:
            yield from _wrong_between(before, gap, op, index_of)
            before, gap = op, []
    yield from _wrong_between(before, gap, None, index_of)


def _wrong_between(
    before: int | None, frees: Sequence[int], after: int | None, index_of: Sequence[int | None]
) -> Iterator[tuple[int, int]]:
    """The same for the frees between two ops that count; None where there is none."""

    def index(op: int) -> int:
        found = index_of[op]
        assert found is not None
        return found

    fitting = [
        op
        for op in frees
        if (before is None or index(op) >= index(before)) and (after is None or index(op) <= index(after))
    ]
    out_of_order = displaced([index(op) for op in fitting])
    kept = set(fitting) - {fitting[position] for position in out_of_order}
    first_kept = next((op for op in frees if op in kept), after)
    last = first_kept if before is None else before
    for op in frees:
        if op in kept:
            last = op
        elif last is not None:
            yield op, last
