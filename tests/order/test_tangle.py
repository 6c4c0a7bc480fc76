import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.effort import Effort
from eio_audit.order.precedence import Precedence
from eio_audit.order.windows import Window, block_of
from eio_audit.order.wrong_labels import tangle
from eio_audit.order.wrong_labels.tangle import wrong_labels_of
from tests.order.small_blocks import Block, tangled_blocks
from tests.order.test_links import most, over

WEIGHTS = st.lists(st.sampled_from([1, 2, 6]), min_size=8, max_size=8)


def random_window(size: int, reach: int, seed: int = 0) -> Window:
    """Random keys, two dependences for each op, on ops near by."""
    chance = random.Random(seed)
    keys = chance.sample(range(size), size)
    edges = [(chance.randrange(max(0, op - reach), op), op) for op in range(1, size) for _ in "ab"]
    return block_of(keys, Precedence.from_edges(size, *zip(*edges, strict=True)))


def solved(window: Window, effort: int = 10**9) -> tuple[int, int]:
    """The weight of the wrong labels, and the bound."""
    chance = random.Random(1)
    weights = [chance.choice([1, 2, 6]) for _ in range(window.size)]
    wrong, proof = wrong_labels_of(window, weights, [0] * window.size, Effort(effort))
    assert is_covered(window, wrong)
    return sum(weights[op] for op in wrong), sum(amount for *_, amount in proof)


def is_covered(window: Window, wrong: set[int]) -> bool:
    """Whether no key that stays falls along dependences."""
    largest = [-1] * window.size
    for op in range(window.size):
        largest[op] = max(map(largest.__getitem__, window.precedence.predecessors(op)), default=-1)
        if op not in wrong:
            if largest[op] > window.keys[op]:
                return False
            largest[op] = window.keys[op]
    return True


def test_sweeps_and_bitsets_find_the_same_weight() -> None:
    window = random_window(300, 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tangle, "ROUNDS", 10_000)
        by_sweeps = solved(window)
        patch.setattr(tangle, "ROUNDS", 0)
        by_bitsets = solved(window)
    assert by_sweeps == by_bitsets
    assert by_sweeps[0] == by_sweeps[1]


def test_a_tangle_too_large_for_bitsets_has_an_interval() -> None:
    window = random_window(300, 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tangle, "ROUNDS_ALONE", 1)
        patch.setattr(tangle, "BITSET_OPS", 0)
        weight, bound = solved(window)
    exact, _ = solved(window)
    assert bound < exact <= weight < exact * 1.2
    assert bound > exact * 0.8


@pytest.mark.parametrize("steps", [0, 1, 2_000, 20_000])
def test_steps_are_kept_to(steps: int) -> None:
    window = random_window(600, 20)
    exact, _ = solved(window)
    effort = Effort(steps)
    weights = [1] * window.size
    wrong, proof = wrong_labels_of(window, weights, [0] * window.size, effort)
    assert effort.left > -window.extent  # one sweep more at most
    assert is_covered(window, wrong)
    assert sum(amount for *_, amount in proof) <= len(wrong)
    assert solved(window, steps)[1] <= exact <= solved(window, steps)[0]


@given(tangled_blocks(), WEIGHTS)
def test_by_bitsets_alone_it_is_the_least_weight(block: Block, weights: list[int]) -> None:
    weights = weights[: len(block.keys)]
    if not any(over(block)):
        return
    window = block_of(block.keys, block.precedence)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tangle, "ROUNDS", 0)
        wrong, proof = wrong_labels_of(window, weights, [0] * window.size, Effort())
        finer, _ = wrong_labels_of(window, weights, list(range(window.size)), Effort())
    assert sum(weights[op] for op in wrong) == sum(amount for *_, amount in proof) == most(block, weights)
    assert finer == wrong_labels_of(window, weights, list(range(window.size)), Effort())[0]


def test_at_a_glance_no_more_is_wrong_than_contradicts_what_stays() -> None:
    window, chance = random_window(40, 10, seed=30), random.Random(30)
    weights = [chance.choice([1, 2, 6]) for _ in range(window.size)]
    wrong, _ = wrong_labels_of(window, weights, [0] * window.size, Effort(0))
    assert not any(is_covered(window, wrong - {op}) for op in wrong)
