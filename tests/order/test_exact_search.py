from hypothesis import given
from hypothesis import strategies as st

from tests.internals import (
    USUAL_LIMITS,
    CyclePacking,
    SearchResult,
    TransitiveClosure,
    block_of,
    search,
)
from tests.order.small_blocks import Block, blocks, count_pairs, true_minimum


def search_block(
    block: Block,
    known: int,
    states: int = USUAL_LIMITS.search_states,
    moves: int = USUAL_LIMITS.search_moves,
    packed: bool = True,
) -> SearchResult:
    closure = TransitiveClosure(block_of(block.keys, block.precedence))
    cycles = CyclePacking(closure, range(len(block.keys))).cycles() if packed else []
    return search(closure, cycles, known, states, moves)


def test_nothing_better_than_what_is_known_is_a_proof() -> None:
    assert search_block(Block([5, 1, 3], [(0, 1)]), known=2) == SearchResult(None, 2, 2)


def test_a_search_that_is_cut_short_still_has_a_bound() -> None:
    block = Block([5, 6, 1, 0, 3], [(0, 2), (1, 3)])
    assert true_minimum(block) == 6
    for result in (
        search_block(block, known=7, states=1, packed=False),
        search_block(block, known=7, moves=1, packed=False),
    ):
        assert result.order is None
        assert 2 <= result.lower_bound <= 6


@given(blocks(), st.booleans())
def test_the_search_finds_the_minimum(block: Block, packed: bool) -> None:
    minimum = true_minimum(block)
    result = search_block(block, known=minimum + 1, packed=packed)
    assert result.order is not None
    assert sorted(result.order) == list(range(len(block.keys)))
    block.precedence.restricted(result.order)  # raises when a dependence points back
    assert count_pairs([block.keys[op] for op in result.order]) == minimum
    assert (result.inversions, result.lower_bound) == (minimum, minimum)


@given(blocks(), st.booleans())
def test_the_search_proves_that_the_minimum_is_one(block: Block, packed: bool) -> None:
    minimum = true_minimum(block)
    assert search_block(block, known=minimum, packed=packed) == SearchResult(None, minimum, minimum)


@given(blocks(), st.integers(0, 6), st.booleans())
def test_whatever_the_limits_the_bound_holds(block: Block, limit: int, packed: bool) -> None:
    minimum = true_minimum(block)
    textual = count_pairs(block.keys)
    for result in (
        search_block(block, textual, states=limit, packed=packed),
        search_block(block, textual, moves=limit, packed=packed),
    ):
        assert result.lower_bound <= minimum <= result.inversions


def test_an_op_with_unplaced_descendants_cannot_wait() -> None:
    # 3 has the largest key, and is not left to the end: 1 and 0 depend on it.
    result = search_block(Block([3, 2, 1, 0], [(0, 2), (0, 3)]), known=4, packed=False)
    assert (result.inversions, result.lower_bound) == (3, 3)
    assert result.order == [0, 3, 2, 1]
