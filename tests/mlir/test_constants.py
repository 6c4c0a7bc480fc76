"""What constants and static shapes show: which element is accessed, and that an op cannot trap."""

from __future__ import annotations

import pytest

from eio_audit.mlir.semantics import accesses
from tests.internals import IR
from tests.internals import value_types_module as value_types
from tests.reading import ir_of

DEFINED = """  %c0 = arith.constant 0 : index
  %c3 = "arith.constant"() <{value = 3 : index}> : () -> index
  %byte = arith.constant 255 : i8
"""
ARGUMENTS = "%m: memref<2x4xf32>, %t: tensor<4xf32>, %d: tensor<?x4xf32>, %i: index, %b: i8"


def last_op(line: str) -> tuple[IR, int]:
    ir = ir_of(f"func.func @f({ARGUMENTS}) {{\n{DEFINED}  {line}\n}}\n")
    return ir, len(ir) - 1


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%0 = memref.load %m[%c0, %c3] : memref<2x4xf32>", [(0, 3)]),
        ('%0 = "memref.load"(%m, %c0, %c3) : (memref<2x4xf32>, index, index) -> f32', [(0, 3)]),
        ("memref.store %i, %m[%c0, %c3] : memref<2x4xf32>", [(0, 3)]),
        ("%0 = memref.load %m[%c3, %c0] : memref<2x4xf32>", []),
        ("%0 = memref.load %m[%c0, %i] : memref<2x4xf32>", []),
        ("%0 = memref.load %m[%c0, %c3] : memref<2x4xf32, strided<[4, 1]>>", []),
        ("%0 = memref.load %m[%c0, %c3] : memref<?x4xf32>", []),
        ("%0 = affine.load %m[%c0, %c3] : memref<2x4xf32>", [(0, 3)]),
        ("%0 = affine.load %m[%c0, %i] : memref<2x4xf32>", []),
    ],
)
def test_an_element_is_one_at_constants_in_bounds(line: str, expected: list[tuple[int, ...]]) -> None:
    assert [*accesses.elements(*last_op(line))] == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%0 = arith.divsi %i, %c3 : index", True),
        ("%0 = arith.remui %i, %c3 : index", True),
        ("%0 = arith.divsi %i, %c0 : index", False),
        ("%0 = arith.divsi %b, %byte : i8", False),
        ("%0 = tensor.dim %d, %c0 : tensor<?x4xf32>", True),
        ("%0 = tensor.dim %d, %c3 : tensor<?x4xf32>", False),
        ("%0 = tensor.extract %t[%c3] : tensor<4xf32>", True),
        ("%0 = tensor.extract_slice %t[1] [2] [1] : tensor<4xf32> to tensor<2xf32>", True),
        ("%0 = tensor.extract_slice %t[1] [2] [3] : tensor<4xf32> to tensor<2xf32>", False),
        ("%0 = tensor.extract_slice %t[%c0] [2] [1] : tensor<4xf32> to tensor<2xf32>", False),
        (
            '%0 = "tensor.extract_slice"(%t) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = '
            "array<i64: 2>, static_sizes = array<i64: 2>, static_strides = array<i64: 1>}> : "
            "(tensor<4xf32>) -> tensor<2xf32>",
            True,
        ),
        ("%0 = tensor.collapse_shape %d [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>", False),
        ("%0 = memref.load %m[%c0, %c3] : memref<2x4xf32>", False),
    ],
)
def test_what_cannot_trap(line: str, expected: bool) -> None:
    ir, op = last_op(line)
    assert value_types.cannot_trap(ir, op, value_types.DynamicShapes(ir)) == expected
