import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.order.precedence import after_last_uses
from tests.internals import restore_order
from tests.order.small_blocks import Block, blocks, precedence_of


@pytest.mark.parametrize(
    ("order", "followers", "edges", "expected"),
    [
        pytest.param([0, 1, 2], {2}, [(0, 2)], [0, 2, 1], id="behind what it waits for"),
        pytest.param([0, 1, 2, 3], {3}, [(0, 3), (1, 3)], [0, 1, 3, 2], id="behind the last"),
        pytest.param([1, 0, 2, 3], {3}, [(0, 3), (1, 3)], [1, 0, 3, 2], id="the last in the new order"),
        pytest.param([0, 1, 3, 2], {2, 3}, [(0, 2), (0, 3)], [0, 2, 3, 1], id="several in textual order"),
        pytest.param([0, 1, 2, 3], {1, 3}, [(0, 1), (1, 3)], [0, 1, 3, 2], id="behind another one"),
        pytest.param([0, 1, 2], {2}, [], [2, 0, 1], id="what waits for nothing comes first"),
        pytest.param([2, 0, 1], set(), [], [2, 0, 1], id="none"),
    ],
)
def test_where_they_stand(
    order: list[int], followers: set[int], edges: list[tuple[int, int]], expected: list[int]
) -> None:
    assert after_last_uses(order, followers, precedence_of(len(order), edges)) == expected


def last_use(op: int, order: list[int], followers: set[int], block: Block) -> int:
    """The place of the last op, no follower, that a follower waits for; -1 if there is none."""
    before = [u for u, v in block.edges if v == op]
    return max(
        (last_use(u, order, followers, block) if u in followers else order.index(u) for u in before),
        default=-1,
    )


@given(blocks(), st.data())
def test_the_new_order_is_legal_and_only_followers_part_a_follower_from_its_last_use(
    block: Block, data: st.DataObject
) -> None:
    order = restore_order(block.keys, block.precedence).order
    followers = data.draw(st.sets(st.sampled_from(order))) if order else set()
    placed = after_last_uses(order, followers, block.precedence)
    assert sorted(placed) == sorted(order)
    assert [op for op in placed if op not in followers] == [op for op in order if op not in followers]
    assert all(placed.index(before) < placed.index(after) for before, after in block.edges)
    for place, op in enumerate(placed):
        if op in followers:
            assert followers.issuperset(placed[last_use(op, placed, followers, block) + 1 : place])
    assert after_last_uses(placed, followers, block.precedence) == placed
