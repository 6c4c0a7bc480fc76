import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.internals import Effort, Precedence, Window, block_of, outside_antichain
from tests.order.small_blocks import Block, tangled_blocks
from tests.order.test_links import least, over

WEIGHTS = st.lists(st.sampled_from([1, 2, 6]), min_size=8, max_size=8)


def random_window(size: int, reach: int, seed: int = 0) -> Window:
    """Random keys, two dependences for each op, on ops near by."""
    chance = random.Random(seed)
    keys = chance.sample(range(size), size)
    edges = [(chance.randrange(max(0, op - reach), op), op) for op in range(1, size) for _ in "ab"]
    return block_of(keys, Precedence.from_edges(size, *zip(*edges, strict=True)))


def solved(window: Window, effort: int = 10**9) -> tuple[int, int]:
    """The weight of the ops outside, and the bound."""
    chance = random.Random(1)
    weights = [chance.choice([1, 2, 6]) for _ in range(window.size)]
    outside, proof = outside_antichain(window, weights, Effort(effort))
    assert is_covered(window, outside)
    return sum(weights[op] for op in outside), sum(amount for *_, amount in proof)


def is_covered(window: Window, outside: set[int]) -> bool:
    """Whether no key that stays falls along dependences."""
    largest = [-1] * window.size
    for op in range(window.size):
        largest[op] = max(map(largest.__getitem__, window.precedence.predecessors(op)), default=-1)
        if op not in outside:
            if largest[op] > window.keys[op]:
                return False
            largest[op] = window.keys[op]
    return True


def test_without_effort_for_a_largest_flow_there_is_an_interval() -> None:
    window = random_window(300, 20)
    exact, proof = solved(window)
    weight, bound = solved(window, 1_000)
    assert exact == proof
    assert exact * 0.8 < bound < exact <= weight < exact * 1.2


@pytest.mark.parametrize("steps", [0, 1, 2_000, 20_000])
def test_steps_are_kept_to(steps: int) -> None:
    window = random_window(600, 20)
    exact, _ = solved(window)
    effort = Effort(steps)
    weights = [1] * window.size
    outside, proof = outside_antichain(window, weights, effort)
    assert effort.left > -window.extent  # one sweep more at most
    assert is_covered(window, outside)
    assert sum(amount for *_, amount in proof) <= len(outside)
    assert solved(window, steps)[1] <= exact <= solved(window, steps)[0]


@given(tangled_blocks(), WEIGHTS)
def test_no_antichain_is_heavier(block: Block, weights: list[int]) -> None:
    weights = weights[: len(block.keys)]
    window = block_of(block.keys, block.precedence)
    outside, proof = outside_antichain(window, weights, Effort())
    assert not any(
        v in below - outside for u, below in enumerate(over(block)) if u not in outside for v in below
    )
    assert sum(weights[op] for op in outside) == sum(amount for *_, amount in proof) == least(block, weights)


def test_without_effort_no_op_is_outside_that_fits_in() -> None:
    window, chance = random_window(40, 10, seed=30), random.Random(30)
    weights = [chance.choice([1, 2, 6]) for _ in range(window.size)]
    outside, _ = outside_antichain(window, weights, Effort(0))
    assert not any(is_covered(window, outside - {op}) for op in outside)
