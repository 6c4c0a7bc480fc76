from itertools import compress, pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.internals import least_beside
from tests.order.small_blocks import Block, blocks, count_pairs, precedence_of, true_minimum


def test_an_op_goes_to_its_best_place() -> None:
    assert least_beside([2, 3, 1], [True, True, False], precedence_of(3, [])) == 0


def test_what_it_depends_on_holds_it_back() -> None:
    assert least_beside([2, 3, 1], [True, True, False], precedence_of(3, [(0, 2)])) == 1


def test_an_op_between_keys_in_no_order_keeps_some_inversions() -> None:
    assert least_beside([5, 3, 1, 4, 2], [True, False, True, True, True], precedence_of(5, [])) == 2


def test_of_very_many_places_none_is_tried() -> None:
    assert least_beside([*range(2000, 0, -1), 1000], [*[True] * 2000, False], precedence_of(2001, [])) == 0


@given(blocks(), st.data())
def test_no_order_has_fewer(block: Block, data: st.DataObject) -> None:
    """With one op to move, the bound is exact."""
    stays = [key is not None and data.draw(st.booleans()) for key in block.keys]
    fixed = [op for op, flag in enumerate(stays) if flag]
    among = count_pairs([*compress(block.keys, stays)])
    beside = true_minimum(Block(block.keys, [*block.edges, *pairwise(fixed)])) - among
    least = least_beside(block.keys, stays, block.precedence)
    assert least <= beside
    movers = [key for key, flag in zip(block.keys, stays, strict=True) if not flag and key is not None]
    assert least == beside or len(movers) != 1
