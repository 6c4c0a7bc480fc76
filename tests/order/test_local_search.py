from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.search import improve
from tests.internals import Effort, block_of, pull_up, push_down
from tests.order.small_blocks import Block, blocks, count_pairs, precedence_of


def improved(block: Block, order: list[int]) -> list[int]:
    return improve(block_of(block.keys, block.precedence), order)


def test_an_op_moves_left_past_what_has_a_larger_key() -> None:
    assert improved(Block([7, 8, 9, 1], []), [0, 1, 2, 3]) == [3, 0, 1, 2]


def test_an_op_that_another_has_overtaken_is_found_at_its_new_place() -> None:
    assert improved(Block([9, 5, 1], []), [0, 1, 2]) == [2, 1, 0]


def test_an_op_takes_along_what_it_depends_on() -> None:
    # 1 needs 5: the two of them overtake 8 and 9 together.
    assert improved(Block([8, 5, 9, 1], [(1, 3)]), [0, 1, 2, 3]) == [1, 3, 0, 2]


def test_an_op_takes_along_what_depends_on_it() -> None:
    # 9 cannot move right without its user 2; moving 2 left alone is blocked by 9.
    assert (
        count_pairs([[9, 8, 1, 3][op] for op in improved(Block([9, 8, 1, 3], [(0, 1)]), [0, 1, 2, 3])]) == 1
    )


def test_an_unindexed_op_travels_along() -> None:
    assert improved(Block([9, None, 1], [(1, 2)]), [0, 1, 2]) == [1, 2, 0]


def test_no_steps_no_moves() -> None:
    assert improve(block_of([2, 1], precedence_of(2, [])), [0, 1], effort=Effort(0)) == [0, 1]


@given(blocks(), st.sampled_from([pull_up, push_down]), st.integers(0, 60))
def test_never_worse_and_every_dependence_kept(block: Block, candidate: object, steps: int) -> None:
    window = block_of(block.keys, block.precedence)
    assert callable(candidate)
    for order in (list(range(window.size)), candidate(window)):
        result = improve(window, order, Effort(steps))
        assert sorted(result) == list(range(window.size))
        window.precedence.restricted(result)  # raises when a dependence points back
        assert window.inversions(result) <= window.inversions(order)


@given(blocks())
def test_what_cannot_be_improved_is_left_alone(block: Block) -> None:
    once = improved(block, list(range(len(block.keys))))
    assert improved(block, once) == once
