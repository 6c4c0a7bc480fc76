"""The order engine on 200 small blocks with many dependences, the same in each run, by trying all orders."""

from itertools import combinations

import pytest

from eio_audit.order.effort import STEPS_PER_OP
from eio_audit.order.wrong_labels import fewest_wrong_labels, relabelled
from tests.internals import Effort, restore_order
from tests.order.small_blocks import (
    Block,
    count_pairs,
    dense_block,
    descendants,
    fewest_moved,
    forced_pairs,
    is_inversion,
    true_minimum,
)

SEEDS = range(200)
each_block = pytest.mark.parametrize(
    "seeds", [SEEDS[start : start + 25] for start in range(0, 200, 25)], ids=str
)


def test_the_blocks_are_dense() -> None:
    blocks = [dense_block(seed) for seed in SEEDS]
    edges = sum(len(block.edges) for block in blocks)
    places = sum(len(block.keys) * (len(block.keys) - 1) // 2 for block in blocks)
    assert 0.25 < edges / places < 0.35
    assert sum(true_minimum(block) > forced_pairs(block) for block in blocks) > 80  # with knock-on inversions


@each_block
def test_the_order_is_legal_and_minimal_and_certified(seeds: range) -> None:
    for block in map(dense_block, seeds):
        found = restore_order(block.keys, block.precedence)
        places = {op: place for place, op in enumerate(found.order)}
        assert sorted(found.order) == list(range(len(block.keys)))
        assert all(places[producer] < places[user] for producer, user in block.edges), block
        assert found.inversions == count_pairs([block.keys[op] for op in found.order]), block
        assert (found.forced, found.lower_bound) == (forced_pairs(block), true_minimum(block)), block
        assert found.certified, block


@each_block
def test_the_fewest_ops_are_moved_in_nearly_all(seeds: range) -> None:
    small = [block for block in map(dense_block, seeds) if len(block.keys) < 8]
    found = [restore_order(block.keys, block.precedence) for block in small]
    fewest = [fewest_moved(block, order.inversions) for block, order in zip(small, found, strict=True)]
    more = [order.moved - few for order, few in zip(found, fewest, strict=True)]
    assert min(more) == 0
    assert sum(more) <= 1  # per 25 blocks


@each_block
@pytest.mark.parametrize("steps", [0, 40, 400])
def test_a_bound_that_was_cut_short_holds(seeds: range, steps: int) -> None:
    for block in map(dense_block, seeds):
        found = restore_order(
            block.keys, block.precedence, effort=Effort(steps - STEPS_PER_OP * len(block.keys))
        )
        minimum = true_minimum(block)
        assert found.lower_bound <= minimum <= found.inversions <= count_pairs(block.keys), block
        assert found.inversions == count_pairs([block.keys[op] for op in found.order]), block
        assert found.forced == forced_pairs(block), block


@each_block
def test_a_restored_block_is_left_alone(seeds: range) -> None:
    for block in map(dense_block, seeds):
        order = restore_order(block.keys, block.precedence).order
        again = restore_order([block.keys[op] for op in order], block.precedence.restricted(order))
        assert again.order == list(range(len(block.keys))), block


@each_block
def test_the_fewest_labels_are_wrong(seeds: range) -> None:
    for block in map(dense_block, seeds):
        weights = [1] * len(block.keys)
        found = fewest_wrong_labels(block.keys, weights, block.precedence)
        falling = contradictions(block)
        fewest = next(
            count
            for count in range(len(block.keys))
            for changed in combinations(range(len(block.keys)), count)
            if all(u in changed or v in changed for u, v in falling)
        )
        assert (len(found.donor_of), found.lower_bound) == (fewest, fewest), block
        assert not contradictions(Block(relabelled(block.keys, found.donor_of), block.edges)), block


def contradictions(block: Block) -> list[tuple[int, int]]:
    """The pairs (u, v) where v depends on u and has the smaller index."""
    keys = block.keys
    return [
        (u, v) for u, below in enumerate(descendants(block)) for v in below if is_inversion(keys[u], keys[v])
    ]
