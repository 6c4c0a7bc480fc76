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
    assert (restoration.order, restoration.moved, restoration.moved_lower_bound) == ([1, 2, 3, 0], 1, 1)


def test_of_a_block_turned_round_one_op_stays() -> None:
    restoration = restore(Block([4, 3, 2, 1], []))
    assert (restoration.moved, restoration.moved_lower_bound) == (3, 3)


def test_a_squeezed_op_stays_although_others_move() -> None:
    # 3 is squeezed by 5 and 1 and pays wherever it stands; only 9 has to move.
    restoration = restore(Block([9, 5, 1, 3], [(1, 2)]))
    assert (restoration.order, restoration.moved_lower_bound) == ([1, 2, 3, 0], 1)


def test_either_way_one_op_has_to_move() -> None:
    # Chains prove but one: it depends on where a squeezed op pays which op the other one is.
    restoration = restore(Block([7, 6, 1, 0, 4, 6, 15], [(0, 4), (1, 3), (2, 4), (2, 5)]))
    assert (restoration.moved, restoration.moved_lower_bound) == (2, 1)


def test_ops_that_could_stay_are_chained() -> None:
    # Two of the ops without an index, or with equal ones, are in the way of each other if each goes back alone.
    restoration = restore(Block([1, 1, 0, 4, None, None, 20], [(1, 3), (2, 3), (2, 4), (2, 5), (3, 6)]))
    assert (restoration.moved, restoration.moved_lower_bound) == (1, 1)


def test_an_op_without_an_index_that_goes_back_to_its_user_is_not_moved() -> None:
    # The search moves ops 1 and 5. Directly before its user, op 1 is where it was.
    restoration = restore(Block([2, None, None, None, 1, 0], [(0, 5), (1, 5), (1, 2), (2, 3), (3, 4)]))
    assert (restoration.order, restoration.moved) == ([0, 1, 5, 2, 3, 4], 1)


@given(blocks())
def test_the_moved_ops_are_those_of_the_order(block: Block) -> None:
    restoration = restore(block)
    assert restoration.moved == len(displaced(restoration.order))


@given(blocks())
def test_the_fewest_moved_of_all_minimal_orders_are_within_the_bounds(block: Block) -> None:
    restoration = restore(block)
    fewest = fewest_moved(block, restoration.inversions)
    assert restoration.moved_lower_bound <= fewest <= restoration.moved


@given(blocks())
def test_without_the_implied_order_the_bound_is_true(block: Block) -> None:
    fewest = fewest_moved(block, restore(block).inversions)
    for limits in (NO_CLOSURE, NO_PACKING):
        restoration = restore(block, limits)
        assert restoration.moved_lower_bound <= fewest <= restoration.moved


def test_the_implied_order_proves_more() -> None:
    block = Block([2, 1, 1, 0, 0, 2], [(0, 2), (1, 3), (2, 4)])
    assert restore(block).moved_lower_bound == 2
    assert [restore(block, limits).moved_lower_bound for limits in (NO_CLOSURE, NO_PACKING)] == [1, 1]


def test_a_range_whose_windows_have_no_known_cycles_packs_its_own() -> None:
    keys = [2, 2, 2, 0, 0, 1, 2, 0, 1, 0, 1, 0, 0, 0]
    edges = [(0, 1), (0, 2), (0, 5), (1, 4), (1, 6), (2, 3), (2, 12), (4, 8), (5, 10), (6, 7), (7, 9)]
    restoration = restore(Block(keys, [*edges, (8, 10), (10, 11), (11, 13)]))
    assert (restoration.moved, restoration.moved_lower_bound) == (4, 4)


def test_a_hundred_hoisted_constants_are_the_ops_moved() -> None:
    # Every tenth op is a constant that a pass has hoisted to the start of the block.
    keys: list[Key] = [*range(0, 1000, 10), *(key for key in range(1000) if key % 10)]
    edges = [(op, op + 1) for op in range(100, 999)] + [(op, 100 + 9 * op) for op in range(100)]
    restoration = restore_order(keys, precedence_of(1000, edges))
    # The first one has stayed in its place.
    assert (restoration.inversions, restoration.moved, restoration.moved_lower_bound) == (0, 99, 99)


def test_a_shuffled_block_moves_no_more_than_proven() -> None:
    rng = random.Random(5)
    keys: list[Key] = sorted(range(3000), key=lambda key: key + rng.random() * 5)
    restoration = restore_order(keys, precedence_of(3000, []))
    assert restoration.moved == restoration.moved_lower_bound


def test_ops_of_one_window_are_exchanged_for_all_its_squeezed_ones() -> None:
    # 9 feeds 1, so 4 and 5 are squeezed; but that 5 has to pass 4 is open in no minimal order.
    block = Block([9, 1, 5, 4], [(0, 1)])
    restoration = restore(block, NO_CLOSURE)
    assert (restoration.inversions, restoration.moved, restoration.moved_lower_bound) == (3, 1, 1)


def test_a_preference_that_some_minimal_order_breaks_exchanges_no_ops() -> None:
    # 8 feeds the second 0, and 4 and 2 are squeezed: whether they pass 8 or that 0 is open.
    block = Block([8, 0, 4, 2, 9, 0, 7], [(0, 5), (5, 6)])
    restoration = restore(block, NO_CLOSURE)
    assert restoration.moved_lower_bound <= fewest_moved(block, restoration.inversions) == 3


@pytest.mark.parametrize("keys", [[3, 1, 2], [2, 3, 1]])
def test_an_op_moved_either_way_is_exchanged_with_its_neighbour(keys: list[Key]) -> None:
    assert restore(Block(keys, []), NO_CLOSURE).moved_lower_bound == 1


def test_forced_inversions_make_no_range_too_large_to_look_at_all_pairs() -> None:
    assert restore(Block([3, 0, 0, 0], [(0, 2)]), NO_PACKING).moved_lower_bound == 2
