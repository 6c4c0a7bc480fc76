from hypothesis import given

from tests.internals import Effort, SearchLimits, Window, block_of, count_forced
from tests.order.small_blocks import Block, blocks, forced_pairs, precedence_of


def window(keys: list[int], edges: list[tuple[int, int]]) -> Window:
    return block_of(keys, precedence_of(len(keys), edges))


def forced(window: Window, sweep_sizes: tuple[int, int] = (256, 4096)) -> int:
    return count_forced(window, Effort(limits=SearchLimits(sweep_sizes=sweep_sizes)))


def test_a_pair_is_forced_through_an_op_between() -> None:
    assert forced(window([5, 9, 1], [(0, 1), (1, 2)])) == 2


def test_forced_pairs_one_after_the_other_are_all_counted() -> None:
    assert forced(window([2, 1, 4, 3], [(0, 1), (2, 3)])) == 2


def test_equal_keys_are_not_forced() -> None:
    assert forced(window([5, 5], [(0, 1)])) == 0


def test_unindexed_ops_hand_on_but_do_not_count() -> None:
    block = block_of([5, None, 1], precedence_of(3, [(0, 1), (1, 2)]))
    assert forced(block) == 1


def test_a_falling_chain_longer_than_a_batch() -> None:
    size = 1000
    falling = window(list(range(size, 0, -1)), [(op, op + 1) for op in range(size - 1)])
    assert forced(falling, (64, 64)) == size * (size - 1) // 2


def test_counting_that_is_cut_short_counts_fewer() -> None:
    assert count_forced(window([3, 2, 1, 0], [(0, 1), (1, 2), (2, 3)]), Effort(1)) < 6


@given(blocks())
def test_forced_is_the_number_of_dependent_inverted_pairs(block: Block) -> None:
    assert forced(block_of(block.keys, block.precedence)) == forced_pairs(block)


@given(blocks())
def test_batches_do_not_change_the_count(block: Block) -> None:
    assert forced(block_of(block.keys, block.precedence), (1, 2)) == forced_pairs(block)
