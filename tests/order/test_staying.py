from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.fewest_moved.maximum_antichain import largest_staying


def test_of_a_chain_one_op_stays() -> None:
    assert len(largest_staying([0b110, 0b100, 0])) == 1


def test_ops_that_are_exchanged_with_none_all_stay() -> None:
    assert largest_staying([0, 0, 0]) == [0, 1, 2]


def test_chains_are_joined_anew_where_that_helps() -> None:
    # 0 is exchanged with 2 and 3, 1 with 2 only: 0 has to leave 2 to it.
    assert largest_staying([0b1100, 0b0100, 0, 0]) == [2, 3]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=9))
def test_no_larger_set_is_without_two_that_are_exchanged(points: list[tuple[int, int]]) -> None:
    ops = range(len(points))
    exchanged = [
        sum(1 << v for v in ops if points[u][0] < points[v][0] and points[u][1] < points[v][1]) for u in ops
    ]

    def can_stay(chosen: tuple[int, ...] | list[int]) -> bool:
        return not any(exchanged[u] >> v & 1 for u in chosen for v in chosen)

    staying = largest_staying(exchanged)
    assert can_stay(staying)
    assert not any(can_stay(chosen) for chosen in combinations(ops, len(staying) + 1))
