from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.fewest_moved.moved_search import MovedSearch
from eio_audit.order.fewest_moved.restore_positions import longest_in_place
from eio_audit.order.search.solve_window import best_order
from eio_audit.order.windows import block_of
from tests.order.small_blocks import Block, blocks, fewest_moved, true_minimum


def search_block(block: Block, moved: int, ways: int = 100_000, packed: bool = True) -> MovedSearch:
    window = block_of(block.keys, block.precedence)
    best = best_order(window)
    relations = TransitiveClosure(window)
    cycles = CyclePacking(relations, best.order).cycles() if packed else []
    return MovedSearch(relations, cycles, best.inversions, moved, ways)


def test_nothing_is_found_where_as_many_have_to_move() -> None:
    search = search_block(Block([2, 1], []), moved=1)
    assert (search.run(), search.is_complete) == (None, True)


def test_a_search_that_is_cut_short_says_so() -> None:
    search = search_block(Block([4, 3, 3, 3], []), moved=4, ways=1)
    assert (search.run(), search.is_complete) == (None, False)


@given(blocks(), st.booleans())
def test_the_search_finds_the_fewest(block: Block, packed: bool) -> None:
    order = search_block(block, len(block.keys) + 1, packed=packed).run()
    assert order is not None
    assert sorted(order) == list(range(len(block.keys)))
    window = block_of(block.keys, block.precedence)
    window.precedence.restricted(order)  # raises when a dependence points back
    minimum = true_minimum(block)
    assert window.inversions(order) == minimum
    assert len(order) - len(longest_in_place(order)) == fewest_moved(block, minimum)
