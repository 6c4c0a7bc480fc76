import pytest
from hypothesis import given

from eio_audit.order.windows import split_into_windows
from tests.internals import Window, block_of
from tests.order.small_blocks import Block, blocks, count_pairs, precedence_of, true_minimum


def split(keys: list[int], edges: list[tuple[int, int]]) -> tuple[list[int], list[tuple[int, int]]]:
    return split_into_windows(Window(keys, [True] * len(keys), precedence_of(len(keys), edges)))


def test_without_inverted_dependences_every_key_is_a_window() -> None:
    assert split([2, 0, 1, 0], [(1, 3)]) == ([1, 3, 2, 0], [])


def test_an_inverted_dependence_joins_the_keys_between() -> None:
    assert split([3, 0, 1, 4, 2], [(0, 2)]) == ([1, 0, 2, 4, 3], [(1, 4)])


def test_windows_that_only_touch_stay_apart() -> None:
    assert split([1, 0, 3, 2], [(0, 1), (2, 3)]).spans == [(0, 2), (2, 4)]


def test_overlapping_dependences_make_one_window() -> None:
    assert split([2, 0, 3, 1], [(0, 1), (2, 3)]).spans == [(0, 4)]


def test_windows_that_share_a_key_are_one() -> None:
    assert split([2, 1, 0], [(0, 1), (1, 2)]) == ([0, 1, 2], [(0, 3)])
    assert split([2, 1, 3, 2], [(0, 1), (2, 3)]).spans == [(0, 4)]


def test_a_block_without_ops() -> None:
    assert split([], []) == ([], [])


@given(blocks())
def test_windows_in_sequence_keep_every_dependence(block: Block) -> None:
    windows = split_into_windows(block_of(block.keys, block.precedence))
    assert sorted(windows.order) == list(range(len(block.keys)))
    block.precedence.restricted(windows.order)  # raises when a dependence points back


@given(blocks())
def test_windows_have_no_inversion_across_and_their_minima_add_up(block: Block) -> None:
    windows = split_into_windows(block_of(block.keys, block.precedence))
    within = total_minimum = 0
    for start, stop in windows.spans:
        ops = windows.order[start:stop]
        place = {op: k for k, op in enumerate(ops)}
        edges = [(place[u], place[v]) for u, v in block.edges if u in place and v in place]
        part = Block([block.keys[op] for op in ops], edges)
        within += count_pairs(part.keys)
        total_minimum += true_minimum(part)
    assert count_pairs([block.keys[op] for op in windows.order]) == within
    assert total_minimum == true_minimum(block)


@given(blocks())
def test_a_mirrored_window_has_as_many_inversions(block: Block) -> None:
    window = block_of(block.keys, block.precedence)
    textual = range(window.size)
    assert window.mirrored().inversions(textual) == window.inversions(textual)


def test_a_window_with_larger_keys_throughout_has_the_same_shape() -> None:
    precedence = precedence_of(3, [(0, 1)])
    window, higher = Window([5, 1, 3], [True] * 3, precedence), Window([7, 3, 5], [True] * 3, precedence)
    assert window.shape == higher.shape


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(Window([6, 1, 3], [True] * 3, precedence_of(3, [(0, 1)])), id="a key"),
        pytest.param(
            Window([5, 1, 3], [True, True, False], precedence_of(3, [(0, 1)])), id="an unindexed op"
        ),
        pytest.param(Window([5, 1, 3], [True] * 3, precedence_of(3, [(0, 2)])), id="a dependence"),
    ],
)
def test_windows_that_differ_have_different_shapes(other: Window) -> None:
    assert other.shape != Window([5, 1, 3], [True] * 3, precedence_of(3, [(0, 1)])).shape


def test_large_and_negative_keys_become_ranks() -> None:
    assert block_of([70, -5, 10**30, -5], precedence_of(4, [])).keys == [1, 0, 2, 0]
