from hypothesis import given
from hypothesis import strategies as st

from tests.internals import Window, block_of, tangles, with_what_fits
from tests.order.small_blocks import Block, Key, precedence_of, tangled_blocks
from tests.order.test_links import over


def window(keys: list[Key], edges: list[tuple[int, int]]) -> Window:
    return block_of(keys, precedence_of(len(keys), edges))


def test_an_op_between_belongs_to_the_tangle() -> None:
    assert list(tangles(window([5, 9, None, 1, 7], [(0, 2), (2, 3), (3, 4)]), 9)) == [[0, 2, 3]]


def test_a_pair_belongs_together_past_an_op_with_a_larger_key() -> None:
    assert list(tangles(window([5, 9, 1], [(0, 1), (1, 2)]), 1)) == [[0, 1, 2]]


def test_small_tangles_come_first_and_are_put_together() -> None:
    falling = window([3, 2, 1, 6, 5, 8, 7], [(0, 1), (1, 2), (3, 4), (5, 6)])
    assert list(tangles(falling, 1)) == [[3, 4], [5, 6], [0, 1, 2]]
    assert list(tangles(falling, 4)) == [[3, 4, 5, 6], [0, 1, 2]]


def test_dependences_along_the_keys_are_no_tangle() -> None:
    assert list(tangles(window([9, 1, 5, 5], [(1, 2), (2, 3)]), 9)) == []


def test_a_dependence_between_equal_keys_joins_no_tangles() -> None:
    # 5 is over 3 and 9 over 5; the dependence from 3 to 9 connects 5 with 5 alone.
    assert list(tangles(window([5, 3, 9, 5], [(0, 1), (1, 2), (2, 3)]), 1)) == [[0, 1], [2, 3]]


@given(tangled_blocks())
def test_each_pair_is_in_one_tangle_and_no_op_is_in_two(block: Block) -> None:
    found = list(tangles(block_of(block.keys, block.precedence), 1))
    ops = [op for tangle in found for op in tangle]
    pairs = {(u, v) for u, below in enumerate(over(block)) for v in below}
    assert len(ops) == len(set(ops))
    assert all(tangle == sorted(tangle) for tangle in found)
    assert all(any({*pair} <= {*tangle} for tangle in found) for pair in pairs)
    assert all(any({*pair} <= {*tangle} for pair in pairs) for tangle in found)


@given(tangled_blocks(), st.permutations(range(8)))
def test_what_fits_in_contradicts_nothing_and_nothing_more_fits(block: Block, order: list[int]) -> None:
    below = over(block)
    related = [{v for v in range(len(below)) if v in below[u] or u in below[v]} for u in range(len(below))]
    kept: set[int] = set()
    for op in order[: len(order) // 3]:
        if op < len(below) and block.keys[op] is not None and not related[op] & kept:
            kept.add(op)
    found = with_what_fits(block_of(block.keys, block.precedence), kept)
    assert kept <= found
    for op, key in enumerate(block.keys):
        if key is not None:
            assert (op in found) == (not related[op] & found)
