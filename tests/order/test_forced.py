from hypothesis import given

from tests.internals import Effort, Window, block_of, count_forced
from tests.order.small_blocks import Block, blocks, forced_pairs, precedence_of


def window(keys: list[int], edges: list[tuple[int, int]]) -> Window:
    return block_of(keys, precedence_of(len(keys), edges))


def test_a_pair_is_forced_through_an_op_between() -> None:
    assert count_forced(window([5, 9, 1], [(0, 1), (1, 2)])) == (2, True)


def test_an_effort_that_is_just_enough_is_enough() -> None:
    chain = window([3, 2, 1], [(0, 1), (1, 2)])
    effort = Effort(1_000)
    count_forced(chain, effort)
    used = 1_000 - effort.left
    assert count_forced(chain, Effort(used)) == (3, True)
    assert count_forced(chain, Effort(used - 1)) == (3, False)


def test_forced_pairs_one_after_the_other_are_all_counted() -> None:
    assert count_forced(window([2, 1, 4, 3], [(0, 1), (2, 3)])) == (2, True)


def test_equal_keys_are_not_forced() -> None:
    assert count_forced(window([5, 5], [(0, 1)])) == (0, True)


def test_unindexed_ops_hand_on_but_do_not_count() -> None:
    block = block_of([5, None, 1], precedence_of(3, [(0, 1), (1, 2)]))
    assert count_forced(block) == (1, True)


def test_a_falling_chain_longer_than_a_batch() -> None:
    size = 1000
    falling = window(list(range(size, 0, -1)), [(op, op + 1) for op in range(size - 1)])
    assert count_forced(falling, batch_sizes=(64, 64)) == (size * (size - 1) // 2, True)


def test_counting_that_is_cut_short_says_so() -> None:
    counted, complete = count_forced(window([3, 2, 1, 0], [(0, 1), (1, 2), (2, 3)]), effort=Effort(1))
    assert counted < 6
    assert not complete


@given(blocks())
def test_forced_is_the_number_of_dependent_inverted_pairs(block: Block) -> None:
    assert count_forced(block_of(block.keys, block.precedence)) == (forced_pairs(block), True)


@given(blocks())
def test_batches_do_not_change_the_count(block: Block) -> None:
    window = block_of(block.keys, block.precedence)
    assert count_forced(window, batch_sizes=(1, 2)) == (forced_pairs(block), True)
