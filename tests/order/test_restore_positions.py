from hypothesis import given
from hypothesis import strategies as st

from tests.internals import (
    Effort,
    block_of,
    longest_in_place,
    moved_places,
    pull_up,
    push_down,
    restore_positions,
)
from tests.order.small_blocks import Block, blocks, precedence_of


def kept(block: Block, order: list[int]) -> list[int]:
    return restore_positions(block_of(block.keys, block.precedence), order)


def test_ops_with_equal_keys_stay_in_textual_order() -> None:
    assert kept(Block([4, 4, 4], []), [2, 1, 0]) == [0, 1, 2]


def test_an_op_takes_along_what_is_in_its_way() -> None:
    # Op 1 goes back to between 0 and 2, in front of 3, its producer's producer: with its producer.
    assert kept(Block([4, None, 4, 4], [(0, 1)]), [2, 3, 0, 1]) == [0, 1, 2, 3]


def test_a_squeezed_op_stays_where_it_is() -> None:
    # 3 has one inversion with 5 or one with 1 in front, in the end or between them: it may stay in the end.
    assert kept(Block([5, 1, 3], [(0, 1)]), [2, 0, 1]) == [0, 1, 2]


def test_an_op_without_an_index_goes_back_past_smaller_keys_than_that_of_its_user() -> None:
    assert kept(Block([None, 1, 2, 9], [(0, 3)]), [1, 2, 0, 3]) == [0, 1, 2, 3]


def test_no_inversion_is_added_to_keep_an_op() -> None:
    assert kept(Block([2, 1], []), [1, 0]) == [1, 0]


def test_no_steps_no_moves() -> None:
    assert restore_positions(block_of([4, 4], precedence_of(2, [])), [1, 0], effort=Effort(0)) == [1, 0]


@given(st.permutations(range(8)))
def test_what_is_kept_is_a_longest_subsequence_in_textual_order(order: list[int]) -> None:
    longest = [1] * len(order)
    for place, op in enumerate(order):
        longest[place] += max((longest[k] for k in range(place) if order[k] < op), default=0)
    kept = longest_in_place(order)
    assert len(kept) == max(longest)
    assert kept == sorted(kept) == [op for op in order if op in kept]
    assert moved_places(order) == [place for place, op in enumerate(order) if op not in kept]


@given(blocks(), st.sampled_from([pull_up, push_down]))
def test_no_more_inversions_no_more_moved_and_every_dependence_kept(block: Block, candidate: object) -> None:
    window = block_of(block.keys, block.precedence)
    assert callable(candidate)
    order = candidate(window)
    result = restore_positions(window, order)
    assert sorted(result) == list(range(window.size))
    window.precedence.restricted(result)  # raises when a dependence points back
    assert window.inversions(result) <= window.inversions(order)
    assert len(longest_in_place(result)) >= len(longest_in_place(order))
