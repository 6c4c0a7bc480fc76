import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.internals import block_of, footrule_bound, restore_order
from tests.order.small_blocks import Block, Key, blocks, tangled_blocks, true_minimum


def bound(block: Block, thresholds: int = 256) -> int:
    return footrule_bound(block_of(block.keys, block.precedence), most_thresholds=thresholds)


@pytest.mark.parametrize(
    ("keys", "edges", "expected"),
    [
        pytest.param([], [], 0, id="no ops"),
        pytest.param([3, 2, 1], [], 0, id="no dependences"),
        pytest.param([2, 1], [(0, 1)], 1, id="one path"),
        pytest.param([2, None, 1], [(0, 1), (1, 2)], 1, id="a path through an unindexed op"),
        pytest.param([None, 1], [(0, 1)], 0, id="a path from an unindexed op"),
        pytest.param([4, 3, 1, 2], [(0, 2), (1, 3)], 3, id="two paths cross the middle: two halves are one"),
        pytest.param([9, 1, 2, 3], [(0, 1), (0, 2), (0, 3)], 3, id="paths that share a start count once"),
        pytest.param([7, 8, 9, 1], [(0, 3), (1, 3), (2, 3)], 3, id="paths that share an end count once"),
        pytest.param([2, 2, 1, 1], [(0, 2), (1, 3)], 1, id="one threshold between equal keys"),
        pytest.param([1, 1], [(0, 1)], 0, id="equal keys are in order"),
    ],
)
def test_the_bound(keys: list[Key], edges: list[tuple[int, int]], expected: int) -> None:
    assert bound(Block(keys, edges)) == expected


def test_what_crosses_one_threshold_crosses_its_neighbours_but_for_one_op() -> None:
    # Eight paths cross the only threshold: four ops there, at least three at the next ones, then two, then one.
    block = Block([*range(9, 17), *range(1, 9)], [(op, op + 8) for op in range(8)])
    assert bound(block, 1) == 1 + 2 + 3 + 4 + 3 + 2 + 1


@given(blocks() | tangled_blocks(), st.sampled_from([1, 2, 3, 256]))
def test_no_order_has_fewer_inversions(block: Block, thresholds: int) -> None:
    assert bound(block, thresholds) <= true_minimum(block)


@pytest.mark.parametrize("share", [0.15, 0.3, 0.45, 0.8])
def test_no_order_of_a_dense_block_has_fewer_inversions(share: float) -> None:
    chance = random.Random(share)
    bounds, minima = [], []
    for _ in range(300):
        size = chance.randrange(2, 8)
        keys: list[Key] = [*chance.choices(range(size), k=size)]
        pairs = [(one, two) for two in range(size) for one in range(two) if chance.random() < share]
        bounds.append(bound(Block(keys, pairs)))
        minima.append(true_minimum(Block(keys, pairs)))
    assert all(map(int.__le__, bounds, minima))
    assert sum(bounds) > sum(minima) / 2


@pytest.mark.slow
def test_random_keys_end_in_an_interval_within_a_factor_of_three() -> None:
    chance, size = random.Random(0), 12_000
    keys: list[Key] = [*chance.sample(range(size), size)]
    edges = [(chance.randrange(op), op) for op in range(1, size) for _ in range(2)]
    restoration = restore_order(keys, Block(keys, edges).precedence)
    assert restoration.inversions < 3 * restoration.lower_bound
