"""Bounds on the runs of the queue: each order of the roots and of the users is within them."""

from collections.abc import Collection
from dataclasses import replace
from itertools import permutations, product
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.internals import GroupedOps, Paths, Return, group_count, most_runs, order_by_queue
from tests.order.test_group_order import grouped, programs


def returns(ops: GroupedOps, members: Collection[int]) -> list[Return]:
    order = order_by_queue(ops, ops.roots)
    return Paths(ops, order).returns([op for op in order if op in members])


def bounds(ops: GroupedOps) -> tuple[int, int]:
    order = order_by_queue(ops, ops.roots)
    return Paths(ops, order).fewest_runs(), most_runs(ops, order)


def test_a_chain_has_the_runs_that_it_has() -> None:
    assert bounds(grouped("aabba", [(0, 1), (1, 2), (2, 3), (3, 4)])) == (3, 3)


def test_ops_that_nothing_orders_can_be_apart_or_together() -> None:
    assert bounds(grouped("aabb", [])) == (2, 4)


def test_between_two_runs_of_a_group_is_another_one() -> None:
    assert bounds(grouped("aaaaab", [])) == (2, 3)


def test_an_op_that_another_one_of_its_group_may_delay_is_not_surely_followed() -> None:
    # 1 follows 0, unless 2, a root of the same group, is below a root of another group in the queue
    assert bounds(grouped("aaa", [(0, 1)])) == (1, 1)
    assert bounds(grouped("aaabb", [(0, 1)])) == (2, 5)


def test_a_rival_that_is_farther_from_the_roots_delays_nothing() -> None:
    # 2 comes after 0 at once: 6 is of the same group, but at distance 3
    ops = grouped("abacdea", [(0, 2), (1, 3), (3, 4), (4, 6)])
    assert bounds(ops)[1] == 6


def test_no_op() -> None:
    assert bounds(grouped("", [])) == (0, 0)


def test_a_path_that_returns_to_a_group() -> None:
    ops = grouped("abaa", [(0, 1), (1, 2)])
    assert returns(ops, [0, 2, 3]) == [Return(via=1, op=2)]
    assert returns(ops, [0, 3]) == []


def test_a_path_within_the_group_to_another_module_is_no_return() -> None:
    ops = grouped("aaa", [(0, 1), (1, 2)])
    assert returns(ops, [0, 2]) == []


def test_the_path_with_the_most_returns() -> None:
    ops = grouped("abacaba", [(0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (5, 6)])
    assert returns(ops, [0, 2, 4, 6]) == [Return(1, 2), Return(3, 4)]


def test_ops_between_that_are_of_the_group_but_no_members() -> None:
    ops = grouped("abaa", [(0, 1), (1, 2), (2, 3)])
    assert returns(ops, [0, 3]) == [Return(via=1, op=3)]


def test_after_too_many_ops_a_set_is_in_one_run_at_least() -> None:
    ops = grouped("aba", [(0, 1), (1, 2)])
    order = order_by_queue(ops, ops.roots)
    assert Paths(ops, order, visited_ops=2).fewest_runs() == 2
    assert most_runs(ops, order, compared_ops=2) == 3


def test_with_too_many_ops_to_compare_each_may_be_a_run() -> None:
    ops = grouped("aab", [(0, 1)])
    order = order_by_queue(ops, ops.roots)
    assert [most_runs(ops, order), most_runs(ops, order, compared_ops=2)] == [2, 3]


def all_counts(ops: GroupedOps, tries: int) -> set[int]:
    """The runs of each order of the roots, with the users in each order, or in some orders if these are many."""
    random = Random(0)
    orders = [list(permutations(users)) for users in ops.users]
    every = list(product(*orders)) if sum(map(len, orders)) < len(orders) + 8 else []
    some = [[random.choice(users) for users in orders] for _ in range(tries)]
    return {
        group_count(ops, order_by_queue(replace(ops, users=users), roots))
        for users in every or some
        for roots in permutations(ops.roots)
    }


@st.composite
def branching(draw: st.DrawFn) -> GroupedOps:
    """Programs with few roots, where most ops use others."""
    size = draw(st.integers(1, 9))
    groups = draw(st.text("abc", min_size=size, max_size=size))
    first = draw(st.integers(1, min(4, size)))
    edges = {
        (draw(st.integers(0, op - 1)), op)
        for op in range(first, size)
        for _ in range(draw(st.integers(1, 2)))
    }
    frees = draw(st.sets(st.integers(first, size), max_size=2))
    edges = {(producer, user) for producer, user in edges if producer not in frees}
    return grouped(groups, sorted(edges, key=lambda edge: edge[1]), " ".join(map(str, frees)))


@settings(max_examples=4 * settings().max_examples)
@given(st.one_of(branching(), programs().filter(lambda ops: len(ops.roots) <= 5)))
def test_every_order_of_the_queue_is_within_the_bounds(ops: GroupedOps) -> None:
    fewest, most = bounds(ops)
    counts = all_counts(ops, 8)
    assert fewest <= min(counts)
    assert max(counts) <= most


@given(branching(), st.randoms(use_true_random=False))
def test_returns_are_on_a_path(ops: GroupedOps, random: Random) -> None:
    order = order_by_queue(ops, ops.roots)
    group = random.choice(ops.group)
    members = [op for op in order if ops.group[op] == group and random.random() < 0.7]
    last = -1
    for via, op in Paths(ops, order).returns(members):
        assert ops.group[via] != group
        assert op in members
        assert last < via < op
        last = op
