from hypothesis import given

from tests.internals import Effort, block_of, squeeze_bound
from tests.order.small_blocks import Block, blocks, forced_pairs, tangled_blocks, true_minimum


def count(block: Block) -> int:
    return squeeze_bound(block_of(block.keys, block.precedence))


def test_two_forced_pairs_squeeze_an_op_twice() -> None:
    assert count(Block([5, 5, 1, 1, 3], [(0, 2), (1, 3)])) == 2


def test_an_end_of_a_shorter_pair_is_squeezed_too() -> None:
    assert count(Block([9, 1, 6, 3], [(0, 1), (2, 3)])) == 2


def test_a_dependent_op_is_not_squeezed() -> None:
    assert count(Block([5, 1, 3], [(0, 1), (0, 2)])) == 0


def test_a_pair_with_too_many_relatives_is_passed_over() -> None:
    block = Block([5, 1, 3], [(0, 1)])
    assert squeeze_bound(block_of(block.keys, block.precedence), effort=Effort(100)) == 0


@given(blocks() | tangled_blocks())
def test_no_order_has_fewer_inversions_than_forced_and_squeezed(block: Block) -> None:
    assert forced_pairs(block) + count(block) <= true_minimum(block)


def test_of_two_pairs_that_cross_only_one_squeezes_the_other() -> None:
    assert count(Block([3, 2, 0, 1], [(0, 3), (1, 2)])) == 1


def test_an_end_of_another_pair_that_is_dependent_counts_once() -> None:
    # 3 is an end of 9 and 3, and depends on 5: it is neither squeezed by 5 and 0 nor taken away from others.
    assert count(Block([9, 5, 3, 0], [(0, 2), (1, 2), (1, 3)])) == 0
