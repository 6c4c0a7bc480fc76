from array import array

from eio_audit.audit.check.disorder import find_blockers
from tests.internals import DependenceGraph


def graph_of(size: int, *edges: tuple[int, int, str]) -> DependenceGraph:
    graph = DependenceGraph(array("i", range(size)))
    for edge in edges:
        graph.add(*edge)
    return graph


def test_an_early_op_is_held_by_the_user_that_needs_it() -> None:
    graph = graph_of(3, (0, 1, "value"), (0, 2, "value"))
    assert find_blockers([5, 9, 1], graph, {0: True}) == {0: (2, "value")}


def test_a_late_op_is_held_by_the_producer_that_is_late_itself() -> None:
    graph = graph_of(3, (0, 1, "value"), (1, 2, "effect"))
    assert find_blockers([9, None, 3], graph, {2: False}) == {2: (1, "effect")}


def test_an_op_that_nothing_needs_early_is_not_held() -> None:
    graph = graph_of(3, (0, 2, "value"))
    assert find_blockers([5, 1, 6], graph, {0: True}) == {}


def test_of_several_kinds_the_first_counts() -> None:
    graph = graph_of(2, (0, 1, "effect"), (0, 1, "value"))
    assert find_blockers([5, 1], graph, {0: True}) == {0: (1, "value")}
