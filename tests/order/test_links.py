from collections.abc import Iterable
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from tests.internals import Effort, Link, Links, Window, block_of
from tests.order.small_blocks import Block, Key, descendants, precedence_of, tangled_blocks

WEIGHTS = st.lists(st.integers(1, 9), min_size=8, max_size=8)


def window(keys: list[Key], edges: list[tuple[int, int]]) -> Window:
    return block_of(keys, precedence_of(len(keys), edges))


def over(block: Block) -> list[set[int]]:
    """Per op, those that it is over."""
    keys = [key if key is not None else 0 for key in block.keys]
    return [
        {v for v in below if block.keys[u] is not None and block.keys[v] is not None and keys[u] > keys[v]}
        for u, below in enumerate(descendants(block))
    ]


def are_links(links: list[Link], block: Block, weights: list[int]) -> bool:
    pairs = over(block)
    return all(amount > 0 and v in pairs[u] for u, v, amount in links) and all(
        sum(amount for *ends, amount in links if ends[side] == op) <= weights[op]
        for op in range(len(block.keys))
        for side in (0, 1)
    )


def total(links: list[Link]) -> int:
    return sum(amount for *_, amount in links)


def least(block: Block, weights: list[int]) -> int:
    """The least weight of ops without which none is over another, by trying all sets."""
    ops, pairs = range(len(block.keys)), over(block)
    return min(
        sum(weights[op] for op in ops if op not in kept)
        for count in range(len(block.keys) + 1)
        for kept in combinations(ops, count)
        if not any(v in pairs[u] for u in kept for v in kept)
    )


def filled(window: Window, weights: list[int], links: Iterable[Link] = ()) -> list[Link]:
    found = Links(window, weights, links)
    found.fill()
    return list(found)


def test_first_links_pass_by_an_op_with_a_larger_key() -> None:
    assert filled(window([5, 9, 1], [(0, 1), (1, 2)]), [1, 1, 1]) == [(0, 2, 1)]


def test_first_links_leave_to_others_what_has_the_larger_key() -> None:
    assert filled(window([9, 5, 3], [(0, 2), (1, 2)]), [1, 1, 1]) == [(1, 2, 1)]


def test_first_links_are_added_to_those_that_there_are() -> None:
    assert filled(window([9, 1], [(0, 1)]), [3, 2], [(0, 1, 1)]) == [(0, 1, 2)]


def test_of_many_ops_above_those_with_the_largest_keys_are_passed_on() -> None:
    keys = [*range(11, 22), 10, 20]
    found = filled(window(keys, [(u, 11) for u in range(11)] + [(11, 12)]), [1] * 13)
    assert found == [(0, 11, 1), (10, 12, 1)]


def test_where_one_op_has_given_all_the_next_goes_on() -> None:
    # 9 and 8 feed 5, which feeds 1 and 2: each of the four is in a link after one round, the next finds none.
    links = Links(window([9, 8, 5, 1, 2], [(0, 2), (1, 2), (2, 3), (2, 4)]), [1] * 5, [(2, 2, 1)])
    assert links.grow(Effort())


def test_what_has_given_all_leaves_the_rest_to_others_in_the_same_round() -> None:
    links = Links(window([9, 8, 1, 2], [(0, 2), (0, 3), (1, 3)]), [1] * 4)
    assert links.grow(Effort(7))


def test_an_op_that_gives_elsewhere_makes_room() -> None:
    links = Links(window([4, 3, 2, 3], [(0, 2), (1, 2), (0, 3)]), [1] * 4, [(0, 2, 1)])
    assert links.grow(Effort())
    assert sorted(links) == [(0, 3, 1), (1, 2, 1)]


def test_an_op_that_reaches_more_than_it_can_give_is_outside_in_the_end() -> None:
    links = Links(window([9, 1, 2], [(0, 1), (0, 2)]), [1, 1, 1], [])
    assert links.spread(Effort())
    assert links.outside() == {1, 2}
    assert links.grow(Effort())
    assert links.outside() == {0}


def test_an_op_without_a_key_is_not_outside() -> None:
    links = Links(window([9, None, 7, 3], [(0, 1), (1, 2), (2, 3)]), [1] * 4, [])
    assert links.grow(Effort())
    assert links.outside() == {0, 2}


def test_without_effort_there_is_no_claim_to_have_all() -> None:
    links = Links(window([9, 1], [(0, 1)]), [1, 1], [])
    assert not links.grow(Effort(0))
    assert not links.spread(Effort(0))


@given(tangled_blocks(), WEIGHTS)
def test_links_grow_to_the_largest_flow(block: Block, weights: list[int]) -> None:
    weights = weights[: len(block.keys)]
    first = filled(block_of(block.keys, block.precedence), weights)
    for start in ([], first):
        links = Links(block_of(block.keys, block.precedence), weights, start)
        assert are_links(list(links), block, weights)
        assert links.grow(Effort())
        assert are_links(list(links), block, weights)
        assert total(list(links)) == least(block, weights)
        assert sum(weights[op] for op in links.outside()) == least(block, weights)


@given(tangled_blocks(), WEIGHTS)
def test_whatever_the_links_the_rest_contradicts_nothing(block: Block, weights: list[int]) -> None:
    weights = weights[: len(block.keys)]
    first = filled(block_of(block.keys, block.precedence), weights)
    last = len(block.keys) - 1
    for start in ([], first):
        down = Links(block_of(block.keys, block.precedence), weights, start)
        up = down.mirrored()
        assert down.spread(Effort())
        assert up.spread(Effort())
        for outside in (down.outside(), {last - op for op in up.outside()}):
            assert all(u in outside or v in outside for u, below in enumerate(over(block)) for v in below)
        assert sorted(down) == sorted(start)
