"""Which tensors may share a buffer: a deallocation of the one waits for the uses of the other."""

import pytest

from eio_audit.mlir.traits import parse_op_traits
from tests.internals import Dependences, OpTable, Source, read_ir
from tests.reading import ir_of

T = "tensor<4xf32>"
USE_AND_FREE = f"""
    %x = "ttnn.relu"(%v) : ({T}) -> {T}
    "ttnn.deallocate"(%t) : ({T}) -> ()
"""


def waits(body: str, arguments: str = f"%t: {T}, %u: {T}, %c: i1, %i: index") -> bool:
    """Whether ``ttnn.deallocate`` in the last block has to wait for ``ttnn.relu``."""
    ir = ir_of(f"func.func @f({arguments}) {{\n{body}  return\n}}\n")
    block = ir.op_block[len(ir) - 1]
    graph = Dependences(ir).of([block])[block]
    names = list(map(ir.name, ir.block_ops[block]))
    pairs = {(names[producer], names[user]) for producer, user, _ in graph.edges()}
    return ("ttnn.relu", "ttnn.deallocate") in pairs


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (f'%v = "ttnn.add"(%t, %u) : ({T}, {T}) -> {T}', False),
        (f'%v = "ttnn.reshape"(%t) : ({T}) -> {T}', True),
        (f'%v = "ttnn.reshape"(%u) : ({T}) -> {T}', False),
        (f'%w = "ttnn.reshape"(%t) : ({T}) -> {T}\n%v = "ttnn.to_layout"(%w) : ({T}) -> {T}', True),
        (f'%v = "ttir.update_cache"(%t, %u) : ({T}, {T}) -> {T}', True),
        (f'%v = "ttir.update_cache"(%u, %t) : ({T}, {T}) -> {T}', False),
        (f'%v = "my.unknown"(%u, %t) : ({T}, {T}) -> {T}', True),
        (f'%v = "my.unknown"(%u) : ({T}) -> {T}', False),
        (f"%v = func.call @id(%t) : ({T}) -> {T}", True),
        (f"%v = scf.if %c -> ({T}) {{ scf.yield %t : {T} }} else {{ scf.yield %u : {T} }}", True),
        (f"%v = scf.if %c -> ({T}) {{ scf.yield %u : {T} }} else {{ scf.yield %u : {T} }}", False),
        (
            f"%v = scf.for %k = %i to %i step %i iter_args(%a = %t) -> ({T}) {{ scf.yield %a : {T} }}",
            True,
        ),
        (
            f'%v = scf.if %c -> ({T}) {{ "my.x"(%t) : ({T}) -> () scf.yield %u : {T} }} else {{ scf.yield %u : {T} }}',
            False,
        ),
        (f"cf.br ^bb1(%u : {T})\n^bb1(%v: {T}):", False),
        (f"cf.br ^bb1(%t : {T})\n^bb1(%v: {T}):", True),
        (f"cf.cond_br %c, ^bb1(%u : {T}), ^bb1(%t : {T})\n^bb1(%v: {T}):", True),
    ],
)
def test_what_may_be_the_same_buffer(made: str, expected: bool) -> None:
    assert waits(made + USE_AND_FREE) is expected
    assert waits(made + USE_AND_FREE, f"%u: {T}, %t: {T}, %c: i1, %i: index") is expected


def test_arguments_of_a_function_are_different_buffers() -> None:
    assert not waits(USE_AND_FREE, f"%t: {T}, %v: {T}")


def test_an_op_without_results_hands_nothing_on() -> None:
    store = "memref.store %v, %m[%t] : memref<4xindex>"
    assert not waits(store + USE_AND_FREE, "%t: index, %v: index, %m: memref<4xindex>")


def test_a_last_op_that_is_no_terminator_hands_nothing_over() -> None:
    loop = f"scf.for %k = %i to %i step %i {{\n%x = ttnn.add %t, %v : {T}\n}}"
    assert not waits(loop + USE_AND_FREE, f"%t: {T}, %v: {T}, %i: index")


def test_any_unlisted_op_may_be_the_terminator_where_none_is_listed() -> None:
    branch = f"""
    %r = my.if %c {{
      "my.yield"(%v) : ({T}) -> ()
      %y = arith.constant 1 : i32
    }}
    """
    free = USE_AND_FREE.replace("%t", "%r")
    assert waits(branch + free, f"%v: {T}, %c: i1")


def test_an_op_assumed_pure_is_no_view() -> None:
    ir = ir_of(
        f'func.func @f(%t: {T}) {{\n%v = "my.new"(%t) : ({T}) -> {T}\n{USE_AND_FREE}return\n}}\n',
    )
    graph = Dependences(ir, ["my.*"]).of([1])[1]
    assert {(u, v) for u, v, kind in graph.edges() if kind == "effect"} == {(0, 2)}


def edges_by_effect(text: str, table: OpTable | None = None) -> set[tuple[str, str]]:
    """The names of the ops of the last block that keep their order for what they touch."""
    ir = read_ir(Source("test.mlir", text.encode()), None, table)
    block = ir.op_block[len(ir) - 1]
    graph = Dependences(ir).of([block])[block]
    name = [ir.name(op) for op in graph.ops]
    return {(name[producer], name[user]) for producer, user in graph.by_kind("effect")}


def test_what_a_function_hands_back_from_memory_lies_in_memory() -> None:
    text = f"""
    memref.global "private" @x : memref<4xf32>
    func.func private @g() -> {T} {{
      %m = memref.get_global @x : memref<4xf32>
      %t = bufferization.to_tensor %m : memref<4xf32> to {T}
      return %t : {T}
    }}
    func.func @f(%m: memref<4xf32>, %i: index, %x: f32) {{
      %v = call @g() : () -> {T}
      %0 = "ttnn.relu"(%v) : ({T}) -> {T}
      memref.store %x, %m[%i] : memref<4xf32>
      return
    }}
    """
    assert ("ttnn.relu", "memref.store") in edges_by_effect(text)


def test_where_the_operand_of_an_effect_is_not_there_it_may_be_any() -> None:
    row = {"effects": ["write"], "on": {"operand 1": ["write"]}}
    table = OpTable({"my.put": parse_op_traits("my.put", row)})
    text = f"""
    func.func @f(%t: {T}) {{
      %0 = "ttnn.relu"(%t) : ({T}) -> {T}
      "my.put"(%t) : ({T}) -> ()
      return
    }}
    """
    assert edges_by_effect(text, table) == {("ttnn.relu", "my.put")}


def test_what_a_listed_op_hands_on_is_not_in_memory() -> None:
    text = f"""
    func.func @f(%c: i1, %u: {T}, %m: memref<f32>, %x: f32) {{
      %v = scf.if %c -> ({T}) {{ scf.yield %u : {T} }} else {{ scf.yield %u : {T} }}
      %0 = "ttnn.relu"(%v) : ({T}) -> {T}
      memref.store %x, %m[] : memref<f32>
      return
    }}
    """
    assert edges_by_effect(text) == set()


def test_an_effect_that_is_bound_to_no_value_is_on_everything() -> None:
    table = OpTable({"my.clear": parse_op_traits("my.clear", {"effects": ["write"]})})
    text = f"""
    func.func @f(%t: {T}, %m: memref<f32>) {{
      "my.clear"() : () -> ()
      %0 = memref.load %m[] : memref<f32>
      "ttnn.deallocate"(%t) : ({T}) -> ()
      return
    }}
    """
    assert edges_by_effect(text, table) == {("my.clear", "memref.load"), ("my.clear", "ttnn.deallocate")}
