"""Which ops have a shape that is known only when the program runs."""

import pytest

from tests.internals import value_types_module as value_types
from tests.reading import ir_of


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("%r = my.op %a : tensor<?xf32>", True),
        ("%r = my.op %a : tensor<4x?xf32>", True),
        ("%r = my.op %a : tensor<*xf32>", True),
        ("%r = my.op %a : memref<4xf32, strided<[?], offset: ?>>", True),
        ("%r = my.op %a : !dynamic", True),
        ("%r = my.op %a : !fixed", False),
        ("%r = my.op %a : !undefined", True),
        ("%r = my.op %a : !llvm.ptr", False),
        ("%r = my.op %a : tensor<4xf32>", False),
        ('%r = my.op %a {why = "?"} : f32', False),
        ("%r = my.op %a : f32 // why?", False),
        ('%r = my.op %a : f32 loc("?")', False),
        ("%r = my.op %a", True),
        ("%r = my.op %s", False),
        ("%r = my.op %s\n%q = my.op %r", False),
        ("%r = my.op %s : tensor<?xf32>\n%q = my.op %r", True),
        ('%r = "my.op"(%a) : (tensor<4xf32>) -> tensor<?xf32>', True),
    ],
)
def test_a_shape_is_dynamic(op: str, expected: bool) -> None:
    text = f"""!dynamic = tensor<?xf32>
!fixed = tensor<4xf32>
my.region {{
^bb0(%s: f32):
  my.region {{
  ^bb0(%a: tensor<?xf32>):
    {op}
  }}
}}
"""
    ir = ir_of(text)
    assert value_types.DynamicShapes(ir).shown_by(len(ir) - 1) == expected


def test_a_dump_without_dynamic_shapes_has_none() -> None:
    ir = ir_of("func.func @f(%a: tensor<4xf32>) {\n  my.op %a\n  return\n}\n")
    assert not any(map(value_types.DynamicShapes(ir).shown_by, range(len(ir))))
