from hypothesis import given

from eio_audit.order.sections import in_sections, sections_of
from eio_audit.order.windows import block_of
from tests.order.small_blocks import Block, blocks, count_pairs, fewest_moved, precedence_of, true_minimum


def sections(keys: list[int | None]) -> list[tuple[int, int]]:
    return sections_of(block_of(keys, precedence_of(len(keys), [])))


def test_a_block_in_order_has_no_sections() -> None:
    assert sections([1, 2, 2, 3]) == []


def test_sections_may_touch() -> None:
    assert sections([2, 1, 4, 3]) == [(0, 2), (2, 4)]


def test_an_unindexed_op_is_not_in_the_way_of_a_cut() -> None:
    assert sections([2, 1, None, 4, 3]) == [(0, 2), (3, 5)]


def test_a_hoisted_op_joins_what_it_has_overtaken() -> None:
    assert sections([1, 5, 2, 3, 4, 6]) == [(1, 5)]


def test_ops_are_put_back_into_their_sections() -> None:
    assert in_sections([4, 1, 3, 0, 2], [(0, 2), (3, 5)]) == [1, 0, 2, 4, 3]


def part_of(block: Block, start: int, stop: int) -> Block:
    edges = [(u - start, v - start) for u, v in block.edges if start <= u and v < stop]
    return Block(block.keys[start:stop], edges)


@given(blocks())
def test_what_sections_need_adds_up(block: Block) -> None:
    parts = [part_of(block, *span) for span in sections_of(block_of(block.keys, block.precedence))]
    minima = [true_minimum(part) for part in parts]
    assert count_pairs(block.keys) == sum(count_pairs(part.keys) for part in parts)
    assert true_minimum(block) == sum(minima)
    moved = sum(fewest_moved(part, minimum) for part, minimum in zip(parts, minima, strict=True))
    assert fewest_moved(block, true_minimum(block)) == moved
