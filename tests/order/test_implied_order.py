from itertools import permutations

from hypothesis import given

from eio_audit.order.linear_extension import implied_order
from eio_audit.order.search import best_order
from eio_audit.order.windows import CyclePacking
from tests.internals import Effort, TransitiveClosure, block_of
from tests.order.small_blocks import Block, blocks, count_pairs


def implied(block: Block) -> set[tuple[int, int]] | None:
    """The pairs (a, b) with a before b by the implied order; None when the packing does not meet the order."""
    window = block_of(block.keys, block.precedence)
    relations = TransitiveClosure(window)
    order = best_order(window).order
    packing = CyclePacking(relations, order, Effort())
    if len(packing) < len(packing.broken):
        return None
    ends = [relations.place_of[op] for op in packing.cycles()]
    cycles = [(*ends[k : k + 4],) for k in range(0, len(ends), 4)]
    found = implied_order(window, order, cycles, Effort())
    assert found is not None
    return {(op, other) for op, row in zip(order, found, strict=True) for other in named(row, order)}


def named(places: int, order: list[int]) -> list[int]:
    return [op for place, op in enumerate(order) if places >> place & 1]


def test_independent_keys_are_implied() -> None:
    assert implied(Block([2, 1], [])) == {(1, 0)}


def test_equal_keys_are_undecided() -> None:
    assert implied(Block([1, 1], [])) == set()


def test_where_a_squeezed_op_pays_is_undecided() -> None:
    assert implied(Block([5, 1, 3], [(0, 1)])) == {(0, 1)}


def test_one_conclusion_leads_to_the_next() -> None:
    # 3 uses 1, so it is after 5 and 1, and so is 4.
    assert implied(Block([5, 1, 3, 4], [(0, 1), (1, 2)])) == {(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)}


@given(blocks())
def test_every_minimal_order_has_what_is_implied(block: Block) -> None:
    pairs = implied(block)
    if pairs is None or len(block.keys) > 6:
        return
    orders = [
        order
        for order in permutations(range(len(block.keys)))
        if all(order.index(u) < order.index(v) for u, v in block.edges)
    ]
    minimum = min(count_pairs([block.keys[op] for op in order]) for order in orders)
    for order in orders:
        if count_pairs([block.keys[op] for op in order]) == minimum:
            assert all(order.index(a) < order.index(b) for a, b in pairs)
