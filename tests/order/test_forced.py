from hypothesis import given

from tests.internals import Effort, SearchLimits, restore_order
from tests.order.small_blocks import Block, blocks, forced_pairs


def forced(block: Block, sweep_sizes: tuple[int, int] = (256, 4096), effort: int = 10**9) -> int:
    """As it is counted in a window that is too large to compare all pairs of its ops."""
    limits = SearchLimits(closure_size=0, sweep_sizes=sweep_sizes)
    return restore_order(block.keys, block.precedence, effort=Effort(effort, limits)).forced


def test_a_pair_is_forced_through_an_op_between() -> None:
    assert forced(Block([5, 9, 1], [(0, 1), (1, 2)])) == 2


def test_forced_pairs_one_after_the_other_are_all_counted() -> None:
    assert forced(Block([2, 1, 4, 3], [(0, 1), (2, 3)])) == 2


def test_equal_keys_are_not_forced() -> None:
    assert forced(Block([5, 5], [(0, 1)])) == 0


def test_unindexed_ops_hand_on_but_do_not_count() -> None:
    assert forced(Block([5, None, 1], [(0, 1), (1, 2)])) == 1


def test_a_falling_chain_longer_than_a_batch() -> None:
    size = 1000
    falling = Block(list(range(size, 0, -1)), [(op, op + 1) for op in range(size - 1)])
    assert forced(falling, (64, 64)) == size * (size - 1) // 2


def test_counting_that_is_cut_short_counts_fewer() -> None:
    assert forced(Block([3, 2, 1, 0], [(0, 1), (1, 2), (2, 3)]), effort=-(10**6)) < 6


@given(blocks())
def test_forced_is_the_number_of_dependent_inverted_pairs(block: Block) -> None:
    assert forced(block) == forced_pairs(block)


@given(blocks())
def test_batches_do_not_change_the_count(block: Block) -> None:
    assert forced(block, (1, 2)) == forced_pairs(block)
