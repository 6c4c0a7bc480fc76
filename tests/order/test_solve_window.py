import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.search import best_order
from tests.internals import Effort, SearchLimits, Window, block_of, push_down, restore_order
from tests.order.small_blocks import Block, blocks, count_pairs, precedence_of, tangled_blocks, true_minimum


def entangled(size: int, seed: int) -> Window:
    """A window with forced inversions of all lengths that cross each other, too many for a simple order."""
    rng = random.Random(seed)
    keys = list(range(size))
    rng.shuffle(keys)
    edges = [tuple(sorted(rng.sample(range(size), 2))) for _ in range(size)]
    return block_of(keys, precedence_of(size, edges))


@pytest.mark.parametrize(("seed", "inversions", "without"), [(0, 61, 69), (1, 75, 81), (4, 74, 80)])
def test_local_search_solves_entangled_windows(seed: int, inversions: int, without: int) -> None:
    window = entangled(24, seed)
    best = best_order(window)
    assert (best.inversions, best.certified) == (inversions, True)
    assert best.inversions == window.inversions(best.order)
    window.precedence.restricted(best.order)  # raises when a dependence points back
    assert best_order(window, Effort(limits=SearchLimits(distance=0))).inversions == without


def test_a_gap_that_is_left_is_an_interval() -> None:
    best = best_order(entangled(50, 6))
    assert (best.lower_bound, best.inversions) == (251, 252)


@given(blocks())
def test_the_minimum_of_a_small_window_is_between_the_bound_and_the_best_order(block: Block) -> None:
    best = best_order(block_of(block.keys, block.precedence))
    minimum = true_minimum(block)
    assert best.lower_bound <= minimum <= best.inversions
    if best.inversions == count_pairs(block.keys):
        assert best.order == list(range(len(block.keys)))


@given(blocks() | tangled_blocks(), st.integers(0, 6))
def test_windows_that_are_too_large_for_a_closure_have_a_bound_too(block: Block, size: int) -> None:
    limits = SearchLimits(closure_size=size)
    best = best_order(block_of(block.keys, block.precedence), Effort(limits=limits))
    minimum = true_minimum(block)
    assert best.forced <= best.lower_bound <= minimum <= best.inversions
    assert_fixed_point(block, limits)


@given(blocks())
def test_windows_with_too_many_inversions_for_a_packing_have_a_bound_too(block: Block) -> None:
    assert_fixed_point(block, SearchLimits(packed_inversions=0))


def assert_fixed_point(block: Block, limits: SearchLimits) -> None:
    """The bounds are true, and restoring the restored block changes nothing."""
    restoration = restore_order(block.keys, block.precedence, effort=Effort(limits=limits))
    assert restoration.lower_bound <= true_minimum(block) <= restoration.inversions
    restored = block_of(
        [block.keys[op] for op in restoration.order], block.precedence.restricted(restoration.order)
    )
    assert restored.inversions(range(restored.size)) == restoration.inversions
    again = restore_order(
        [block.keys[op] for op in restoration.order], restored.precedence, effort=Effort(limits=limits)
    )
    assert again.order == list(range(len(block.keys)))


def test_a_window_without_a_closure_has_its_forced_inversions_as_bound() -> None:
    window = block_of([5, 1, 3], precedence_of(3, [(0, 1)]))
    assert best_order(window, Effort(limits=SearchLimits(closure_size=2))).lower_bound == 1


@pytest.mark.parametrize(("closure_size", "lower_bound"), [(0, 8), (6, 9)])
def test_a_textual_order_better_than_the_simple_ones_is_the_one_to_start_from(
    closure_size: int, lower_bound: int
) -> None:
    edges = [(0, 1), (0, 2), (0, 3), (1, 5), (3, 4), (4, 5)]
    window = block_of([5, 1, 2, 3, 4, 0], precedence_of(6, edges))
    best = best_order(window, Effort(limits=SearchLimits(closure_size=closure_size)))
    assert (best.order, best.inversions, best.lower_bound) == ([0, 1, 2, 3, 4, 5], 9, lower_bound)


def test_of_ops_pushed_down_by_the_same_producer_the_one_with_the_larger_key_comes_last() -> None:
    assert push_down(block_of([9, 2, 1], precedence_of(3, [(0, 1), (0, 2)]))) == [0, 2, 1]


def test_where_no_simple_order_is_minimal_local_search_finds_a_better_one() -> None:
    block = Block([3, 3, 0, 0, 3, 0], [(0, 3), (1, 2), (1, 3), (1, 4), (2, 5)])
    best = best_order(block_of(block.keys, block.precedence))
    assert (best.order, best.inversions, best.certified) == ([1, 2, 5, 0, 3, 4], 4, True)
