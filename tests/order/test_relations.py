from hypothesis import given

from eio_audit.order.bitsets import bits
from eio_audit.order.closure import Relations
from eio_audit.order.windows import block_of
from tests.order.small_blocks import Block, blocks, descendants, forced_pairs, is_inversion


@given(blocks())
def test_relations_are_what_their_names_say(block: Block) -> None:
    relations = Relations(block_of(block.keys, block.precedence))

    def places(bitset: int) -> set[int]:
        return {relations.place_of[op] for op in bits(bitset)}

    keys = block.keys
    below = descendants(block)
    for op, place in enumerate(relations.place_of):
        others = set(range(len(keys))) - {place}
        assert relations.number_of[place] == op
        above = {other for other in others if place in below[other]}
        assert places(relations.with_descendants[op]) == {place} | below[place]
        assert places(relations.with_ancestors[op]) == {place} | above
        assert places(relations.producers[op]) == {u for u, v in block.edges if v == place}
        assert {relations.place_of[user] for user in relations.users[op]} == {
            v for u, v in block.edges if u == place
        }
        free = others - below[place] - above
        assert places(relations.soft[op]) == {o for o in free if is_inversion(keys[place], keys[o])}
        assert places(relations.soft_above[op]) == {o for o in free if is_inversion(keys[o], keys[place])}
        same = {o for o in range(len(keys)) if keys[o] == keys[place]}
        assert places(relations.equal[op]) == (same if keys[place] is not None else set())
    assert places(relations.indexed) == {place for place, key in enumerate(keys) if key is not None}
    assert relations.forced == forced_pairs(block)
