from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.permutation import Runs, split_into_runs
from tests.order.small_blocks import count_pairs


def test_what_is_in_order_is_one_run() -> None:
    assert split_into_runs([1, 1, 5, 7]) == Runs(starts=[0], lengths=[4], ranks=[0], carried=[0])


def test_no_keys_have_no_run() -> None:
    assert split_into_runs([]) == Runs(starts=[], lengths=[], ranks=[], carried=[])


def test_an_op_that_moved_up_stands_alone() -> None:
    assert split_into_runs([0, 8, 1, 2, 9]) == Runs([0, 1, 2, 4], [1, 1, 2, 1], [0, 2, 1, 3], [0, 2, 1, 0])


def test_equal_keys_belong_in_textual_order() -> None:
    assert split_into_runs([2, 1, 2]).ranks == [1, 0, 2]


@given(st.lists(st.integers(0, 12), max_size=30))
def test_the_keys_of_a_run_carry_the_same_inversions(keys: list[int]) -> None:
    carried = split_into_runs(keys).carried_by_position()
    assert len(carried) == len(keys)
    for position in range(len(keys)):
        others = keys[:position] + keys[position + 1 :]
        assert carried[position] == count_pairs(keys) - count_pairs(others)


def test_sections_hold_the_runs_that_have_changed_places() -> None:
    assert split_into_runs([0, 2, 1, 3, 4, 9, 8, 7]).sections() == [(1, 3), (4, 7)]


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=20))
def test_inversions_with_a_member_are_gone_without_the_members(ops: list[tuple[int, bool]]) -> None:
    runs = split_into_runs([key for key, _ in ops])
    assert runs.inversions == count_pairs([key for key, _ in ops])
    others = count_pairs([key for key, is_member in ops if not is_member])
    assert runs.inversions_with([is_member for _, is_member in ops]) == runs.inversions - others
