import pytest
from hypothesis import given

from eio_audit.order.precedence import effective_keys
from tests.order.small_blocks import Block, Key, blocks, precedence_of


@pytest.mark.parametrize(
    ("keys", "edges", "expected"),
    [
        pytest.param([None, 8, 5], [(0, 1), (0, 2)], [5, 8, 5], id="smallest user"),
        pytest.param([8, 5, None], [(0, 2), (1, 2)], [8, 5, 8], id="else largest producer"),
        pytest.param([9, None, 5], [(0, 1), (1, 2)], [9, 5, 5], id="a user before a producer"),
        pytest.param([None, None, 5], [(0, 1), (1, 2)], [5, 5, 5], id="through unindexed users"),
        pytest.param([5, None, None], [(0, 1), (1, 2)], [5, 5, 5], id="through unindexed producers"),
        pytest.param([7, None, 3], [], [7, 7, 3], id="else the op before"),
        pytest.param([None, None, 3, 1], [], [3, 3, 3, 1], id="else the next op"),
        pytest.param([None, 50, 10, None], [(0, 3), (2, 3)], [10, 50, 10, 10], id="never above a user"),
        pytest.param([None, None], [(0, 1)], [0, 0], id="nothing indexed"),
        pytest.param([], [], [], id="no ops"),
    ],
)
def test_effective_keys(keys: list[Key], edges: list[tuple[int, int]], expected: list[int]) -> None:
    assert effective_keys(keys, precedence_of(len(keys), edges)) == expected


@given(blocks())
def test_indexed_ops_keep_their_keys(block: Block) -> None:
    effective = effective_keys(block.keys, block.precedence)
    assert all(key in (None, own) for key, own in zip(block.keys, effective, strict=True))


@given(blocks())
def test_an_unindexed_op_is_never_above_its_user(block: Block) -> None:
    effective = effective_keys(block.keys, block.precedence)
    for producer, user in block.edges:
        assert block.keys[producer] is not None or effective[producer] <= effective[user]


@given(blocks())
def test_keys_are_borrowed_not_invented(block: Block) -> None:
    known = {key for key in block.keys if key is not None} or {0}
    assert set(effective_keys(block.keys, block.precedence)) <= known
