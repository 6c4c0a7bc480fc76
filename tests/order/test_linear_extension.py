import os
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.internals import (
    Effort,
    Order,
    SearchLimits,
    block_of,
    pull_up,
    push_down,
    restore_order,
)
from tests.order.small_blocks import (
    Block,
    Key,
    blocks,
    count_pairs,
    forced_pairs,
    precedence_of,
    true_minimum,
)


def restore(keys: list[Key], edges: list[tuple[int, int]]) -> Order:
    return restore_order(keys, precedence_of(len(keys), edges))


def late_producer(base: int, k: int, m: int, early_users: bool = True) -> Block:
    """One late producer of k early users with m independent ops between; or its mirror."""
    if early_users:
        keys: list[Key] = [base + k + m, *range(base, base + k), *range(base + k, base + k + m)]
        return Block(keys, [(0, 1 + i) for i in range(k)])
    keys = [*range(base + 1 + m, base + 1 + m + k), base, *range(base + 1, base + 1 + m)]
    return Block(keys, [(i, k) for i in range(k)])


def side_by_side(one: Block, two: Block) -> Block:
    shift = len(one.keys)
    return Block(one.keys + two.keys, one.edges + [(u + shift, v + shift) for u, v in two.edges])


def test_a_forced_inversion_cannot_be_repaired() -> None:
    assert restore([15, 23, 18], [(1, 2)]) == Order([0, 1, 2], inversions=1, forced=1, lower_bound=1)


def test_an_unforced_inversion_is_repaired() -> None:
    assert restore([15, 23, 18], []) == Order([0, 2, 1], 0, forced=0, lower_bound=0, moved=1)


def test_five_feeds_one_and_three_must_go_somewhere() -> None:
    restoration = restore([5, 1, 3], [(0, 1)])
    assert (restoration.forced, restoration.inversions, restoration.certified) == (1, 2, True)


def test_pushing_down_is_avoided() -> None:
    block = late_producer(0, k=400, m=2000)
    restoration = restore(block.keys, block.edges)
    assert (restoration.inversions, restoration.certified) == (2400, True)


def test_pulling_up_is_avoided() -> None:
    block = late_producer(0, k=400, m=2000, early_users=False)
    restoration = restore(block.keys, block.edges)
    assert (restoration.inversions, restoration.certified) == (2400, True)


def test_one_block_can_need_both() -> None:
    block = side_by_side(late_producer(0, 400, 2000), late_producer(5000, 400, 2000, early_users=False))
    restoration = restore(block.keys, block.edges)
    assert (restoration.inversions, restoration.certified) == (4800, True)


def test_windows_are_put_in_order_even_where_they_start_out_interleaved() -> None:
    late_first = side_by_side(late_producer(5000, 3, 20), late_producer(0, 3, 20, early_users=False))
    assert restore(late_first.keys, late_first.edges).inversions == 46


def test_an_unindexed_op_travels_with_its_user() -> None:
    assert restore([None, 9, 5], [(0, 2)]).order == [0, 2, 1]
    assert restore([9, None, 5], [(1, 2)]).order == [1, 2, 0]


def test_an_unindexed_op_travels_with_its_producer() -> None:
    assert restore([9, 5, None], [(0, 2)]).order == [1, 0, 2]
    assert restore([9, 5, None, 6], [(1, 2)]).order == [1, 2, 3, 0]


@pytest.mark.parametrize("keys", [[], [None], [None, None], [3], [1, 1, None, 2]])
def test_what_has_no_inversion_is_left_alone(keys: list[Key]) -> None:
    assert restore(keys, []) == Order(list(range(len(keys))), inversions=0, forced=0, lower_bound=0)


def test_equal_keys_keep_their_textual_order() -> None:
    assert restore([2, 1, 2, 1], []).order == [1, 3, 0, 2]


def test_huge_keys() -> None:
    assert restore([10**30, -(10**30)], []).order == [1, 0]


def test_as_many_keys_as_ops_are_needed() -> None:
    with pytest.raises(ValueError, match="2 keys for 3 ops"):
        restore_order([1, 2], precedence_of(3, []))


def test_a_deep_chain_needs_no_recursion() -> None:
    size = 20_000
    keys: list[Key] = [*range(1, size), 0]
    restoration = restore(keys, [(op, op + 1) for op in range(size - 1)])
    assert (restoration.inversions, restoration.certified) == (size - 1, True)


@pytest.mark.parametrize(
    ("repeated_size", "inversions"),
    [
        pytest.param(5, 4, id="a second pass goes on from the first"),
        pytest.param(4, 5, id="a window above the limit is ordered once"),
    ],
)
def test_windows_are_ordered_again(repeated_size: int, inversions: int) -> None:
    block = Block([1, 1, 1, 0, 0], [(0, 3), (1, 4), (2, 3)])
    effort = Effort(limits=SearchLimits(closure_size=0, repeated_size=repeated_size))
    restoration = restore_order(block.keys, block.precedence, effort=effort)
    assert (restoration.inversions, restoration.lower_bound) == (inversions, 3)


def test_only_the_windows_below_the_limit_are_ordered_again() -> None:
    block = Block([1, 1, 1, 0, 0, 21, 20], [(0, 3), (1, 4), (2, 3), (5, 6)])
    effort = Effort(limits=SearchLimits(closure_size=0, repeated_size=4))
    assert restore_order(block.keys, block.precedence, effort=effort).inversions == 6


@pytest.mark.slow
def test_uniformly_random_keys_end_with_an_honest_bound() -> None:
    rng = random.Random(3)
    size = 400
    keys: list[Key] = [*range(size)]
    rng.shuffle(keys)
    edges = [tuple(sorted(rng.sample(range(size), 2))) for _ in range(size)]
    restoration = restore(keys, edges)
    assert restoration.forced < restoration.lower_bound <= restoration.inversions < count_pairs(keys)


def test_the_result_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "import random; from eio_audit.order.linear_extension import restore_order;"
        "from eio_audit.order.precedence import Precedence; r = random.Random(7);"
        "edges = [sorted(r.sample(range(150), 2)) for _ in range(200)];"
        "keys = [r.choice([None, r.randrange(150)]) for _ in range(150)];"
        "print(restore_order(keys, Precedence.from_edges(150, *zip(*edges))))"
    )
    path = os.pathsep.join(sys.path)  # the package need not be installed
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


@given(blocks())
def test_every_dependence_is_kept(block: Block) -> None:
    order = restore(block.keys, block.edges).order
    assert sorted(order) == list(range(len(block.keys)))
    assert all(order.index(producer) < order.index(user) for producer, user in block.edges)


@given(blocks())
def test_the_minimum_is_between_the_bound_and_the_result(block: Block) -> None:
    restoration = restore(block.keys, block.edges)
    assert restoration.forced == forced_pairs(block)
    assert restoration.forced <= restoration.lower_bound <= true_minimum(block) <= restoration.inversions
    assert restoration.inversions == count_pairs([block.keys[op] for op in restoration.order])


@given(blocks())
def test_an_order_without_gain_is_the_textual_one(block: Block) -> None:
    restoration = restore(block.keys, block.edges)
    unchanged = restoration.order == list(range(len(block.keys)))
    assert unchanged == (restoration.inversions == count_pairs(block.keys))


@given(blocks())
def test_a_restored_block_is_left_alone(block: Block) -> None:
    restoration = restore(block.keys, block.edges)
    again = restore_order(
        [block.keys[op] for op in restoration.order], block.precedence.restricted(restoration.order)
    )
    assert again.order == list(range(len(block.keys)))
    assert again.inversions == restoration.inversions


@given(blocks(), st.randoms(use_true_random=False))
def test_edge_order_and_duplicates_do_not_matter(block: Block, rng: random.Random) -> None:
    edges = block.edges + block.edges[:3]
    rng.shuffle(edges)
    assert restore(block.keys, edges) == restore(block.keys, block.edges)


@given(blocks())
def test_every_candidate_is_a_linear_extension(block: Block) -> None:
    window = block_of(block.keys, block.precedence)
    for candidate in (pull_up, push_down):
        order = candidate(window)
        assert sorted(order) == list(range(window.size))
        window.precedence.restricted(order)  # raises when a dependence points back


@given(st.lists(st.none() | st.integers(0, 9), max_size=12))
def test_without_dependences_nothing_is_left_out_of_order(keys: list[Key]) -> None:
    assert restore(keys, []).inversions == 0
