"""Small random blocks, and slow but obvious answers for them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from hypothesis import strategies as st

from tests.internals import Precedence

Key = int | None


@dataclass(frozen=True)
class Block:
    keys: list[Key]
    edges: list[tuple[int, int]]

    @property
    def precedence(self) -> Precedence:
        return precedence_of(len(self.keys), self.edges)


def precedence_of(size: int, edges: Sequence[tuple[int, int]]) -> Precedence:
    return Precedence.from_edges(size, [producer for producer, _ in edges], [user for _, user in edges])


def dense_block(seed: int) -> Block:
    """A block of 4 to 8 ops with 15 to 45 % of the dependences that it may have, and an index on most ops.

    Indices are distinct in three of four blocks. One block in four has an op without an index.
    """
    chance = random.Random(seed)
    size = chance.randrange(4, 9)
    share = chance.uniform(0.15, 0.45)
    keys: list[Key] = [*chance.sample(range(size), size)]
    if chance.random() < 0.25:
        keys = [*chance.choices(range(size), k=size)]
    if chance.random() < 0.25:
        keys[chance.randrange(size)] = None
    return Block(keys, [pair for pair in combinations(range(size), 2) if chance.random() < share])


@st.composite
def sparse_blocks(draw: st.DrawFn, unindexed: bool = True) -> Block:
    size = draw(st.integers(0, 8))
    key = st.integers(-1, draw(st.sampled_from([1, 4, 30])))
    keys = draw(st.lists(st.none() | key if unindexed else key, min_size=size, max_size=size))
    pairs = list(combinations(range(size), 2))
    edges = draw(st.lists(st.sampled_from(pairs), max_size=draw(st.integers(0, 16)))) if pairs else []
    return Block(keys, edges)


def blocks(unindexed: bool = True) -> st.SearchStrategy[Block]:
    """Blocks with few dependences and few indices, and dense ones; without ``unindexed`` all ops have one."""
    dense = st.integers(0, 10**6).map(dense_block)
    return sparse_blocks(unindexed) | (dense if unindexed else dense.filter(lambda b: None not in b.keys))


@st.composite
def tangled_blocks(draw: st.DrawFn) -> Block:
    """Blocks with many dependences against the keys."""
    chance = draw(st.randoms(use_true_random=True))
    size = chance.randrange(2, 9)
    keys: list[Key] = [chance.randrange(-1, size) + (size - op) // 2 for op in range(size)]
    if chance.random() < 0.3:
        keys[chance.randrange(size)] = None
    share = chance.choice([0.15, 0.3, 0.6])
    return Block(keys, [pair for pair in combinations(range(size), 2) if chance.random() < share])


def count_pairs(keys: Sequence[Key]) -> int:
    """Inversions by their definition."""
    return sum(is_inversion(one, two) for one, two in combinations(keys, 2))


def is_inversion(one: Key, two: Key) -> bool:
    return one is not None and two is not None and one > two


def descendants(block: Block) -> list[set[int]]:
    below: list[set[int]] = [set() for _ in block.keys]
    for producer, user in sorted(block.edges, reverse=True):
        below[producer] |= {user} | below[user]
    return below


def forced_pairs(block: Block) -> int:
    return sum(
        is_inversion(block.keys[op], block.keys[lower])
        for op, below in enumerate(descendants(block))
        for lower in below
    )


def true_minimum(block: Block) -> int:
    """Fewest inversions of any linear extension, by the sets of ops placed so far (down-sets)."""
    ops = range(len(block.keys))
    producers = [sum({1 << producer for producer, user in block.edges if user == op}) for op in ops]
    larger = [sum(1 << o for o in ops if is_inversion(block.keys[o], block.keys[op])) for op in ops]
    fewest = {0: 0}
    for _ in ops:
        longer: dict[int, int] = {}
        for placed, inversions in fewest.items():
            for op in ops:
                if placed >> op & 1 or producers[op] & ~placed:
                    continue
                grown = placed | 1 << op
                total = inversions + (larger[op] & placed).bit_count()
                longer[grown] = min(longer.get(grown, total), total)
        fewest = longer
    return min(fewest.values())


def fewest_moved(block: Block, inversions: int) -> int:
    """Fewest ops to move from textual order for an order with that many inversions, by trying which to keep.

    The ops kept are in textual order: dependences between neighbours among them say so.
    """
    ops = range(len(block.keys))
    for moved in range(len(block.keys) + 1):
        for kept in combinations(ops, len(block.keys) - moved):
            chained = Block(block.keys, block.edges + list(pairwise(kept)))
            if true_minimum(chained) == inversions:
                return moved
    raise ValueError(f"no order has {inversions} inversions")
