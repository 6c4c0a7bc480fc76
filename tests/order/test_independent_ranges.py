from hypothesis import given

from tests.internals import block_of, independent_ranges
from tests.order.small_blocks import (
    Block,
    Key,
    blocks,
    count_pairs,
    fewest_moved,
    precedence_of,
    true_minimum,
)


def ranges(keys: list[Key], order: list[int] | None = None) -> list[range]:
    """The ranges that an order keeps to; without one, that the text allows."""
    return independent_ranges(block_of(keys, precedence_of(len(keys), [])), order or range(len(keys)))


def test_a_block_in_order_has_no_ranges() -> None:
    assert ranges([1, 2, 2, 3]) == []


def test_ranges_may_touch() -> None:
    assert ranges([2, 1, 4, 3]) == [range(0, 2), range(2, 4)]


def test_an_unindexed_op_is_not_in_the_way_of_a_cut() -> None:
    assert ranges([2, 1, None, 4, 3]) == [range(0, 2), range(3, 5)]


def test_a_hoisted_op_joins_what_it_has_overtaken() -> None:
    assert ranges([1, 5, 2, 3, 4, 6]) == [range(1, 5)]


def test_an_order_that_does_not_keep_to_a_cut_joins_two_ranges() -> None:
    assert ranges([2, 1, None, 4, 3], [1, 0, 3, 4, 2]) == [range(0, 2), range(2, 5)]


def part_of(block: Block, ops: range) -> Block:
    edges = [(u - ops.start, v - ops.start) for u, v in block.edges if u in ops and v in ops]
    return Block(block.keys[ops.start : ops.stop], edges)


@given(blocks())
def test_what_ranges_need_adds_up(block: Block) -> None:
    spans = independent_ranges(block_of(block.keys, block.precedence), range(len(block.keys)))
    parts = [part_of(block, span) for span in spans]
    minima = [true_minimum(part) for part in parts]
    assert count_pairs(block.keys) == sum(count_pairs(part.keys) for part in parts)
    assert true_minimum(block) == sum(minima)
    moved = sum(fewest_moved(part, minimum) for part, minimum in zip(parts, minima, strict=True))
    assert fewest_moved(block, true_minimum(block)) == moved
