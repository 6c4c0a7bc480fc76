import pytest

from tests.internals import (
    BestOrder,
    CyclePacking,
    Effort,
    LowerBound,
    TransitiveClosure,
    best_order,
    block_of,
)
from tests.internals import packed_order_module as packed_order
from tests.order.small_blocks import Block


@pytest.mark.parametrize(
    ("steps", "open_pairs"),
    [
        pytest.param(100, [0b01000, 0, 0b01000, 0, 0b00011], id="a packing that meets the order"),
        pytest.param(-1, None, id="a smaller one, though the bound is known otherwise"),
    ],
)
def test_what_minimal_orders_break_is_known_from_a_packing_that_meets_them(
    steps: int, open_pairs: list[int] | None
) -> None:
    block = Block([2, 4, 1, 4, 1], [(0, 1), (1, 2), (3, 4)])
    best = BestOrder([0, 1, 2, 3, 4], 5, LowerBound(forced=3, total=5, forced_complete=True))
    closure = TransitiveClosure(block_of(block.keys, block.precedence))
    assert best.with_cycles(CyclePacking(closure, best.order, Effort(steps))).bound.open_pairs == open_pairs


def test_a_better_order_that_the_exact_search_finds_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("improve", "slide"):
        monkeypatch.setattr(packed_order, name, lambda _window, order, _effort: list(order))
    block = Block([4, 2, 0, 1, 3], [(0, 1), (1, 2), (3, 4)])
    assert best_order(block_of(block.keys, block.precedence)).inversions == 5


def test_a_gap_that_is_hopeless_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_order, "SEARCH_GAP", -1)
    monkeypatch.setattr(packed_order, "search", None)
    block = Block([4, 2, 0, 1, 3], [(0, 1), (1, 2), (3, 4)])
    assert best_order(block_of(block.keys, block.precedence)).inversions >= 5
