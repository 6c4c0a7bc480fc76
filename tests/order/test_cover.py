from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.bounds.cover import order_by_cover
from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.effort import Effort
from eio_audit.order.search.schedules import CANDIDATES
from eio_audit.order.windows import block_of
from tests.order.small_blocks import Block, blocks, count_pairs


def covered(block: Block, order: list[int] | None = None, effort: Effort | None = None) -> list[int] | None:
    relations = TransitiveClosure(block_of(block.keys, block.precedence))
    return order_by_cover(relations, CyclePacking(relations, order or range(len(block.keys))), effort)


def test_without_dependences_the_cover_sorts() -> None:
    assert covered(Block([3, 1, 2], [])) == [1, 2, 0]


def test_fewer_preferences_are_broken_than_before() -> None:
    # 2 follows 9 and 8, and could precede 1 alone.
    assert covered(Block([9, 8, 1, 2], [(0, 2), (1, 2)])) == [3, 1, 0, 2]


def test_no_steps_no_order() -> None:
    assert covered(Block([3, 1, 2], []), effort=Effort(0)) is None


@given(blocks(), st.sampled_from([None, *CANDIDATES]))
def test_every_dependence_is_kept(block: Block, guide: object) -> None:
    window = block_of(block.keys, block.precedence)
    order = covered(block, guide(window) if callable(guide) else None)
    assert order is not None
    assert sorted(order) == list(range(window.size))
    window.precedence.restricted(order)  # raises when a dependence points back


@given(blocks())
def test_an_order_that_the_packing_meets_is_not_made_worse(block: Block) -> None:
    relations = TransitiveClosure(block_of(block.keys, block.precedence))
    packing = CyclePacking(relations, range(len(block.keys)))
    order = order_by_cover(relations, packing)
    assert order is not None
    if len(packing) == len(packing.broken):
        assert count_pairs([block.keys[op] for op in order]) == count_pairs(block.keys)
