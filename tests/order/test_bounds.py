import pytest
from hypothesis import given

from eio_audit.order import bounds
from eio_audit.order.bounds import count_forced, lower_bound, pack_squeezes
from eio_audit.order.linear_extension import block_of
from eio_audit.order.windows import Window
from tests.order.small_blocks import Block, blocks, forced_pairs, precedence_of, true_minimum


def window(keys: list[int], edges: list[tuple[int, int]]) -> Window:
    return block_of(keys, precedence_of(len(keys), edges))


def test_a_pair_is_forced_through_an_op_between() -> None:
    assert count_forced(window([5, 9, 1], [(0, 1), (1, 2)])) == (2, True)


def test_equal_keys_are_not_forced() -> None:
    assert count_forced(window([5, 5], [(0, 1)])) == (0, True)


def test_unindexed_ops_hand_on_but_do_not_count() -> None:
    block = block_of([5, None, 1], precedence_of(3, [(0, 1), (1, 2)]))
    assert count_forced(block) == (1, True)


def test_a_falling_chain_longer_than_a_batch() -> None:
    size = 1000
    falling = window(list(range(size, 0, -1)), [(op, op + 1) for op in range(size - 1)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "SWEEP_EARLY_LIMITS", (64, 64))
        assert count_forced(falling) == (size * (size - 1) // 2, True)


def test_counting_that_is_cut_short_says_so() -> None:
    forced, complete = count_forced(window([3, 2, 1, 0], [(0, 1), (1, 2), (2, 3)]), steps=1)
    assert forced < 6
    assert not complete


def test_five_feeds_one_and_three_is_squeezed() -> None:
    assert pack_squeezes(window([5, 1, 3], [(0, 1)])) == 1


def test_a_dependent_op_is_not_squeezed() -> None:
    assert pack_squeezes(window([5, 1, 3], [(0, 1), (0, 2)])) == 0


def test_two_forced_pairs_squeeze_an_op_twice() -> None:
    assert pack_squeezes(window([5, 5, 1, 1, 3], [(0, 2), (1, 3)])) == 2


def test_ends_squeeze_each_other_too() -> None:
    # 3 is squeezed twice; 5 between 6 and 0, and 1 as well.
    assert pack_squeezes(window([5, 6, 1, 0, 3], [(0, 2), (1, 3)])) == 4


def test_one_early_op_squeezes_an_op_once() -> None:
    assert pack_squeezes(window([5, 1, 0, 3], [(0, 1), (0, 2)])) == 1


@pytest.mark.parametrize("shared", [2, 3])
def test_a_matching_that_needs_an_augmenting_path(shared: int) -> None:
    # Op 0 is forced with ops 2 and 3, op 1 with one of them: op 0 has to leave that one to op 1.
    assert pack_squeezes(window([9, 9, 1, 1, 5], [(0, 2), (0, 3), (1, shared)])) == 2


def test_squeezes_that_are_cut_short_are_fewer() -> None:
    two_pairs = window([5, 5, 1, 1, 3], [(0, 2), (1, 3)])
    assert pack_squeezes(two_pairs, steps=1) == 1
    assert pack_squeezes(two_pairs, steps=0) == 0
    assert pack_squeezes(two_pairs, most_bits=0) == 0


@pytest.mark.parametrize("shared", [0, 1999])
def test_a_long_augmenting_path_needs_no_recursion(shared: int) -> None:
    # Early op i is forced with late ops i and i + 1, the last one with ``shared`` only: all have to move on.
    count = 2000
    edges = [(i, count + j) for i in range(count - 1) for j in (i, i + 1)] + [(count - 1, count + shared)]
    assert pack_squeezes(window([9] * count + [1] * count + [5], edges)) == count


@given(blocks())
def test_forced_is_the_number_of_dependent_inverted_pairs(block: Block) -> None:
    assert count_forced(block_of(block.keys, block.precedence)) == (forced_pairs(block), True)


@given(blocks())
def test_batches_do_not_change_the_count(block: Block) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "SWEEP_EARLY_LIMITS", (1, 2))
        assert count_forced(block_of(block.keys, block.precedence)) == (forced_pairs(block), True)


@given(blocks())
def test_no_order_has_fewer_inversions_than_the_bound(block: Block) -> None:
    assert lower_bound(block_of(block.keys, block.precedence)).total <= true_minimum(block)


@given(blocks())
def test_a_bound_that_is_cut_short_is_still_one(block: Block) -> None:
    part = block_of(block.keys, block.precedence)
    forced, _ = count_forced(part, steps=3)
    squeezes = pack_squeezes(part, most_bits=4 * len(block.keys), steps=2)
    assert forced + squeezes <= true_minimum(block)
