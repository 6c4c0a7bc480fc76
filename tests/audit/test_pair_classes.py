"""The class of each inversion of a block."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eio_audit import read, read_text
from eio_audit.audit.check.keyed_block import PairClasses
from tests.internals import FixedBlock, audit_dump
from tests.real_samples import SAMPLES

INDICES = st.lists(st.integers(0, 9), min_size=3, max_size=9)


def block_of(text: str) -> FixedBlock:
    dump = audit_dump(read_text(text)[0])
    return FixedBlock(dump, dump.blocks[0])


def classes(block: FixedBlock) -> dict[tuple[int, int], str]:
    """Return the class of each inverted pair, asked for one by one."""
    keys, each = {place: block.key(place) for place in block.indexed}, PairClasses(block)
    return {(u, v): each.of(u, v) for u, v in combinations(block.indexed, 2) if keys[u] > keys[v]}


def in_bulk(block: FixedBlock) -> dict[tuple[int, int], str]:
    """Return the class of each inverted pair; the bit of an op is its place."""
    divided, keys = PairClasses(block), {place: block.key(place) for place in block.indexed}
    inverted = {u: sum(1 << v for v in keys if v > u and keys[u] > keys[v]) for u in keys}
    return {
        (u, v): one
        for u, pairs in inverted.items()
        for one, bits in divided.divide(u, pairs).items()
        for v in keys
        if bits >> v & 1
    }


FUSED = """
func.func @f(%a: i32) {
  %m = "ttir.matmul"(%a) : (i32) -> i32 loc("1|x")
  %q = "ttir.slice_static"(%m) : (i32) -> i32 loc("2|x")
  %k = "ttir.slice_static"(%m) : (i32) -> i32 loc("4|x")
  %s = "ttir.abs"(%q) : (i32) -> i32 loc("3|x")
  %t = "ttir.add"(%s, %k) : (i32, i32) -> i32 loc("5|x")
  return
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(FUSED, {(2, 3): "split"}, id="a split"),
        pytest.param(
            """func.func @f(%a: i32) {
              %0 = "ttir.abs"(%a) : (i32) -> i32 loc("2|x")
              %1 = "ttir.exp"(%a) : (i32) -> i32 loc("1|x")
              return
            }""",
            {(0, 1): "out of place"},
            id="out of place",
        ),
        pytest.param(
            """func.func @f(%a: i32) {
              %0 = "ttir.abs"(%a) : (i32) -> i32 loc("2|x")
              %1 = "ttir.exp"(%0) : (i32) -> i32 loc("1|x")
              return
            }""",
            {(0, 1): "wrong index"},
            id="a wrong index",
        ),
        pytest.param(
            """func.func @f(%a: i32) {
              %c = "ttir.constant"() : () -> i32 loc("2|x")
              %1 = "ttir.exp"(%a) : (i32) -> i32 loc("1|x")
              %2 = "ttir.add"(%1, %c) : (i32, i32) -> i32 loc("3|x")
              return
            }""",
            {(0, 1): "hoisted constant"},
            id="a hoisted constant",
        ),
    ],
)
def test_the_class_of_a_pair(text: str, expected: dict[tuple[int, int], str]) -> None:
    block = block_of(text)
    assert classes(block) == expected
    assert in_bulk(block) == expected


@pytest.mark.parametrize("name", ["resnet/after_alias.mlir", "small/after_alias.mlir"])
def test_all_pairs_of_a_sample(name: str) -> None:
    dump = audit_dump(read(SAMPLES / name)[0])
    block = FixedBlock(dump, dump.blocks[0])
    assert in_bulk(block) == classes(block)
    assert len(classes(block)) == block.audit.inversions


@settings(max_examples=2 * settings().max_examples)
@given(INDICES, st.data())
def test_classes_in_bulk_are_those_of_the_pairs(indices: list[int], data: st.DataObject) -> None:
    """Also: put-back pairs are at least as many as avoidable inversions, and each has one class."""
    ops, names = [], ["%a"]
    for k, index in enumerate(indices):
        operands = data.draw(st.lists(st.sampled_from(names[-3:]), max_size=2))
        types = ", ".join("i32" for _ in operands)
        name = data.draw(st.sampled_from(["ttir.abs", "ttir.exp"])) if operands else "ttir.constant"
        ops.append(f'  %{k} = "{name}"({", ".join(operands)}) : ({types}) -> i32 loc("{index}|x")')
        names.append(f"%{k}")
    block = block_of("\n".join(["func.func @f(%a: i32) {", *ops, "  return", "}"]))
    found = classes(block)
    assert in_bulk(block) == found
    put_back = [pair for pair, one in found.items() if one != "wrong index"]
    assert len(put_back) >= block.audit.avoidable
