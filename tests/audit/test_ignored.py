"""``diff --ignore``: what ops may differ in and still count as equal, as in the lowering for two shapes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import Diff, diff, read_text
from tests.cli.running import SAMPLES
from tests.programs import loops, programs

TYPES = [
    "i8",
    "!my.type",
    "!llvm.ptr<3>",
    "tuple<i1, index>",
    "tensor<4x?x8xbf16, #my.layout<i8>>",
    "vector<[4]xf16>",
]
LAYER = """#map = affine_map<(d0) -> (d0)>
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %0 = "t.pad"(%a, %c) {high = 4 : i32, is = i8, like = array<i64: 2>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  cf.br ^bb1(%0 : tensor<4xf32>)
^bb1(%x: tensor<4xf32>):
  return %x : tensor<4xf32>
}
"""


def compared(before: str, after: str, *ignore: str) -> Diff:
    return diff(read_text(before)[0], read_text(after)[0], ignore=ignore)


@given(st.one_of(programs(), loops()), st.sampled_from(TYPES))
def test_a_program_with_all_its_types_changed_is_the_same_up_to_types(text: str, new: str) -> None:
    changed = text.replace("memref<4xi32>", "memref<?x7xf16>").replace("i32", new)
    result = compared(text, changed, "types")
    assert result.sameness.sameness in {"bytes", "names"}
    assert not any(result.ops.groups.values())


def test_a_network_with_other_shapes_and_element_types_is_the_same_up_to_types() -> None:
    text = (SAMPLES / "resnet" / "before_inline.mlir").read_text()
    shapes = re.sub(r"tensor<[^>]*>", lambda m: re.sub(r"(\d+)x", r"2\1x", m[0]).replace("bf16", "f32"), text)
    assert (compared(text, shapes, "types").sameness.sameness, shapes == text) == ("names", False)


@pytest.mark.parametrize(
    ("old", "new", "ignore", "modified"),
    [
        ("4xf32", "8xbf16", "types", 0),
        ("i8", "i16", "types", 0),
        ("i64: 2", "i32: 2", "types", 0),
        ("i64: 2", "i64: 3", "types", 1),
        ("dense<1.0>", "dense<2.0>", "types", 1),
        ("dense<1.0>", "dense<2.0>", "constants", 0),
        ("high = 4", "high = 5", "constants", 1),
        ("tensor<4xf32>\n  %0", "tensor<8xf32>\n  %0", "constants", 1),
        ("high = 4", "high = 5", "attributes", 0),
        ("dense<1.0>", "dense<2.0>", "attributes", 0),
        ("is = i8, ", "", "attributes", 0),
        ("4xf32", "8xf32", "attributes", 5),
        ("t.pad", "t.slice", "attributes", 1),
    ],
)
def test_what_is_ignored(old: str, new: str, ignore: str, modified: int) -> None:
    result = compared(LAYER, LAYER.replace(old, new), ignore)
    assert len(result.ops.modified) == modified
    assert (result.sameness.sameness == "names") == (modified == 0)


@pytest.mark.parametrize("ignore", ["types", "constants", "attributes"])
def test_operands_and_successors_count_whatever_is_ignored(ignore: str) -> None:
    text = """func.func @f(%c: i1, %a: i32, %b: i32) {
  "t.use"(%a) : (i32) -> ()
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  return
^bb2:
  cf.br ^bb1
}
"""
    assert len(compared(text, text.replace('use"(%a)', 'use"(%b)'), ignore).ops.modified) == 1
    assert compared(text, text.replace("^bb1, ^bb2", "^bb2, ^bb1"), ignore).sameness.sameness == "none"


@pytest.mark.parametrize(
    ("ignore", "same"), [("types", "none"), ("constants", "names"), ("attributes", "names")]
)
def test_the_blobs_of_resources_are_constants(ignore: str, same: str) -> None:
    text = 'func.func @f() {\n  return\n}\n{-# dialect_resources: { builtin: { w: "0x0400" } } #-}\n'
    assert compared(text, text.replace("0x04", "0x05"), ignore).sameness.sameness == same


def test_other_names_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^expected ignore to be some of types, constants, attributes, not 'x'$"
    ):
        compared(LAYER, LAYER, "x")
