"""Tries of the queue: which orders of the roots, and which number of runs is typical."""

from hypothesis import given

from tests.internals import GroupedOps, Paths, QueueTries, group_count, most_runs, queue_tries
from tests.order.test_group_order import grouped, programs


def tried(*counts: int, is_all: bool) -> int | None:
    mean = sum(counts) / len(counts)
    best = min(range(len(counts)), key=lambda k: abs(counts[k] - mean))
    return QueueTries([[]] * len(counts), list(counts), is_all, best).typical


def test_all_orders_of_few_roots() -> None:
    tries = queue_tries(grouped("aba", []))
    assert (tries.is_all, len({tuple(order) for order in tries.orders})) == (True, 6)


def test_some_orders_of_many_roots_always_the_same() -> None:
    ops = grouped("abababab", [])
    tries = queue_tries(ops)
    assert (tries.is_all, len(tries.orders)) == (False, 64)
    assert queue_tries(ops) == tries


def test_few_orders_of_many_ops_and_one_of_too_many() -> None:
    ops = grouped("abababab", [])
    assert len(queue_tries(ops, tried_ops=80).orders) == 10
    assert len(queue_tries(ops, tried_ops=8).orders) == 8
    tries = queue_tries(ops, tried_ops=8, largest=7)
    assert (len(tries.orders), tries.typical) == (1, None)


def test_no_op_is_one_try_of_none() -> None:
    tries = queue_tries(grouped("", []))
    assert (tries.orders, tries.counts, tries.is_all, tries.typical) == ([[]], [0], True, 0)


def test_a_number_near_the_mean_is_typical() -> None:
    assert tried(*[8] * 27, 10, 14, 15, is_all=True) is None  # 8 is 6 % from the mean, 8.5
    assert tried(*[8] * 28, 10, 12, is_all=True) == 8
    assert tried(89, 90, is_all=True) == 89


def test_nothing_is_typical_of_two_kinds_of_runs() -> None:
    assert tried(*[10] * 50, *[30] * 50, is_all=True) is None


def test_the_number_that_most_runs_have_is_not_typical_if_the_mean_is_far_from_it() -> None:
    assert tried(*[10] * 90, *[30] * 10, 12, is_all=True) is None  # 12 is the mean, but 10 the median


def test_few_tries_that_differ_much_tell_nothing() -> None:
    assert tried(*[50, 100, 75] * 3, is_all=False) is None
    assert tried(*[50, 100, 75] * 3, is_all=True) == 75
    assert tried(*[75] * 7, is_all=False) is None


@given(programs())
def test_each_try_is_within_the_bounds(ops: GroupedOps) -> None:
    tries = queue_tries(ops)
    for order, count in zip(tries.orders, tries.counts, strict=True):
        assert group_count(ops, order) == count
        assert Paths(ops, order).fewest_runs() <= count <= most_runs(ops, order)
