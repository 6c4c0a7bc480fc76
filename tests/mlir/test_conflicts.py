"""Which ops keep their order for what they touch, against the definition: every two that conflict."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import combinations

import pytest

from tests.internals import IR
from tests.internals import resources_module as module
from tests.reading import ir_of

CHANGES, EVERYTHING, MEMORY = {"write", "free"}, "everything", "memory"
Resource = int | str | tuple[int, ...]
Touches = Mapping[Resource, frozenset[str]]
PLACES: list[Resource] = [0, 1, 2, MEMORY, (7,), (8,), EVERYTHING, "stack"]
KINDS = [frozenset({"read"}), frozenset({"read"}), frozenset({"write"}), frozenset({"read", "free"})]
Pairs = set[tuple[int, int]]


class Touched:
    """What each op touches, as an EffectTable tells it."""

    def __init__(self, touches: dict[int, Touches], fences: set[int]) -> None:
        self._touches = touches
        self.fences = fences

    def touching_ops(self) -> list[int]:
        return sorted(self._touches)

    def touches(self, op: int) -> Touches:
        return self._touches[op]


def program(chance: random.Random, depth: int = 0) -> str:
    """Ops with regions in one another."""
    ops = []
    for _ in range(chance.randrange(1, 7)):
        region = f"({{\n{program(chance, depth + 1)}}}) " if depth < 2 and chance.random() < 0.25 else ""
        ops.append(f'"t.op"() {region}: () -> ()\n')
    return "".join(ops)


def touches(chance: random.Random, size: int) -> dict[int, Touches]:
    places = chance.sample(PLACES, chance.randrange(1, len(PLACES) + 1))
    return {
        op: {
            place: chance.choice(KINDS)
            for place in chance.sample(places, chance.randrange(1, len(places) + 1))
        }
        for op in range(size)
        if chance.random() < 0.7
    }


def share(one: Resource, two: Resource) -> bool:
    """Whether two places overlap.

    Everything is all memory and all buffers, which have numbers. Memory holds the allocations, which are tuples.
    """

    def is_in(part: Resource, whole: Resource) -> bool:
        is_memory = part == MEMORY or isinstance(part, tuple)
        return (
            part == whole
            or (is_memory and whole == MEMORY)
            or (whole == EVERYTHING and (is_memory or isinstance(part, int)))
        )

    return is_in(one, two) or is_in(two, one)


def in_conflict(ir: IR, effects: Touched, block: int) -> Pairs:
    """The ops of a block, by place, that conflict with what is nested in them."""

    def inside(op: int) -> list[tuple[Resource, frozenset[str]]]:
        within = range(op, ir.subtree_end[op])
        return [
            touch for inner in within if inner in effects._touches for touch in effects.touches(inner).items()
        ]

    touched = [inside(op) for op in ir.block_ops[block]]
    return {
        (early, late)
        for early, late in combinations(range(len(touched)), 2)
        for place, kinds in touched[early]
        for other, other_kinds in touched[late]
        if share(place, other) and (kinds | other_kinds) & CHANGES
    }


def closed(pairs: Pairs, size: int) -> Pairs:
    """The pairs that a chain of pairs joins."""
    after: list[set[int]] = [set() for _ in range(size)]
    for early, late in sorted(pairs, reverse=True):
        after[early] |= {late} | after[late]
    return {(early, late) for early in range(size) for late in after[early]}


def conflicts_of(ir: IR, effects: Touched, blocks: list[int]) -> Iterator[tuple[int, int, int]]:
    return module.conflicts(ir, effects.touching_ops(), effects.touches, effects.fences, blocks)


def found(ir: IR, effects: Touched, wanted: list[int]) -> Iterator[tuple[int, Pairs]]:
    """By block the pairs of places that ``conflicts`` tells."""
    triples = list(conflicts_of(ir, effects, wanted))
    assert {block for block, *_ in triples} <= set(wanted)
    for block in wanted:
        ops = list(ir.block_ops[block])
        yield block, {(ops.index(early), ops.index(late)) for b, early, late in triples if b == block}


@pytest.mark.parametrize("seed", range(150))
def test_chains_of_pairs_join_what_conflicts_and_nothing_else(seed: int) -> None:
    chance = random.Random(seed)
    ir = ir_of(program(chance))
    effects = Touched(touches(chance, len(ir)), set())
    wanted = [block for block in range(ir.block_count) if chance.random() < 0.7]
    for block, pairs in found(ir, effects, wanted):
        size = len(ir.block_ops[block])
        assert closed(pairs, size) == closed(in_conflict(ir, effects, block), size)


@pytest.mark.parametrize("seed", range(30))
def test_where_there_are_many_no_conflict_is_lost(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MANY", 1)
    chance = random.Random(seed)
    size = 14
    ir = ir_of('"t.op"() : () -> ()\n' * size)
    everything: Touches = {EVERYTHING: frozenset({"read"})}
    effects = Touched(
        {op: everything if chance.random() < 0.5 else {op % 5: frozenset({"write"})} for op in range(size)},
        set(),
    )
    ((_, pairs),) = found(ir, effects, [0])
    assert closed(pairs, size) >= in_conflict(ir, effects, 0)
    assert len(pairs) <= 3 * size


@pytest.mark.parametrize("seed", range(20))
def test_every_op_stays_on_its_side_of_a_fence(seed: int) -> None:
    chance = random.Random(seed)
    ir = ir_of(program(chance))
    fences = {op for op in range(len(ir)) if chance.random() < 0.2}
    for block, pairs in found(ir, Touched({}, fences), list(range(ir.block_count))):
        ops = ir.block_ops[block]
        is_fence = [any(inner in fences for inner in range(op, ir.subtree_end[op])) for op in ops]
        apart = {(a, b) for a, b in combinations(range(len(ops)), 2) if is_fence[a] or is_fence[b]}
        assert closed(pairs, len(ops)) == closed(apart, len(ops))


def test_a_block_that_begins_where_another_ends_is_looked_at_too() -> None:
    op = '"t.a"() : () -> ()\n'
    ir = ir_of(f'"t.r"() ({{\n{op}{op}^bb1:\n{op}{op}}}) : () -> ()\n')
    effects = Touched({op: {MEMORY: frozenset({"write"})} for op in range(1, 5)}, set())
    assert dict(found(ir, effects, [1, 2])) == {1: {(0, 1)}, 2: {(0, 1)}}


def test_the_first_op_may_be_the_one_that_changes_everything() -> None:
    ir = ir_of('"t.op"() : () -> ()\n' * 2)
    effects = Touched({0: {EVERYTHING: frozenset({"write"})}, 1: {7: frozenset({"read"})}}, set())
    assert list(conflicts_of(ir, effects, [0])) == [(0, 0, 1)]
