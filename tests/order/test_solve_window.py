import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.internals import Window, best_order, block_of, push_down, restore_order
from tests.internals import packed_order_module as packed_order
from tests.internals import solve_window_module as steps
from tests.order.small_blocks import Block, blocks, precedence_of, true_minimum


def entangled(size: int, seed: int) -> Window:
    """A window with forced inversions of all lengths that cross each other, too many for a simple order."""
    rng = random.Random(seed)
    keys = list(range(size))
    rng.shuffle(keys)
    edges = [tuple(sorted(rng.sample(range(size), 2))) for _ in range(size)]
    return block_of(keys, precedence_of(size, edges))


@pytest.mark.parametrize("seed", range(6))
def test_entangled_windows_are_solved(seed: int) -> None:
    window = entangled(24, seed)
    best = best_order(window)
    assert best.certified
    assert best.inversions == window.inversions(best.order)
    window.precedence.restricted(best.order)  # raises when a dependence points back


@given(blocks())
def test_the_best_order_of_a_small_window_is_the_minimum(block: Block) -> None:
    best = best_order(block_of(block.keys, block.precedence))
    assert best.certified
    assert best.inversions == true_minimum(block)


@given(blocks(), st.integers(0, 6))
def test_windows_that_are_divided_have_a_bound_too(block: Block, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps, "CLOSURE_SIZE", size)
        patch.setattr(steps, "SET_ASIDE", (1, 2))
        best = best_order(block_of(block.keys, block.precedence))
        minimum = true_minimum(block)
        assert best.bound.forced <= best.bound.total <= minimum <= best.inversions
        restoration = restore_order(block.keys, block.precedence)
        assert restoration.lower_bound <= minimum <= restoration.inversions
        again = restore_order(
            [block.keys[op] for op in restoration.order], block.precedence.restricted(restoration.order)
        )
    assert again.order == list(range(len(block.keys)))


def test_small_windows_held_together_by_a_late_producer_are_solved_one_by_one() -> None:
    # Op 0 has the largest key and feeds op 1, with the smallest; between are twenty times 5 feeds 1, and 3.
    size = 60
    keys = [size + 1, 0, *(3 * (k // 3) + (3, 1, 2)[k % 3] for k in range(size))]
    edges = [(0, 1), *((k, k + 1) for k in range(2, size, 3))]
    window = block_of(keys, precedence_of(len(keys), edges))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps, "CLOSURE_SIZE", 10)
        best = best_order(window)
    assert best.certified
    assert best.inversions == 1 + size + 2 * 20


@given(blocks())
def test_without_search_the_result_is_a_fixed_point_still(block: Block) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_order, "SEARCH_MOVES", -1)
        patch.setattr(packed_order, "SEARCH_STATES", -1)
        restoration = restore_order(block.keys, block.precedence)
        assert restoration.lower_bound <= true_minimum(block) <= restoration.inversions
        again = restore_order(
            [block.keys[op] for op in restoration.order], block.precedence.restricted(restoration.order)
        )
    assert again.order == list(range(len(block.keys)))


@pytest.mark.parametrize("moves", [200, 4_000])
def test_a_search_with_all_the_work_comes_last(moves: int) -> None:
    window = entangled(50, 6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_order, "SEARCH_MOVES", moves)
        best = best_order(window)
    assert best.bound.total <= 252 <= best.inversions  # 252 are certified with the work that is usual
    assert best.inversions == window.inversions(best.order)


def test_the_work_that_is_usual_closes_the_gap() -> None:
    best = best_order(entangled(50, 6))
    assert (best.inversions, best.certified) == (252, True)


def test_a_window_that_cannot_be_divided_has_its_forced_inversions_and_its_squeezes_as_bound() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps, "CLOSURE_SIZE", 2)
        patch.setattr(steps, "SET_ASIDE", ())
        patch.setattr(steps, "footrule_bound", lambda *_: 0)
        assert best_order(block_of([5, 1, 3], precedence_of(3, [(0, 1)]))).bound.total == 2


@pytest.mark.parametrize(("closure_size", "lower_bound"), [(0, 8), (6, 9)])
def test_a_textual_order_better_than_the_simple_ones_is_the_one_to_start_from(
    closure_size: int, lower_bound: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "CLOSURE_SIZE", closure_size)
    monkeypatch.setattr(steps, "SET_ASIDE", ())
    edges = [(0, 1), (0, 2), (0, 3), (1, 5), (3, 4), (4, 5)]
    best = best_order(block_of([5, 1, 2, 3, 4, 0], precedence_of(6, edges)))
    assert (best.order, best.inversions, best.bound.total) == ([0, 1, 2, 3, 4, 5], 9, lower_bound)


def test_of_ops_pushed_down_by_the_same_producer_the_one_with_the_larger_key_comes_last() -> None:
    assert push_down(block_of([9, 2, 1], precedence_of(3, [(0, 1), (0, 2)]))) == [0, 2, 1]
