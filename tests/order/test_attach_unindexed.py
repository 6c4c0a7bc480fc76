import pytest
from hypothesis import given

from eio_audit.order.precedence import attach_unindexed
from tests.internals import displaced, restore_order
from tests.order.small_blocks import Block, Key, blocks


@pytest.mark.parametrize(
    ("keys", "edges", "order", "expected"),
    [
        pytest.param([None, 9, 5], [(0, 1)], [0, 2, 1], [2, 0, 1], id="in front of its user"),
        pytest.param([9, None, 5], [(0, 1)], [2, 0, 1], [2, 0, 1], id="behind its producer"),
        pytest.param(
            [None, None, 9, 5], [(0, 1), (1, 2)], [0, 1, 3, 2], [3, 0, 1, 2], id="one after the other"
        ),
        pytest.param([None, None, 9, 5], [(0, 2), (1, 2)], [0, 1, 3, 2], [3, 0, 1, 2], id="in their order"),
        pytest.param([None, 9, 8, 5], [(0, 1), (0, 2)], [0, 3, 2, 1], [3, 0, 2, 1], id="the first user"),
    ],
)
def test_followers(
    keys: list[Key], edges: list[tuple[int, int]], order: list[int], expected: list[int]
) -> None:
    indexed = [key is not None for key in keys]
    assert attach_unindexed(Block(keys, edges).precedence, indexed, order, kept=[]) == expected


def test_what_is_kept_stays() -> None:
    block = Block([None, 9, 5, 7], [(0, 1)])
    order = [0, 2, 3, 1]
    assert attach_unindexed(block.precedence, [False, True, True, True], order, kept=[0, 2, 3]) == order


def can_be_kept(order: list[int], op: int) -> bool:
    place = order.index(op)
    through = [
        *(other for other in order[:place] if other < op),
        op,
        *(other for other in order[place:] if other > op),
    ]
    return len(through) - len(displaced(through)) == len(order) - len(displaced(order))


@given(blocks())
def test_an_unindexed_op_is_kept_or_stands_with_its_consumer_or_producer(block: Block) -> None:
    restoration = restore_order(block.keys, block.precedence)
    order = restoration.order
    for place, op in enumerate(order):
        if block.keys[op] is not None or can_be_kept(order, op):
            continue
        users = set(block.precedence.successors(op))
        producers = set(block.precedence.predecessors(op))
        others = order[place + 1 :] if users else order[place - 1 :: -1] if place else []
        nearest = next(
            (other for other in others if block.keys[other] is not None or other in users | producers), None
        )
        assert not users | producers or nearest in (users or producers)
