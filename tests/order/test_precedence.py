import pytest
from hypothesis import given

from tests.internals import Precedence
from tests.order.small_blocks import Block, blocks, descendants, precedence_of


def neighbours(precedence: Precedence) -> list[tuple[list[int], list[int]]]:
    return [
        (list(precedence.predecessors(op)), list(precedence.successors(op))) for op in range(precedence.size)
    ]


def test_an_edge_is_seen_from_both_ends() -> None:
    assert neighbours(precedence_of(2, [(0, 1)])) == [([], [1]), ([0], [])]


def test_duplicate_edges_count_once() -> None:
    assert precedence_of(3, [(0, 2), (0, 2), (1, 2)]).edge_count == 2


def test_a_block_without_ops() -> None:
    assert precedence_of(0, []).size == 0


def test_an_order_that_breaks_a_dependence_is_refused() -> None:
    with pytest.raises(ValueError, match="op 1 is placed before op 0, which it depends on"):
        precedence_of(2, [(0, 1)]).restricted([1, 0])


def test_a_restriction_forgets_what_leaves_it() -> None:
    part = precedence_of(4, [(0, 1), (1, 2), (2, 3), (0, 3)]).restricted([0, 2, 3])
    assert neighbours(part) == [([], [2]), ([], [2]), ([0, 1], [])]


@given(blocks())
def test_a_restriction_has_the_edges_among_its_ops(block: Block) -> None:
    ops = [*range(1, len(block.keys), 3), *range(2, len(block.keys), 3)]
    legal = all(not (p in ops and u in ops) or ops.index(p) < ops.index(u) for p, u in block.edges)
    edges = {(ops.index(p), ops.index(u)) for p, u in block.edges if p in ops and u in ops}
    if legal:
        assert neighbours(block.precedence.restricted(ops)) == neighbours(
            precedence_of(len(ops), list(edges))
        )
    else:
        with pytest.raises(ValueError, match="is placed before"):
            block.precedence.restricted(ops)


@given(blocks(unindexed=False))
def test_inverted_edges_have_the_larger_key_first(block: Block) -> None:
    keys = [key or 0 for key in block.keys]
    inverted = {(producer, user) for producer, user in block.edges if keys[producer] > keys[user]}
    assert set(block.precedence.inverted(keys)) == inverted


@given(blocks())
def test_touching_edges_have_an_end_among_the_ops(block: Block) -> None:
    ops = range(0, len(block.keys), 3)
    touching = {(producer, user) for producer, user in block.edges if producer in ops or user in ops}
    assert set(block.precedence.touching(ops)) == touching


@given(blocks())
def test_neighbours_are_the_edges(block: Block) -> None:
    precedence = block.precedence
    edges = sorted(set(block.edges))
    ops = range(precedence.size)
    assert [(op, user) for op in ops for user in precedence.successors(op)] == edges
    assert sorted((producer, op) for op in ops for producer in precedence.predecessors(op)) == edges
    assert precedence.edge_count == len(edges)


@given(blocks())
def test_edge_order_and_duplicates_do_not_matter(block: Block) -> None:
    shuffled = block.edges[::-1] + block.edges[:3]
    assert neighbours(precedence_of(len(block.keys), shuffled)) == neighbours(block.precedence)


@given(blocks())
def test_a_sweep_meets_the_edges_by_user(block: Block) -> None:
    users = [user for _, user in precedence_of(len(block.keys), block.edges[::-1]).forwards()]
    assert users == sorted(users)


@given(blocks())
def test_a_mirror_turns_every_edge_round(block: Block) -> None:
    last = len(block.keys) - 1
    turned = precedence_of(
        len(block.keys), [(last - user, last - producer) for producer, user in block.edges]
    )
    assert neighbours(block.precedence.mirrored()) == neighbours(turned)


@given(blocks(unindexed=False))
def test_what_is_smallest_below_is_largest_above_in_the_mirror(block: Block) -> None:
    keys = [key or 0 for key in block.keys]
    below = descendants(block)
    assert block.precedence.smallest_below(keys) == [
        min(keys[other] for other in {op} | below[op]) for op in range(len(keys))
    ]
    assert block.precedence.largest_above(keys) == [
        max(key for other, key in enumerate(keys) if op == other or op in below[other])
        for op in range(len(keys))
    ]
