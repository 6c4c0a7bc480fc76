from hypothesis import given
from hypothesis import strategies as st

from tests.internals import block_of, slide
from tests.order.small_blocks import Block, blocks, count_pairs, precedence_of, true_minimum


def test_an_op_travels_on_from_window_to_window() -> None:
    keys = [*range(1, 60), 0]
    order = slide(block_of(keys[::-1], precedence_of(60, [])), range(60), size=10)
    assert [keys[::-1][op] for op in order][-1] == 59
    assert count_pairs([keys[::-1][op] for op in order]) < count_pairs(keys[::-1])


@given(blocks())
def test_a_sliding_window_as_large_as_the_block_is_solved(block: Block) -> None:
    order = slide(block_of(block.keys, block.precedence), range(len(block.keys)))
    assert count_pairs([block.keys[op] for op in order]) == true_minimum(block)


@given(blocks(), st.sampled_from([2, 4]))
def test_never_worse_and_every_dependence_kept(block: Block, length: int) -> None:
    order = slide(block_of(block.keys, block.precedence), range(len(block.keys)), size=length)
    assert sorted(order) == list(range(len(block.keys)))
    block.precedence.restricted(order)  # raises when a dependence points back
    assert count_pairs([block.keys[op] for op in order]) <= count_pairs(block.keys)
