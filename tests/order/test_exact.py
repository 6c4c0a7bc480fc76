from hypothesis import given

from eio_audit.order.exact import search
from eio_audit.order.linear_extension import block_of
from tests.order.small_blocks import Block, blocks, count_pairs, precedence_of, true_minimum


def test_nothing_better_than_what_is_known_is_a_proof() -> None:
    result = search(block_of([5, 1, 3], precedence_of(3, [(0, 1)])), known=2)
    assert (result.order, result.inversions, result.lower_bound) == (None, 2, 2)


@given(blocks())
def test_the_search_finds_the_minimum(block: Block) -> None:
    window = block_of(block.keys, block.precedence)
    minimum = true_minimum(block)
    result = search(window, known=minimum + 1)
    assert result.order is not None
    assert sorted(result.order) == list(range(window.size))
    window.precedence.restricted(result.order)  # raises when a dependence points back
    assert count_pairs([block.keys[op] for op in result.order]) == minimum
    assert (result.inversions, result.lower_bound) == (minimum, minimum)


@given(blocks())
def test_the_search_proves_that_the_minimum_is_one(block: Block) -> None:
    minimum = true_minimum(block)
    result = search(block_of(block.keys, block.precedence), known=minimum)
    assert (result.order, result.inversions, result.lower_bound) == (None, minimum, minimum)


@given(blocks())
def test_whatever_the_limits_the_bound_holds(block: Block) -> None:
    window = block_of(block.keys, block.precedence)
    minimum = true_minimum(block)
    for limit in (0, 1, 2, 5):
        for result in (search(window, minimum + 1, states=limit), search(window, minimum + 1, moves=limit)):
            assert result.lower_bound <= minimum <= result.inversions
