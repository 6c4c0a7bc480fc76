from hypothesis import given

from tests.internals import TransitiveClosure, block_of
from tests.order.small_blocks import Block, blocks, descendants, forced_pairs, is_inversion


@given(blocks())
def test_relations_are_what_their_names_say(block: Block) -> None:
    closure = TransitiveClosure(block_of(block.keys, block.precedence))

    def places(bitset: int) -> set[int]:
        return {closure.place_of[op] for op in range(len(block.keys)) if bitset >> op & 1}

    keys = block.keys
    below = descendants(block)
    for op, place in enumerate(closure.place_of):
        others = set(range(len(keys))) - {place}
        assert closure.number_of[place] == op
        above = {other for other in others if place in below[other]}
        assert places(closure.with_descendants[op]) == {place} | below[place]
        assert places(closure.with_ancestors[op]) == {place} | above
        free = others - below[place] - above
        assert places(closure.smaller_independent[op]) == {
            o for o in free if is_inversion(keys[place], keys[o])
        }
        assert places(closure.larger_independent[op]) == {
            o for o in free if is_inversion(keys[o], keys[place])
        }
    assert closure.forced == forced_pairs(block)
