"""Each effect rule with the wrong reorder it prevents, judged by MLIR's own effects of the same ops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import AuditOptions, fix, read_text
from tests.internals import audit_dump, in_orders
from tests.judge import same_program

ARGUMENTS = (
    "%m: memref<4xf32>, %n: memref<4xf32>, %t: tensor<4xf32>, %x: f32, %y: f32, %i: index, %c: i1, "
    "%v: vector<4xf32>"
)
PROGRAM = """
ml_program.global private mutable @g(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func private @foreign()
func.func @stores(%m: memref<4xf32>, %x: f32, %i: index) {{
  memref.store %x, %m[%i] : memref<4xf32>
  return
}}
func.func @f({arguments}) {{
{body}
  return
}}
"""
LOAD = "%{k} = memref.load %m[%i] : memref<4xf32>"
STORE = "memref.store %x, %m[%i] : memref<4xf32>"
OTHER_STORE = "memref.store %y, %m[%i] : memref<4xf32>"
COPY = "memref.copy %m, %n : memref<4xf32> to memref<4xf32>"
COPY_BACK = "memref.copy %n, %m : memref<4xf32> to memref<4xf32>"
FREE = "memref.dealloc %m : memref<4xf32>"
ALLOC = "%{k} = memref.alloc() : memref<4xf32>"
FILL = "linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)"
FILL_TENSOR = "%{k} = linalg.fill ins(%x : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>"
ADD = "%{k} = arith.addf %x, %y : f32"
STORE_IN_IF = "scf.if %c {{ memref.store %x, %m[%i] : memref<4xf32> }}"
LOAD_IN_IF = "%{k} = scf.if %c -> (f32) {{ %l = memref.load %m[%i] : memref<4xf32>\n scf.yield %l : f32 }} else {{ scf.yield %x : f32 }}"
PURE_IF = "%{k} = scf.if %c -> (f32) {{ %l = arith.addf %x, %y : f32\n scf.yield %l : f32 }} else {{ scf.yield %x : f32 }}"
STORE_IN_LOOP = "scf.for %j = %i to %i step %i {{ memref.store %x, %m[%j] : memref<4xf32> }}"
SUBVIEW = "%{k} = memref.subview %m[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>"
VECTOR_LOAD = "%{k} = vector.transfer_read %m[%i], %x : memref<4xf32>, vector<4xf32>"
VECTOR_STORE = "vector.transfer_write %v, %m[%i] : vector<4xf32>, memref<4xf32>"
VECTOR_TENSOR = "%{k} = vector.transfer_read %t[%i], %x : tensor<4xf32>, vector<4xf32>"
ATOMIC = "%{k} = memref.atomic_rmw addf %x, %m[%i] : (f32, memref<4xf32>) -> f32"
GLOBAL_LOAD = "%{k} = ml_program.global_load @g : tensor<4xf32>"
GLOBAL_STORE = "ml_program.global_store @g = %t : tensor<4xf32>"
FREE_TENSOR = "bufferization.dealloc_tensor %t : tensor<4xf32>"
TO_TENSOR = "%{k} = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>"
INTO_MEMREF = "bufferization.materialize_in_destination %t in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()"
PRINT = "vector.print %v : vector<4xf32>"
OTHER_PRINT = "vector.print %x : f32"
ASSERT = 'cf.assert %c, "no"'
CALL = "func.call @stores(%m, %x, %i) : (memref<4xf32>, f32, index) -> ()"
FOREIGN = "func.call @foreign() : () -> ()"
UNKNOWN = '"my.effect"() : () -> ()'
NOT_MEMORY = ("GLOBAL_LOAD", "GLOBAL_STORE", "OTHER_PRINT", "PRINT")
"""Ops that touch something else than memory. MLIR's effects do not tell the two apart."""
OPS = [
    value
    for name, value in sorted(vars().items())
    if name.isupper() and name not in ("PROGRAM", "ARGUMENTS", "NOT_MEMORY", *NOT_MEMORY)
]


def program(*ops: tuple[str, int]) -> str:
    """A function of ops, each with its index."""
    lines = [f'  {op.format(k=k)} loc("DEBUG|{index}|net|op{k}")' for k, (op, index) in enumerate(ops)]
    return PROGRAM.format(arguments=ARGUMENTS, body="\n".join(lines))


def swapped(text: str) -> str:
    """The program with the first two ops of the last function in the other order."""
    ir = audit_dump(read_text(text)[0]).ir
    block = ir.op_block[len(ir) - 1]
    return in_orders(ir, {block: [1, 0, *range(2, len(ir.block_ops[block]))]}).decode()


def fixed(text: str) -> str:
    return fix(read_text(text), AuditOptions(follow="none")).text.decode()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(STORE, LOAD, id="read behind write"),
        pytest.param(LOAD, STORE, id="write behind read"),
        pytest.param(STORE, OTHER_STORE, id="write behind write"),
        pytest.param(LOAD, FREE, id="free behind read"),
        pytest.param(STORE, FREE, id="free behind write"),
        pytest.param(COPY, COPY_BACK, id="operands read and written"),
        pytest.param(LOAD, ATOMIC, id="read and written at once"),
        pytest.param(FILL, LOAD, id="destination-style on a memref"),
        pytest.param(VECTOR_STORE, LOAD, id="destination-style write of a vector"),
        pytest.param(VECTOR_LOAD, STORE, id="destination-style read of a vector"),
        pytest.param(INTO_MEMREF, LOAD, id="a tensor written to a memref"),
        pytest.param(STORE_IN_IF, LOAD, id="write in a region"),
        pytest.param(LOAD_IN_IF, STORE, id="read in a region"),
        pytest.param(STORE_IN_LOOP, STORE_IN_IF, id="writes in regions"),
        pytest.param(GLOBAL_STORE, GLOBAL_LOAD, id="effect on a symbol"),
        pytest.param(PRINT, ASSERT, id="effects on nothing in particular"),
        pytest.param(PRINT, OTHER_PRINT, id="two effects on nothing in particular"),
        pytest.param(CALL, LOAD, id="call of a function that writes"),
        pytest.param(FOREIGN, LOAD, id="call of a function that is not there"),
        pytest.param(UNKNOWN, LOAD, id="an op nobody knows"),
    ],
)
def test_a_wrong_reorder_is_prevented(first: str, second: str) -> None:
    text = program((first, 1), (second, 0))
    assert fixed(text) == text
    assert not same_program(text, swapped(text))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(LOAD, LOAD, id="two reads"),
        pytest.param(ADD, STORE, id="pure"),
        pytest.param(ALLOC, FREE, id="an allocation and what does not use it"),
        pytest.param(STORE, ALLOC, id="an allocation behind a write"),
        pytest.param(FILL_TENSOR, STORE, id="destination-style on a tensor"),
        pytest.param(VECTOR_TENSOR, STORE, id="destination-style read of a tensor"),
        pytest.param(STORE, PURE_IF, id="a region without effects"),
        pytest.param(GLOBAL_LOAD, LOAD, id="reads of different things"),
    ],
)
def test_a_right_reorder_is_made(first: str, second: str) -> None:
    text = program((first, 1), (second, 0))
    assert fixed(text) == swapped(text)
    assert same_program(text, fixed(text))


@given(st.lists(st.tuples(st.sampled_from(OPS), st.integers(0, 5)), min_size=2, max_size=8))
def test_mlir_finds_the_same_effects_in_whatever_is_fixed(ops: list[tuple[str, int]]) -> None:
    text = program(*ops)
    assert same_program(text, fixed(text))
