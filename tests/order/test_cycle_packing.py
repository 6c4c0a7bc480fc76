from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.linear_extension import is_minimal
from eio_audit.order.windows import CyclePacking
from tests.internals import Effort, TransitiveClosure, Window, block_of, pull_up, push_down
from tests.order.small_blocks import (
    Block,
    blocks,
    count_pairs,
    forced_pairs,
    precedence_of,
    true_minimum,
)


def pack(block: Block, order: list[int] | None = None) -> list[list[int]]:
    """The cycles of a packing, each as the ops (numbered by textual order) that a soft edge leads to."""
    closure = TransitiveClosure(block_of(block.keys, block.precedence))
    packing = CyclePacking(closure, order or list(range(len(block.keys))), Effort())
    ends = [closure.place_of[op] for op in packing.cycles()]
    assert len(packing) == len(ends) / 4
    return [ends[at + 1 : at + 4 : 2] for at in range(0, len(ends), 4)]


def test_five_feeds_one_and_three_is_squeezed() -> None:
    assert pack(Block([5, 1, 3], [(0, 1)])) == [[0, 2]]


def test_a_dependent_op_is_not_squeezed() -> None:
    assert pack(Block([5, 1, 3], [(0, 1), (0, 2)])) == []


def test_ends_squeeze_each_other_too() -> None:
    # Beyond the two forced inversions: 3 is squeezed twice, 5 between 6 and 0, and 1 as well.
    block = Block([5, 6, 1, 0, 3], [(0, 2), (1, 3)])
    assert true_minimum(block) == 6
    assert len(pack(block, [1, 3, 0, 2, 4])) == 4


@pytest.mark.parametrize("shared", [2, 3])
def test_a_matching_that_needs_an_augmenting_path(shared: int) -> None:
    # Op 0 is forced with ops 2 and 3, op 1 with one of them: op 0 has to leave that one to op 1.
    assert len(pack(Block([9, 9, 1, 1, 5], [(0, 2), (0, 3), (1, shared)]))) == 2


@pytest.mark.parametrize("shared", [0, 299])
def test_a_long_augmenting_path_needs_no_recursion(shared: int) -> None:
    # Early op i is forced with late ops i and i + 1, the last one with ``shared`` only: all have to move on.
    count = 300
    edges = [(i, count + j) for i in range(count - 1) for j in (i, i + 1)] + [(count - 1, count + shared)]
    assert len(pack(Block([9] * count + [1] * count + [5], edges))) == count


def test_a_packing_that_is_cut_short_is_smaller() -> None:
    block = Block([9, 9, 1, 1, 5], [(0, 2), (0, 3), (1, 2)])
    closure = TransitiveClosure(block_of(block.keys, block.precedence))
    assert len(CyclePacking(closure, range(5), effort=Effort(14))) == 1


@given(blocks(), st.sampled_from([None, pull_up, push_down]))
def test_no_order_has_fewer_inversions_than_forced_and_cycles(block: Block, guide: object) -> None:
    window = block_of(block.keys, block.precedence)
    order = guide(window) if callable(guide) else list(range(window.size))
    assert forced_pairs(block) + len(pack(block, order)) <= true_minimum(block)


@given(blocks())
def test_each_cycle_pays_for_one_inversion_of_the_guiding_order(block: Block) -> None:
    order = push_down(block_of(block.keys, block.precedence))
    inversions = count_pairs([block.keys[op] for op in order])
    assert forced_pairs(block) + len(pack(block, order)) <= inversions


@given(blocks(), st.sampled_from([pull_up, push_down]))
def test_cycles_are_closed_and_share_no_soft_edge(block: Block, guide: Callable[[Window], list[int]]) -> None:
    window = block_of(block.keys, block.precedence)
    closure = TransitiveClosure(window)
    ends = list(CyclePacking(closure, guide(window), Effort()).cycles())
    edges = list(zip(ends[::2], ends[1::2], strict=True))
    assert len(edges) == len(set(edges))
    assert all(closure.smaller_independent[end] >> start & 1 for start, end in edges)
    for (y, x), (p, q) in zip(edges[::2], edges[1::2], strict=True):  # y -> x => p -> q => y
        assert closure.with_descendants[x] >> p & 1
        assert closure.with_descendants[q] >> y & 1


def test_a_packing_tells_a_minimal_order_from_another() -> None:
    block = Block([5, 1, 3], [(0, 1)])
    assert is_minimal(block.keys, block.precedence, [0, 1, 2], 2, Effort())
    assert not is_minimal([2, 1], precedence_of(2, []), [0, 1], 1, Effort())


@given(blocks(), st.sampled_from([None, pull_up, push_down]))
def test_an_order_proven_to_be_minimal_is_minimal(block: Block, guide: object) -> None:
    window = block_of(block.keys, block.precedence)
    order = guide(window) if callable(guide) else list(range(window.size))
    inversions = count_pairs([block.keys[op] for op in order])
    if is_minimal(block.keys, block.precedence, order, inversions, Effort()):
        assert inversions == true_minimum(block)
