import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.internals import CyclePacking, Effort, TransitiveClosure, best_order, block_of, pull_up, push_down
from tests.order.small_blocks import (
    Block,
    Key,
    blocks,
    count_pairs,
    forced_pairs,
    precedence_of,
    true_minimum,
)


def pack(block: Block, order: list[int] | None = None, *, detours: bool = False) -> list[list[int]]:
    """The cycles of a packing, each as the ops (numbered by textual order) that a soft edge leads to."""
    closure = TransitiveClosure(block_of(block.keys, block.precedence))
    packing = CyclePacking(closure, order or list(range(len(block.keys))))
    if detours:
        packing.find_detours()
    cycles = packing.cycles()
    assert len(packing) == len(cycles)
    return [[closure.place_of[end] for _, end in cycle] for cycle in cycles]


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


def test_a_detour_is_taken_where_returns_are_short() -> None:
    keys: list[Key] = [19, 4, 15, 7, 18, 0, 5, 6, 17, 12, 13, 14, 3, 10, 8, 9, 16, 11, 1, 2]
    users = {0: (1, 19), 1: (13,), 2: (8, 15, 16, 19), 3: (13, 19), 5: (10, 14), 6: (14,), 7: (16, 18)}
    users |= {8: (14, 15), 10: (11, 18), 11: (18,), 12: (18,), 17: (19,)}
    block = Block(keys, [(producer, user) for producer, those in users.items() for user in those])
    best = best_order(block_of(block.keys, block.precedence))
    without, with_detours = pack(block, best.order), pack(block, best.order, detours=True)
    assert [len(cycle) for cycle in with_detours if len(cycle) > 2] == [3]
    assert (
        forced_pairs(block) + len(without) + 1 == forced_pairs(block) + len(with_detours) == best.inversions
    )


def test_a_packing_that_is_cut_short_is_smaller() -> None:
    block = Block([9, 9, 1, 1, 5], [(0, 2), (0, 3), (1, 2)])
    closure = TransitiveClosure(block_of(block.keys, block.precedence))
    assert len(CyclePacking(closure, range(5), effort=Effort(14))) == 1


@given(blocks(), st.sampled_from([None, pull_up, push_down]), st.booleans())
def test_no_order_has_fewer_inversions_than_forced_and_cycles(
    block: Block, guide: object, detours: bool
) -> None:
    window = block_of(block.keys, block.precedence)
    order = guide(window) if callable(guide) else list(range(window.size))
    assert forced_pairs(block) + len(pack(block, order, detours=detours)) <= true_minimum(block)


@given(blocks(), st.booleans())
def test_each_cycle_pays_for_one_inversion_of_the_guiding_order(block: Block, detours: bool) -> None:
    order = push_down(block_of(block.keys, block.precedence))
    inversions = count_pairs([block.keys[op] for op in order])
    assert forced_pairs(block) + len(pack(block, order, detours=detours)) <= inversions


def test_cycles_with_detours_are_closed_and_share_no_soft_edge() -> None:
    keys: list[Key] = [19, 4, 15, 7, 18, 0, 5, 6, 17, 12, 13, 14, 3, 10, 8, 9, 16, 11, 1, 2]
    users = {0: (1, 19), 1: (13,), 2: (8, 15, 16, 19), 3: (13, 19), 5: (10, 14), 6: (14,), 7: (16, 18)}
    users |= {8: (14, 15), 10: (11, 18), 11: (18,), 12: (18,), 17: (19,)}
    block = Block(keys, [(producer, user) for producer, those in users.items() for user in those])
    window = block_of(block.keys, block.precedence)
    closure = TransitiveClosure(window)
    packing = CyclePacking(closure, best_order(window).order)
    packing.find_detours()
    cycles = packing.cycles()
    assert any(len(cycle) > 2 for cycle in cycles)
    for cycle in cycles:
        broken, *others = cycle
        ends_at = broken[0]  # the broken edge y -> x closes what leads from x to y
        reached = broken[1]
        left = list(others)
        while left:
            start, end = next(edge for edge in left if closure.with_descendants[reached] >> edge[0] & 1)
            left.remove((start, end))
            reached = end
        assert closure.with_descendants[reached] >> ends_at & 1
        assert all(closure.smaller_independent[end] >> start & 1 for start, end in others)
    edges = [edge for cycle in cycles for edge in cycle]
    assert len(edges) == len(set(edges))


def test_a_detour_may_pass_the_op_with_the_smallest_key() -> None:
    # By rising key the ops are 0 (key 1), 1 (key 3) and 2 (key 5): 5 leads to 1, and a soft edge to 3.
    closure = TransitiveClosure(block_of([5, 1, 3], precedence_of(3, [(0, 1)])))
    assert CyclePacking(closure, [0, 1, 2])._retrace([(2, -1), (1, 0)]) == [0 * 3 + 1]
