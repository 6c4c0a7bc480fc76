"""What a search may cost: shapes that took minutes end after a known number of steps, with an honest interval."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.effort import STEPS_PER_OP
from tests.internals import Effort, Order, restore_order
from tests.order.small_blocks import (
    Block,
    Key,
    blocks,
    count_pairs,
    forced_pairs,
    true_minimum,
)

STEPS = 200_000
"""What is given to a block here, besides what it gets for its ops."""

OVERSHOOT = 500_000
"""What may be done until it is seen that nothing is left: a look at all inversions of a window, once."""


def opposed_chains(count: int, length: int) -> Block:
    """Interleaved chains, whose keys rise in one and fall in the next."""
    keys: list[Key] = [
        (place if chain % 2 else length - place) * count + chain
        for place in range(length)
        for chain in range(count)
    ]
    return Block(keys, [(op, op + count) for op in range(count * (length - 1))])


def tree(size: int) -> Block:
    """Random keys, and each op uses one before it."""
    chance = random.Random(1)
    keys: list[Key] = [*chance.sample(range(size), size)]
    return Block(keys, [(chance.randrange(op), op) for op in range(1, size)])


def bipartite(half: int) -> Block:
    """Producers with large keys, and users of three of them each with small ones."""
    chance = random.Random(1)
    keys: list[Key] = [*range(2 * half, 0, -1)]
    edges = [(chance.randrange(half), half + op) for op in range(half) for _ in range(3)]
    return Block(keys, edges)


def restored(block: Block, effort: Effort) -> Order:
    return restore_order(block.keys, block.precedence, effort=effort)


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(opposed_chains(2, 400), id="two opposed chains"),
        pytest.param(opposed_chains(30, 30), id="many opposed chains"),
        pytest.param(tree(700), id="a tree"),
        pytest.param(bipartite(400), id="a bipartite graph"),
    ],
)
def test_no_more_is_done_than_may_be(block: Block) -> None:
    effort = Effort(STEPS)
    restoration = restored(block, effort)
    assert effort.left > -OVERSHOOT
    assert restoration.forced <= restoration.lower_bound <= restoration.inversions
    assert restoration.inversions <= count_pairs(block.keys)
    block.precedence.restricted(restoration.order)  # raises when a dependence points back


def test_where_nothing_may_be_done_the_interval_is_open() -> None:
    block = opposed_chains(2, 40)
    restoration = restored(block, Effort(-STEPS_PER_OP * 80))
    assert not restoration.certified
    assert restored(block, Effort()).certified
    assert restoration.lower_bound < restored(block, Effort()).inversions <= restoration.inversions


def test_blocks_of_a_dump_share_what_may_be_done() -> None:
    block = opposed_chains(2, 30)
    effort = Effort(STEPS)
    first = restored(block, effort)
    effort.left -= 10**9
    assert (first.certified, restored(block, effort).certified) == (True, False)


@given(blocks(), st.integers(-3000, 300))
def test_what_is_cut_short_is_still_legal_and_honest(block: Block, steps: int) -> None:
    restoration = restored(block, Effort(steps))
    minimum = true_minimum(block)
    assert restoration.forced == forced_pairs(block)
    assert restoration.lower_bound <= minimum <= restoration.inversions <= count_pairs(block.keys)
    assert restoration.inversions == count_pairs([block.keys[op] for op in restoration.order])
    block.precedence.restricted(restoration.order)


@pytest.mark.parametrize("steps", [-STEPS_PER_OP * 200, 0, STEPS])
def test_what_is_cut_short_is_left_alone_afterwards(steps: int) -> None:
    block = tree(200)
    order = restored(block, Effort(steps)).order
    again = Block(
        [block.keys[op] for op in order],
        [(order.index(producer), order.index(user)) for producer, user in block.edges],
    )
    assert restored(again, Effort(steps)).order == list(range(200))


def test_a_part_takes_from_the_whole() -> None:
    effort = Effort(10)
    with effort.part(30) as part:
        assert part.left == 10
        part.left -= 25
    assert (effort.left, effort.is_spent) == (-15, True)
    with effort.part(30) as part:
        assert part.is_spent
