"""Where ops that only free go: directly behind the last use of what they free.

What a free waits for is what the dependences say: all that uses the value, or its buffer where the free is of
that. They come last. The others are ordered as if the frees had no say, then each free goes as early as that
order lets it, which is always legal (last_uses.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.check.order_keys import OrderKeys
from eio_audit.audit.dependence import Dependences
from eio_audit.mlir.ir import IR
from eio_audit.order.effort import Effort
from eio_audit.order.fewest_moved.restore_positions import moved_places
from eio_audit.order.last_uses import after_last_uses
from eio_audit.order.linear_extension import Restoration, restore_order


def restore_block(block: KeyedBlock, inversions: int, effort: Effort) -> Restoration:
    """Finds what orders a block best, with the frees that are to follow behind their last uses.

    Moving these changes no inversion. What is found for the others may depend on where they stood, unless it
    is certified; so that a second run changes nothing, they are ordered again until nothing better is found.

    Args:
        block: with its dependences.
        inversions: of the textual order.
        effort: what may be done for all blocks of a dump.
    """
    assert block.graph is not None
    precedence, frees = block.graph.precedence, block.frees_that_follow
    best = restore_order(block.keys, precedence, inversions, effort)
    if not frees:
        return best
    order = after_last_uses(best.order, frees, precedence)
    while not best.certified and order != best.order and not effort.is_spent:
        keys = [block.keys[place] for place in order]
        again = restore_order(keys, precedence.restricted(order), best.inversions, effort)
        if again.inversions == best.inversions:
            break
        best = replace(again, order=[order[place] for place in again.order], moved_lower_bound=0)
        order = after_last_uses(best.order, frees, precedence)
    return replace(best, order=order, moved=len(moved_places(order)))


def frees_put_back(
    ir: IR, keys: OrderKeys, dependences: Dependences, blocks: Sequence[int]
) -> dict[int, tuple[list[int], int]]:
    """Finds the blocks that are in order but for frees that are to follow their last use, and do not.

    Args:
        ir: the dump.
        keys: what its ops are ordered by.
        dependences: of its blocks.
        blocks: those to look at, by rising number; blocks with inversions and graph regions are left out.

    Returns:
        By block its new order, and how many ops have moved in it.
    """
    disordered = set(keys.disordered_blocks)
    frees_in = {block: keys.frees_that_follow(block) for block in blocks if block not in disordered}
    has_frees = [
        block for block, frees in frees_in.items() if frees and not ir.region_is_graph[ir.block_region[block]]
    ]
    found: dict[int, tuple[list[int], int]] = {}
    for block, graph in dependences.of(has_frees).items():
        order = after_last_uses(range(len(graph.ops)), frees_in[block], graph.precedence)
        if moved := len(moved_places(order)):
            found[block] = order, moved
    return found
