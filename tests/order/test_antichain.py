import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.wrong_labels import outside_antichain
from tests.internals import Effort, Precedence, Window, block_of
from tests.order.small_blocks import Block, Key, descendants, precedence_of, tangled_blocks

Links = list[tuple[int, int, int]]

WEIGHTS = st.lists(st.integers(1, 9), min_size=8, max_size=8)


def found(keys: list[Key], edges: list[tuple[int, int]], weights: list[int]) -> tuple[set[int], Links]:
    window = block_of(keys, precedence_of(len(keys), edges))
    outside, links = outside_antichain(window, weights, Effort())
    return outside, sorted(links)


def random_window(size: int, reach: int) -> Window:
    """Random keys, two dependences for each op, on ops near by."""
    chance = random.Random(0)
    keys = chance.sample(range(size), size)
    edges = [(chance.randrange(max(0, op - reach), op), op) for op in range(1, size) for _ in "ab"]
    return block_of(keys, Precedence.from_edges(size, *zip(*edges, strict=True)))


def is_antichain(window: Window, outside: set[int]) -> bool:
    """Whether no key that stays falls along dependences."""
    largest = [-1] * window.size
    for op in range(window.size):
        largest[op] = max(map(largest.__getitem__, window.precedence.predecessors(op)), default=-1)
        if op not in outside:
            if largest[op] > window.keys[op]:
                return False
            largest[op] = window.keys[op]
    return True


def over(block: Block) -> set[tuple[int, int]]:
    """The pairs of which one op is over the other, by the definition."""
    indexed = {op: key for op, key in enumerate(block.keys) if key is not None}
    below = descendants(block)
    return {(u, v) for u in indexed for v in indexed if v in below[u] and indexed[u] > indexed[v]}


def is_flow(links: Links, block: Block, weights: list[int]) -> bool:
    """Whether the links prove a bound: nothing of this knows how they were found."""
    given = {op: sum(amount for u, _, amount in links if u == op) for op in range(len(block.keys))}
    taken = {op: sum(amount for _, v, amount in links if v == op) for op in range(len(block.keys))}
    return all(amount > 0 and (u, v) in over(block) for u, v, amount in links) and all(
        given[op] <= weights[op] and taken[op] <= weights[op] for op in given
    )


def least(block: Block, weights: list[int]) -> int:
    """The least weight of ops without which none is over another, by trying all sets."""
    ops, pairs = range(len(block.keys)), over(block)
    return min(
        sum(weights[op] for op in chosen)
        for count in range(len(block.keys) + 1)
        for chosen in combinations(ops, count)
        if all(u in chosen or v in chosen for u, v in pairs)
    )


def test_an_op_is_over_another_past_one_with_a_larger_key() -> None:
    assert found([5, 9, 1], [(0, 1), (1, 2)], [1, 1, 1]) == ({2}, [(0, 2, 1)])


def test_an_op_without_a_key_is_not_outside_but_dependences_pass_through_it() -> None:
    assert found([9, None, 7, 3], [(0, 1), (1, 2), (2, 3)], [1] * 4) == ({0, 2}, [(0, 2, 1), (2, 3, 1)])


def test_an_op_gives_several_what_each_can_take() -> None:
    assert found([9, 1, 2], [(0, 1), (0, 2)], [5, 2, 2]) == ({1, 2}, [(0, 1, 2), (0, 2, 2)])


def test_an_op_that_gives_elsewhere_makes_room() -> None:
    # 9 gives to 2 first. 8 has no other taker, so 9 gives to 3 instead.
    assert found([9, 8, 2, 3], [(0, 2), (0, 3), (1, 2)], [1] * 4) == ({0, 1}, [(0, 3, 1), (1, 2, 1)])


def test_an_op_gives_elsewhere_only_as_much_as_it_gave() -> None:
    # 9 gives 2 to 2 and has 1 left. 8 gives 3: 2 need 9 to give 2 to 3, which takes 4.
    assert found([9, 8, 2, 3], [(0, 2), (0, 3), (1, 2)], [3, 3, 3, 4]) == ({0, 1}, [(0, 3, 3), (1, 2, 3)])


def test_the_op_that_makes_room_may_need_room_itself() -> None:
    keys: list[Key] = [9, 8, 7, 1, 2, 3]
    edges = [(0, 3), (0, 4), (1, 4), (1, 5), (2, 3)]
    assert found(keys, edges, [1] * 6) == ({0, 1, 2}, [(0, 4, 1), (1, 5, 1), (2, 3, 1)])


def test_producers_are_outside_rather_than_users() -> None:
    assert found([2, 1], [(0, 1)], [1, 1])[0] == {0}


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        pytest.param([30_000, *range(1, 30_000)], 0, id="over all others"),
        pytest.param([*range(1, 30_000), 0], 29_999, id="under all others"),
    ],
)
def test_one_op_against_a_long_chain_is_outside(keys: list[Key], wrong: int) -> None:
    edges = [(op, op + 1) for op in range(len(keys) - 1)]
    outside, links = found(keys, edges, [1] * len(keys))
    assert (outside, len(links)) == ({wrong}, 1)


def test_without_effort_all_ops_over_another_are_outside_and_nothing_is_proven() -> None:
    chain = block_of([3, 2, 1], precedence_of(3, [(0, 1), (1, 2)]))
    assert outside_antichain(chain, [1, 1, 1], Effort(0)) == ({0, 1}, [])


@pytest.mark.parametrize("steps", [0, 1, 9_000, 20_000, 40_000])
def test_steps_are_kept_to(steps: int) -> None:
    window = random_window(600, 20)
    weights = [1] * window.size
    exact, _ = outside_antichain(window, weights, Effort())
    effort = Effort(steps)
    outside, links = outside_antichain(window, weights, effort)
    assert effort.left > -window.size
    assert is_antichain(window, outside)
    assert sum(amount for *_, amount in links) <= len(exact) <= len(outside)


def test_what_is_found_before_the_effort_is_spent_is_kept() -> None:
    window = random_window(600, 20)
    exact, _ = outside_antichain(window, [1] * window.size, Effort())
    nothing, _ = outside_antichain(window, [1] * window.size, Effort(0))
    outside, links = outside_antichain(window, [1] * window.size, Effort(20_000))
    assert 0 < len(links) < len(exact) < len(outside) < len(nothing)


@given(tangled_blocks(), WEIGHTS)
def test_no_antichain_is_heavier(block: Block, weights: list[int]) -> None:
    weights = weights[: len(block.keys)]
    outside, links = outside_antichain(block_of(block.keys, block.precedence), weights, Effort())
    assert is_flow(links, block, weights)
    assert all(u in outside or v in outside for u, v in over(block))
    assert sum(weights[op] for op in outside) == sum(amount for *_, amount in links) == least(block, weights)


@given(tangled_blocks(), WEIGHTS, st.integers(0, 200))
def test_with_little_effort_the_rest_is_an_antichain_and_the_links_prove_a_bound(
    block: Block, weights: list[int], steps: int
) -> None:
    weights = weights[: len(block.keys)]
    outside, links = outside_antichain(block_of(block.keys, block.precedence), weights, Effort(steps))
    assert is_flow(links, block, weights)
    assert all(u in outside or v in outside for u, v in over(block))
