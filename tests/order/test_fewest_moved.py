import random

import pytest
from hypothesis import given

from tests.internals import Effort, Order, SearchLimits, displaced, restore_order
from tests.order.small_blocks import Block, Key, blocks, fewest_moved, precedence_of

NO_CLOSURE = SearchLimits(moved_closure_size=0)
NO_PACKING = SearchLimits(moved_inversions=0)


def restore(block: Block, limits: SearchLimits | None = None) -> Order:
    effort = Effort() if limits is None else Effort(limits=limits)
    return restore_order(block.keys, block.precedence, effort=effort)


def test_one_op_overtakes_all_others() -> None:
    restoration = restore(Block([9, 1, 2, 3], []))
    assert (restoration.order, restoration.moved) == ([1, 2, 3, 0], 1)


def test_of_a_block_turned_round_one_op_stays() -> None:
    assert restore(Block([4, 3, 2, 1], [])).moved == 3


def test_a_squeezed_op_stays_although_others_move() -> None:
    # 3 is squeezed by 5 and 1 and pays wherever it stands; only 9 has to move.
    assert restore(Block([9, 5, 1, 3], [(1, 2)])).order == [1, 2, 3, 0]


def test_where_a_squeezed_op_may_pay_on_either_side_two_ops_move() -> None:
    block = Block([7, 6, 1, 0, 4, 6, 15], [(0, 4), (1, 3), (2, 4), (2, 5)])
    assert restore(block).moved == 2


def test_ops_that_could_stay_are_chained() -> None:
    # Two of the ops without an index, or with equal ones, are in the way of each other if each goes back alone.
    assert restore(Block([1, 1, 0, 4, None, None, 20], [(1, 3), (2, 3), (2, 4), (2, 5), (3, 6)])).moved == 1


def test_an_op_without_an_index_that_goes_back_to_its_user_is_not_moved() -> None:
    # The search moves ops 1 and 5. Directly before its user, op 1 is where it was.
    restoration = restore(Block([2, None, None, None, 1, 0], [(0, 5), (1, 5), (1, 2), (2, 3), (3, 4)]))
    assert (restoration.order, restoration.moved) == ([0, 1, 5, 2, 3, 4], 1)


@given(blocks())
def test_the_moved_ops_are_those_of_the_order(block: Block) -> None:
    restoration = restore(block)
    assert restoration.moved == len(displaced(restoration.order))


@given(blocks())
def test_no_fewer_ops_are_moved_than_must_be(block: Block) -> None:
    restoration = restore(block)
    assert fewest_moved(block, restoration.inversions) <= restoration.moved


@pytest.mark.parametrize("limits", [NO_CLOSURE, NO_PACKING])
def test_a_range_that_is_too_large_for_the_search_moves_more(limits: SearchLimits) -> None:
    block = Block([2, 3, 0, 0], [(1, 3)])
    assert restore(block, limits).inversions == restore(block).inversions
    assert restore(block, limits).moved > restore(block).moved


def test_a_hundred_hoisted_constants_are_the_ops_moved() -> None:
    # Every tenth op is a constant that a pass has hoisted to the start of the block.
    keys: list[Key] = [*range(0, 1000, 10), *(key for key in range(1000) if key % 10)]
    edges = [(op, op + 1) for op in range(100, 999)] + [(op, 100 + 9 * op) for op in range(100)]
    restoration = restore_order(keys, precedence_of(1000, edges))
    # The first one has stayed in its place.
    assert (restoration.inversions, restoration.moved) == (0, 99)


def test_a_shuffled_block_without_dependences_keeps_a_longest_rising_sequence() -> None:
    rng = random.Random(5)
    keys: list[Key] = sorted(range(3000), key=lambda key: key + rng.random() * 5)
    restoration = restore_order(keys, precedence_of(3000, []))
    assert restoration.moved == len(displaced([key for key in keys if key is not None]))
