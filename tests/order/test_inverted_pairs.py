"""The pairs that are out of order and their origins, against a follower of each pair by itself."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order import inverted_pairs

State = Mapping[str, Sequence[Sequence[tuple[int, int]]]]
"""By function, its blocks: the number and the key of each op that has a key."""


def block(text: str) -> list[tuple[int, int]]:
    """Return the ops of a block, as in ``a3 b1``: the letter is the op, the number its key."""
    return [(ord(op[0]), int(op[1:])) for op in text.split()]


def followed(states: Sequence[State]) -> inverted_pairs.InvertedPairs:
    """Follow the functions that differ from state to state. Change 0 shows the first of them."""
    pairs, before = inverted_pairs.InvertedPairs(), dict[str, Sequence[Sequence[tuple[int, int]]]]()
    for number, state in enumerate(states):
        changed = [name for name in {**before, **state} if before.get(name) != state.get(name)]
        ops = {op for name in changed for ops in before.get(name, ()) for op, _ in ops}
        blocks = [ops for name in changed for ops in state.get(name, ())]
        pairs.update(
            ops, [inverted_pairs.KeyedOps([*dict(ops)], [*dict(ops).values()], number) for ops in blocks]
        )
        before = {**state}
    return pairs


def of_functions(*texts: str) -> inverted_pairs.InvertedPairs:
    """Follow a function of one block through these states."""
    return followed([{"f": [block(text)]} for text in texts])


@pytest.mark.parametrize(
    ("states", "made", "undone", "left"),
    [
        (["a1 b2", "b2 a1"], {1: 1}, {}, {1: 1}),
        (["b2 a1"], {0: 1}, {}, {0: 1}),
        (["b2 a1", "a1 b2"], {0: 1}, {1: 1}, {}),
        (["a1 b2", "b2 a1", "a1 b2", "b2 a1"], {1: 1, 3: 1}, {2: 1}, {3: 1}),
        (["a1 b2", "b2 a1", "b2"], {1: 1}, {}, {}),  # a is gone, or has no key
        (["a1 b2", "b2 a1", "b2", "b2 a1"], {1: 1, 3: 1}, {}, {3: 1}),
        (["b2", "b2 c1"], {1: 1}, {}, {1: 1}),  # c is new
        (["a1 b2", "a1 b0"], {1: 1}, {}, {1: 1}),  # b has another key
        (["b2 a1", "a3 b2"], {0: 1}, {}, {0: 1}),  # the order and the keys have changed together
        (["b2 a2"], {}, {}, {}),
        (["b2 a1", "b2 a2"], {0: 1}, {1: 1}, {}),
    ],
)
def test_what_becomes_of_a_pair(
    states: list[str], made: dict[int, int], undone: dict[int, int], left: dict[int, int]
) -> None:
    pairs = of_functions(*states)
    assert (+pairs.made, +pairs.undone, pairs.left) == (made, undone, left)


def test_a_pair_in_a_function_with_another_name_goes_on() -> None:
    pairs = followed([{"f": [block("b2 a1")]}, {"g": [block("b2 a1")]}])
    assert pairs.left == {0: 1}


def test_a_pair_whose_ops_part_has_ended() -> None:
    pairs = followed([{"f": [block("b2 a1")]}, {"f": [block("b2")], "g": [block("a1")]}])
    assert (pairs.left, +pairs.undone) == ({}, {})


def test_a_pair_that_leaves_a_function_together_goes_on() -> None:
    """The ops of two functions come together in one."""
    before = {"f": [block("c4 b2 a1")], "g": [block("e9 d8")]}
    pairs = followed([before, {"f": [block("c4")], "g": [block("b2 a1 e9 d8")]}])
    assert pairs.left == {0: 2}


def test_an_op_that_another_replaces_goes_on() -> None:
    pairs = of_functions("b2 a1")
    pairs.replace(ord("a"), ord("c"))
    pairs.update([ord("b"), ord("c")], [inverted_pairs.KeyedOps([ord("b"), ord("c")], [2, 1], 1)])
    assert (pairs.left, +pairs.made) == ({0: 1}, {0: 1})


def test_of_too_many_ops_those_are_followed_that_are_displaced() -> None:
    ops = dict(block("a9 b8 c1 d2 e3"))
    pairs = inverted_pairs.InvertedPairs(3)
    pairs.update([], [inverted_pairs.KeyedOps([*ops], [*ops.values()], 0)])
    assert (pairs.left, pairs.is_partial) == ({0: 1}, True)


@st.composite
def states(draw: st.DrawFn) -> list[State]:
    """States of two functions of two blocks with some of ten ops each, most of which keep their keys."""
    keys = draw(st.lists(st.integers(0, 6), min_size=10, max_size=10))
    made: list[State] = []
    for _ in range(draw(st.integers(1, 6))):
        for op in draw(st.lists(st.integers(0, 9), max_size=2)):
            keys[op] = draw(st.integers(0, 6))
        ops = [(op, keys[op]) for op in draw(st.permutations(range(10)))]
        ends = sorted(draw(st.lists(st.sampled_from([0, 0, 3, 8, 9, 10]), min_size=4, max_size=4)))
        one, two, three, four = (ops[a:b] for a, b in zip([0, *ends], ends, strict=False))
        made.append({"f": [one, two], "g": [three, four]})
    return made


@given(states())
def test_each_pair_has_the_origin_of_a_pair_followed_by_itself(given_states: list[State]) -> None:
    origins: dict[frozenset[int], int] = {}
    made, undone = Counter[int](), Counter[int]()
    for number, state in enumerate(given_states):
        blocks = [ops for function in state.values() for ops in function]
        together = {
            frozenset((first, second)): key > other
            for ops in blocks
            for (first, key), (second, other) in combinations(ops, 2)
        }
        undone[number] += sum(1 for pair in origins if together.get(pair) is False)
        origins = {pair: origin for pair, origin in origins.items() if together.get(pair)}
        new = {pair for pair, is_inverted in together.items() if is_inverted} - origins.keys()
        made[number] += len(new)
        origins |= dict.fromkeys(new, number)
    pairs = followed(given_states)
    ops = [[op for op, _ in ops] for function in given_states[-1].values() for ops in function]
    found = {
        frozenset((op, other)): origin
        for block in ops
        for op in block
        for origin, row in pairs.row(op).items()
        for other, bit in zip(block, pairs.bits_of(block), strict=True)
        if row >> bit & 1
    }
    assert found == origins
    assert (+pairs.made, +pairs.undone, pairs.left) == (+made, +undone, Counter(origins.values()))
    at_each = {op: Counter(origin for pair, origin in origins.items() if op in pair) for op in range(10)}
    assert {op: +numbers for block in ops for op, numbers in pairs.at_each(block).items()} == {
        op: numbers for op, numbers in at_each.items() if numbers
    }
