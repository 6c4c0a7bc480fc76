"""Which function a call calls: it keeps its order to a store before it, or is free."""

import pytest

from tests.internals import Dependences
from tests.reading import ir_of

PURE = "func.func @NAME() {\n  return\n}\n"
UNKNOWN = 'func.func @NAME() {\n  "my.effect"() : () -> ()\n  return\n}\n'
STORE_AND_CALL = """func.func @main(%x: f32, %m: memref<4xf32>, %i: index) {
  memref.store %x, %m[%i] : memref<4xf32>
  call @NAME() : () -> ()
  return
}
"""


def is_free(text: str) -> bool:
    """Whether the call in the last function may change places with the store before it."""
    ir = ir_of(text.replace("NAME", "f"))
    stores = [op for op in range(len(ir)) if ir.name(op) == "memref.store"]
    block = ir.op_block[stores[-1]]
    return (0, 1) not in {(u, v) for u, v, _ in Dependences(ir).of([block])[block].edges()}


def module(*parts: str) -> str:
    return f"module {{\n{''.join(parts)}}}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(PURE + STORE_AND_CALL, True, id="a function without effects"),
        pytest.param(UNKNOWN + STORE_AND_CALL, False, id="a function with effects"),
        pytest.param(STORE_AND_CALL + PURE, True, id="defined after the call"),
        pytest.param(STORE_AND_CALL, False, id="not defined"),
        pytest.param("func.func private @NAME()\n" + STORE_AND_CALL, False, id="declared only"),
        pytest.param(PURE + PURE + STORE_AND_CALL, False, id="defined twice"),
        pytest.param(PURE + UNKNOWN + STORE_AND_CALL, False, id="defined twice, the second with effects"),
        pytest.param(PURE + PURE + PURE + STORE_AND_CALL, False, id="defined three times"),
        pytest.param(PURE + module(UNKNOWN, STORE_AND_CALL), False, id="the nearest module's counts"),
        pytest.param(
            UNKNOWN + module(PURE, STORE_AND_CALL), True, id="the nearest module's counts, without effects"
        ),
        pytest.param(PURE + module(STORE_AND_CALL), False, id="a module around defines it"),
        pytest.param(module(PURE) + STORE_AND_CALL, False, id="a module inside defines it"),
        pytest.param(module(PURE) + module(UNKNOWN, STORE_AND_CALL), False, id="one of each in two modules"),
        pytest.param(
            PURE + STORE_AND_CALL.replace("call @NAME()", "my.call @NAME()"),
            False,
            id="an unlisted op calls it",
        ),
    ],
)
def test_the_callee_is_the_one_function_of_that_name_in_the_nearest_module(text: str, expected: bool) -> None:
    assert is_free(text) is expected


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        ("linkage = #llvm.linkage<external>", True),
        ("linkage = #llvm.linkage<internal>", True),
        ("linkage = #llvm.linkage<weak>", False),
        ("linkage = #l", False),
        ('specifiers = ["static"]', True),
        ('specifiers = ["__attribute__((weak))"]', False),
    ],
)
def test_another_definition_may_replace_a_function_as_its_attributes_say(
    attribute: str, expected: bool
) -> None:
    function = f'"my.func"() <{{{attribute}, sym_name = "NAME"}}> ({{\n  "llvm.return"() : () -> ()\n}}) : () -> ()\n'
    kind = "llvm.func" if "linkage" in attribute else "emitc.func"
    assert is_free(function.replace("my.func", kind) + STORE_AND_CALL) is expected


@pytest.mark.parametrize(("target", "expected"), [("foo", True), ("tt.foo", False), (r"\74t.foo", False)])
def test_a_custom_call_of_tt_mlir_may_do_anything_as_may_one_of_a_name_with_an_escape(
    target: str, expected: bool
) -> None:
    custom_call = f'%r = "stablehlo.custom_call"() <{{call_target_name = "{target}"}}> : () -> tensor<i32>'
    assert is_free(STORE_AND_CALL.replace("call @NAME() : () -> ()", custom_call)) is expected
