"""Which ops have another form than their row, so that they may do anything."""

import pytest

from tests.internals import forms_module
from tests.reading import ir_of


def others(text: str) -> list[str]:
    """The names of the ops that have another form."""
    ir = ir_of(text)
    forms = forms_module.Forms(ir, [ir.op_table.of(name) for name in ir.names])
    return [ir.name(op) for op in sorted(forms.others)]


def with_tensors(*ops: str) -> str:
    lines = "\n  ".join(op.replace("T", "tensor<4xf32>") for op in ops)
    return (
        f"func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) {{\n  {lines}\n  return\n}}\n"
    )


@pytest.mark.parametrize(
    ("op", "is_other"),
    [
        ('%r = "ttnn.add"(%a, %b) : (T, T) -> T', False),
        ('%r = "ttnn.add"(%a, %b, %c) : (T, T, T) -> T', True),
        ('%r = "ttir.exp"(%a, %b) : (T, T) -> T', True),
        ('%r = "arith.addf"(%a, %b) : (T, T) -> T', False),
        ('%r = "arith.addf"(%a, %b, %c) : (T, T, T) -> T', True),
        ('%r = "arith.addf"(%a) : (T) -> T', False),
        ('%r = "tosa.concat"(%a, %b, %c) <{axis = 0 : i32}> : (T, T, T) -> T', False),
        ('%r = "ttnn.concat"(%a, %b, %c) <{dim = 0 : si32}> : (T, T, T) -> T', False),
    ],
)
def test_the_definition_says_how_many_operands_there_are(op: str, is_other: bool) -> None:
    assert bool(others(with_tensors(op))) == is_other


@pytest.mark.parametrize(
    ("op", "is_other"),
    [
        ('%r = "ttnn.concat"(%a, %b, %c) <{operandSegmentSizes = array<i32: 2, 1>}> : (T, T, T) -> T', True),
        ('%r = "ttnn.concat"(%a, %b) {operand_segment_sizes = dense<[1, 1]> : vector<2xi32>} : (T, T) -> T', True),
        ('%r = "ttnn.concat"(%a, %b) {operand_segment_sizes = dense<1> : vector<2xi32>} : (T, T) -> T', True),
        ('%r = "ttir.concat"(%a, %b) {operand_constraints = [#any]} : (T, T) -> T', True),
        ('%r = "ttnn.rms_norm"(%a, %b) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (T, T) -> T', False),
        ('%r = "ttnn.add"(%a, %b) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (T, T) -> T', True),
        ('%r = "tosa.concat"(%a, %b) <{operandSegmentSizes = array<i32: 1, 1>}> : (T, T) -> T', True),
        ('linalg.yield %a : T {operandSegmentSizes = array<i32: 1, 1>}', False),
    ],
)  # fmt: skip
def test_the_definition_says_whether_operands_are_in_groups(op: str, is_other: bool) -> None:
    assert bool(others(with_tensors(op))) == is_other


@pytest.mark.parametrize(
    ("op", "is_other"),
    [
        ('%r = "ttnn.concat"(%a, %e) : (T, T) -> T', True),
        ('%r = "ttnn.to_layout"(%e) : (T) -> T', False),
        ('"ttnn.deallocate"(%e) : (T) -> ()', False),
        ('%r = "ttnn.update_cache"(%a, %e) : (T, T) -> T', False),
        ("%r = ttir.to_layout %a, %e : T into T -> T", False),
        ('%r = "stablehlo.add"(%a, %e) : (T, T) -> T', False),
    ],
)
def test_an_empty_tensor_is_written(op: str, is_other: bool) -> None:
    assert bool(others(with_tensors("%e = tensor.empty() : T", op))) == is_other


def test_an_op_that_names_a_recipe_runs_it() -> None:
    text = """func.func @f(%m: memref<i32>) {
      omp.parallel private(@p %m -> %x : memref<i32>) {
        omp.terminator
      }
      omp.parallel {
        omp.terminator
      } loc("@p")
      return
    }"""
    assert others(text) == ["omp.parallel"]


def test_opaque_text_runs() -> None:
    text = """emitc.func @f() {
      %a = "emitc.variable"() <{value = 1 : i32}> : () -> !emitc.lvalue<i32>
      %b = "emitc.variable"() <{value = #emitc.opaque<"f()">}> : () -> !emitc.lvalue<i32>
      %c = emitc.literal "opaque" : i1
      emitc.if %c {
      }
      emitc.return
    }"""
    assert others(text) == ["emitc.variable", "emitc.if"]


def test_a_variable_was_a_plain_value_once() -> None:
    text = 'func.func @f() {\n  %a = "emitc.variable"() {value = false} : () -> i1\n  emitc.if %a {\n  }\n  return\n}'
    assert others(text) == ["emitc.variable", "emitc.if"]


AUX = "%r = rocdl.raw.ptr.buffer.load %p, %o, %o, %aux : i32"


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (f"%aux = llvm.mlir.constant(0 : i32) : i32\n{AUX}", False),
        (f"%aux = llvm.mlir.constant(2147483647 : i32) : i32\n{AUX}", False),
        (f"%aux = llvm.mlir.constant(2147483648 : i32) : i32\n{AUX}", True),
        (f"%aux = llvm.mlir.constant(-1 : i32) : i32\n{AUX}", True),
        (f"%aux = arith.constant 3 : i32\n{AUX}", False),
        (f'%aux = "llvm.mlir.constant"() <{{value = 3 : i32}}> : () -> i32\n{AUX}', False),
        (f'%aux = "llvm.mlir.constant"() <{{value = #c}}> : () -> i32\n{AUX}', True),
        (f'%aux = llvm.or %o, %o {{why = "llvm.mlir.constant(0 : i32)"}} : i32\n{AUX}', True),
        (f"%aux = llvm.or %o, %o : i32\n{AUX}", True),
        (f"%one = llvm.mlir.constant(1 : i32) : i32\n%aux = llvm.add %o, %one : i32\n{AUX}", True),
        (AUX.replace("%aux", "%o"), True),
        ("rocdl.load.to.lds %p, %q, 4, 0, 0 : <7>", False),
        ("rocdl.load.to.lds %p, %q, 4, 0, -2147483648 : <7>", True),
        ("rocdl.load.to.lds %p, %q, 4, 0, 0 {alias_scopes = [#s]} : <7>", False),
        ('"rocdl.load.to.lds"(%p, %q) <{aux = 0 : i32, offset = 1 : i32, size = 4 : i32}> : (!p, !q) -> ()', False),
        ('"rocdl.load.to.lds"(%p, %q) <{aux = -1 : i32, offset = 1 : i32, size = 4 : i32}> : (!p, !q) -> ()', True),
    ],
)  # fmt: skip
def test_an_access_is_volatile_unless_a_constant_says_otherwise(op: str, expected: bool) -> None:
    ir = ir_of(
        f"llvm.func @f(%p: !llvm.ptr, %q: !llvm.ptr<3>, %o: i32) {{\n{op} loc(unknown)\nllvm.return\n}}"
    )
    forms = forms_module.Forms(ir, [ir.op_table.of(name) for name in ir.names])
    access = next(op for op in range(len(ir)) if ir.name(op).startswith("rocdl."))
    assert forms.may_be_volatile(access) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sv.verbatim", True),
        ("sv.verbatim.expr", True),
        ("sv.ifdef.procedural", True),
        ("sv.macro.def", True),
        ("my.include", True),
        ("my.included", False),
        ("my.add", False),
    ],
)
def test_a_name_says_that_text_is_pasted(name: str, expected: bool) -> None:
    assert forms_module.pastes_text(name) == expected
