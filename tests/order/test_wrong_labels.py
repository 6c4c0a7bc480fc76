from collections.abc import Sequence
from itertools import combinations
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from eio_audit.order.wrong_labels import fewest_wrong_labels, relabelled
from tests.internals import Effort
from tests.order.small_blocks import (
    Block,
    Key,
    count_pairs,
    descendants,
    precedence_of,
    tangled_blocks,
    true_minimum,
)
from tests.order.test_antichain import over

WEIGHTS = st.lists(st.sampled_from([1, 2, 6]), min_size=8, max_size=8)


def solved(keys: list[Key], edges: list[tuple[int, int]], weights: list[int] | None = None) -> Any:
    return fewest_wrong_labels(keys, weights or [1] * len(keys), precedence_of(len(keys), edges))


def inversions_of(keys: Sequence[Key]) -> list[int]:
    return [
        sum(
            count_pairs([keys[min(op, other)], keys[max(op, other)]])
            for other in range(len(keys))
            if other != op
        )
        for op in range(len(keys))
    ]


def is_enough(block: Block, weights: Sequence[int], found: Any) -> bool:
    """Whether the labels that stay contradict nothing, and the others weigh what the relabelling says."""
    return sum(weights[op] for op in found.donor_of) == found.weight and all(
        u in found.donor_of or v in found.donor_of for u, v in over(block)
    )


def test_23_feeds_18_and_takes_its_label() -> None:
    found = solved([15, 23, 18], [(0, 1), (1, 2)])
    assert (found.donor_of, found.weight, found.certified) == ({1: 2}, 1, True)


def test_the_cheaper_of_two_labels_is_wrong() -> None:
    assert solved([15, 23, 18], [(0, 1), (1, 2)], [1, 6, 1]).donor_of.keys() == {2}


def test_an_op_without_users_takes_the_label_of_its_producer() -> None:
    assert relabelled([23, 18], solved([23, 18], [(0, 1)], [2, 1]).donor_of) == [23, 23]


def test_one_label_is_wrong_rather_than_three() -> None:
    assert solved([9, 1, 2, 3], [(0, 1), (0, 2), (0, 3)]).donor_of.keys() == {0}


def test_one_dear_label_stays_rather_than_three_cheap_ones() -> None:
    assert solved([9, 1, 2, 3], [(0, 1), (0, 2), (0, 3)], [6, 1, 1, 1]).donor_of.keys() == {1, 2, 3}


def test_among_sets_of_one_weight_the_fewest_ops_change() -> None:
    assert solved([9, 1, 2], [(0, 1), (0, 2)], [2, 1, 1]).donor_of.keys() == {0}
    assert solved([8, 9, 1], [(0, 2), (1, 2)], [1, 1, 2]).donor_of.keys() == {2}


def test_among_equally_many_those_with_the_most_inversions_change() -> None:
    # 5 feeds 1; 2 and 3 stand before both, and 1 is out of order with them, too.
    assert solved([2, 3, 5, 1], [(2, 3)]).donor_of.keys() == {3}
    assert solved([5, 1, 2, 3], [(0, 1)]).donor_of.keys() == {0}


def test_a_chain_of_falling_labels_keeps_one() -> None:
    found = solved([4, 3, 2, 1], [(0, 1), (1, 2), (2, 3)])
    assert (len(found.donor_of), found.lower_bound) == (3, 3)


def test_a_label_is_taken_from_its_keeper_also_through_another_that_changes() -> None:
    found = solved([9, 3, None, 2], [(0, 1), (1, 2), (2, 3)], [6, 1, 1, 1])
    assert found.donor_of == {1: 0, 3: 0}


def test_a_label_from_below_counts_among_those_from_above() -> None:
    # 9 takes 7 from below; 3 follows 9 and 5, and takes that 7 rather than 5.
    found = solved([9, 7, 5, 3], [(0, 1), (0, 3), (2, 3)], [1, 6, 6, 1])
    assert found.donor_of == {0: 1, 3: 1}


def test_of_equal_labels_below_the_first_is_taken_and_of_those_above_the_last() -> None:
    assert [*solved([9, 5, 5], [(0, 1), (0, 2)]).donor_of.values()] == [1]
    assert [*solved([9, 9, 5], [(0, 2), (1, 2)]).donor_of.values()] == [1]


def test_dependences_pass_through_ops_without_a_label_which_keep_none() -> None:
    found = solved([23, None, 18], [(0, 1), (1, 2)])
    assert relabelled([23, None, 18], found.donor_of) == [18, None, 18]


def test_independent_inversions_and_equal_labels_contradict_nothing() -> None:
    found = solved([9, 5, 5], [(1, 2)])
    assert (found.donor_of, found.weight, found.lower_bound) == ({}, 0, 0)


def test_labels_larger_than_a_machine_word() -> None:
    assert relabelled([10**30, -5], solved([10**30, -5], [(0, 1)]).donor_of) in ([-5, -5], [10**30, 10**30])


@given(tangled_blocks(), WEIGHTS)
def test_the_labels_to_change_are_the_lightest_then_the_fewest_then_the_worst(
    block: Block, weights: list[int]
) -> None:
    ops, pairs, worst = range(len(block.keys)), over(block), inversions_of(block.keys)

    def rank(chosen: Sequence[int]) -> tuple[int, int, int]:
        return sum(weights[op] for op in chosen), len(chosen), -sum(worst[op] for op in chosen)

    best = min(
        rank(chosen)
        for count in range(len(block.keys) + 1)
        for chosen in combinations(ops, count)
        if all(u in chosen or v in chosen for u, v in pairs)
    )
    found = fewest_wrong_labels(block.keys, weights, block.precedence)
    assert rank(tuple(found.donor_of)) == best
    assert found.weight == found.lower_bound == best[0]


@given(tangled_blocks(), WEIGHTS)
def test_afterwards_labels_never_fall_along_a_dependence_and_an_order_has_no_inversion(
    block: Block, weights: list[int]
) -> None:
    found = fewest_wrong_labels(block.keys, weights, block.precedence)
    new = relabelled(block.keys, found.donor_of)
    assert over(Block(new, block.edges)) == set()
    assert true_minimum(Block(new, block.edges)) == 0
    for op in range(len(new)):
        assert (new[op] != block.keys[op]) == (op in found.donor_of)
    assert all(donor not in found.donor_of for donor in found.donor_of.values())


@given(tangled_blocks(), WEIGHTS)
def test_a_changed_op_takes_the_smallest_kept_label_below_or_the_largest_above(
    block: Block, weights: list[int]
) -> None:
    found = fewest_wrong_labels(block.keys, weights, block.precedence)
    new, below = relabelled(block.keys, found.donor_of), descendants(block)
    for op in found.donor_of:
        under = [key for v in below[op] if v not in found.donor_of and (key := block.keys[v]) is not None]
        above = [label for u in range(op) if op in below[u] and (label := new[u]) is not None]
        assert new[op] == (min(under) if under else max(above))


def test_with_little_effort_a_label_that_stays_is_not_counted() -> None:
    edges = {0: (2, 3, 5), 1: (2, 3, 4, 5, 6), 2: (4, 6), 3: (4, 5, 6), 4: (6,), 5: (6,)}
    block = Block([3, 7, 7, 3, 3, 3, 2], [(one, other) for one, others in edges.items() for other in others])
    found = fewest_wrong_labels(block.keys, [1] * 7, block.precedence, Effort(34))
    new = relabelled(block.keys, found.donor_of)
    assert all(new[op] != block.keys[op] for op in found.donor_of)


@example(
    block=Block(keys=[3, 7, 7, 5, 5, 1, 4], edges=[(0, 5), (1, 6), (2, 6), (3, 6), (4, 5)]),
    weights=[1] * 8,
    steps=0,
)
@given(tangled_blocks(), WEIGHTS, st.integers(0, 400))
def test_with_little_effort_the_rest_is_free_of_contradiction_and_the_bound_holds(
    block: Block, weights: list[int], steps: int
) -> None:
    found = fewest_wrong_labels(block.keys, weights, block.precedence, Effort(steps))
    whole = fewest_wrong_labels(block.keys, weights, block.precedence)
    assert is_enough(block, weights, found)
    assert found.lower_bound <= whole.weight <= found.weight
    new = relabelled(block.keys, found.donor_of)
    assert over(Block(new, block.edges)) == set()
    assert all((new[op] != block.keys[op]) == (op in found.donor_of) for op in range(len(new)))
