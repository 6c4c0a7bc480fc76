"""Each effect rule with the wrong reorder it prevents: the pairs of ops that keep their order."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.audit.dependence import DependenceKind
from eio_audit.mlir.semantics import effects as effects_module
from tests.internals import DependenceGraph, Dependences
from tests.reading import ir_of


def edges(
    body: str,
    arguments: str = "%t: tensor<4xf32>, %u: tensor<4xf32>, %m: memref<4xf32>, %i: index",
    assume_pure: tuple[str, ...] = (),
) -> set[str]:
    """The direct dependences of a function body, ``a -> b kind`` by the ops' ``id`` attributes or names."""
    ir = ir_of(f"func.func @f({arguments}) {{\n{body}\n  return\n}}\n")
    block = ir.op_block[1]
    shown = [
        ir.text(op).decode().partition('id = "')[2].partition('"')[0] or ir.name(op)
        for op in ir.block_ops[block]
    ]
    graph = Dependences(ir, assume_pure).of([block])[block]
    return {f"{shown[p]} -> {shown[u]} {kind}" for p, u, kind in graph.edges() if shown[u] != "func.return"}


PURE = '"ttir.relu"(%t) {id = "pure"} : (tensor<4xf32>) -> tensor<4xf32>'


def test_a_result_comes_before_its_use() -> None:
    assert edges(
        '%0 = "ttir.relu"(%t) {id = "a"} : (tensor<4xf32>) -> tensor<4xf32>\n"my.use"(%0) {id = "b"} : (tensor<4xf32>) -> ()'
    ) == {"a -> b value"}


def test_a_use_in_another_block_holds_nothing_back() -> None:
    ir = ir_of("""
    func.func @f() {
      %0 = arith.constant 1 : i32
      %1 = arith.constant 2 : i32
      cf.br ^bb1
    ^bb1:
      "my.use"(%0) : (i32) -> ()
      return
    }
    """)
    graphs = Dependences(ir).of([1, 2])
    assert [(u, v, str(kind)) for u, v, kind in graphs[1].edges()] == [
        (0, 2, "terminator"),
        (1, 2, "terminator"),
    ]
    assert [(u, v, str(kind)) for u, v, kind in graphs[2].edges()] == [(0, 1, "terminator")]


def test_a_region_captures_what_it_uses() -> None:
    body = """
    %c = arith.constant {id = "c"} true
    %0 = arith.constant {id = "a"} 1 : i32
    scf.if %c {
      %1 = arith.addi %0, %0 : i32
    }
    """
    assert edges(body) == {"c -> scf.if value", "a -> scf.if capture"}


def test_pure_ops_are_free() -> None:
    assert edges(f"%0 = {PURE}\n%1 = {PURE}") == set()


def test_a_deallocation_stays_behind_the_last_use() -> None:
    body = f"""
    %0 = {PURE}
    "ttnn.deallocate"(%t) {{id = "free"}} : (tensor<4xf32>) -> ()
    "ttir.relu"(%u) {{id = "other"}} : (tensor<4xf32>) -> tensor<4xf32>
    """
    assert edges(body) == {"pure -> free effect"}


def test_a_deallocation_stays_behind_the_uses_of_a_view() -> None:
    body = """
    %v = "ttnn.reshape"(%t) {id = "view"} : (tensor<4xf32>) -> tensor<2x2xf32>
    %0 = "ttnn.relu"(%v) {id = "use"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    "ttnn.deallocate"(%t) {id = "free"} : (tensor<4xf32>) -> ()
    """
    assert edges(body) == {"view -> use value", "view -> free effect", "use -> free effect"}


def test_an_in_place_update_splits_the_uses_around_it() -> None:
    body = """
    %0 = "ttnn.relu"(%t) {id = "before"} : (tensor<4xf32>) -> tensor<4xf32>
    "ttnn.update_cache"(%t, %u, %u) {id = "update"} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
    %1 = "ttnn.relu"(%t) {id = "after"} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "ttnn.relu"(%u) {id = "free"} : (tensor<4xf32>) -> tensor<4xf32>
    """
    assert edges(body) == {"before -> update effect", "update -> after effect"}


def test_updates_of_different_tensors_are_independent() -> None:
    body = """
    "ttnn.update_cache"(%t, %u, %u) {id = "a"} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
    "ttnn.deallocate"(%u) {id = "b"} : (tensor<4xf32>) -> ()
    "ttnn.deallocate"(%v) {id = "c"} : (tensor<4xf32>) -> ()
    """
    assert edges(body, "%t: tensor<4xf32>, %u: tensor<4xf32>, %v: tensor<4xf32>") == {"a -> b effect"}


def test_dependences_by_value_and_by_effect_are_swept_by_user() -> None:
    ir = ir_of("""
    func.func @f(%t: tensor<4xf32>, %m: memref<4xf32>, %i: index) {
      %0 = memref.load %m[%i] : memref<4xf32>
      memref.store %0, %m[%i] : memref<4xf32>
      %1 = arith.negf %0 : f32
      return
    }
    """)
    block = ir.op_block[1]
    graph = Dependences(ir).of([block])[block]
    assert [(p, u) for p, u, _ in graph.edges()] == [(0, 1), (0, 2), (0, 1), (1, 3), (2, 3)]
    assert list(graph.precedence.forwards()) == [(0, 1), (0, 1), (0, 2), (1, 3), (2, 3)]


def test_memrefs_share_one_memory() -> None:
    body = """
    %0 = memref.load %m[%i] {id = "read 1"} : memref<4xf32>
    %1 = memref.load %m[%i] {id = "read 2"} : memref<4xf32>
    memref.store %0, %m[%i] {id = "write"} : memref<4xf32>
    %2 = memref.load %m[%i] {id = "read 3"} : memref<4xf32>
    """
    assert edges(body) == {
        "read 1 -> write value",
        "read 1 -> write effect",
        "read 2 -> write effect",
        "write -> read 3 effect",
    }


def test_allocations_are_held_by_their_uses_alone() -> None:
    body = """
    memref.store %x, %m[%i] {id = "write"} : memref<4xf32>
    %0 = memref.alloc() {id = "alloc"} : memref<4xf32>
    memref.dealloc %0 {id = "free"} : memref<4xf32>
    """
    assert edges(body, "%x: f32, %m: memref<4xf32>, %i: index") == {"alloc -> free value"}


def test_unlisted_ops_keep_their_order_among_ops_with_effects() -> None:
    body = f"""
    "my.init"() : () -> ()
    %0 = {PURE}
    "ttnn.deallocate"(%u) {{id = "free"}} : (tensor<4xf32>) -> ()
    "my.release"() : () -> ()
    memref.load %m[%i] {{id = "read"}} : memref<4xf32>
    """
    assert edges(body) == {
        "my.init -> free effect",
        "my.init -> my.release effect",
        "free -> my.release effect",
        "my.release -> read effect",
    }


@pytest.mark.parametrize(("element", "kept"), [("tensor<4xf32>", False), ("memref<4xf32>", True)])
def test_destination_style_ops_touch_memrefs_only(element: str, kept: bool) -> None:
    body = f"""
    linalg.fill {{id = "a"}} ins(%x : f32) outs(%d : {element})
    linalg.fill {{id = "b"}} ins(%x : f32) outs(%d : {element})
    """
    assert edges(body, f"%x: f32, %d: {element}") == ({"a -> b effect"} if kept else set())


def test_an_op_has_the_effects_of_its_regions() -> None:
    body = """
    %c = arith.constant {id = "c"} true
    memref.store %x, %m[%i] {id = "write"} : memref<4xf32>
    scf.if %c {
      %0 = memref.load %m[%i] : memref<4xf32>
    } {id = "if"}
    """
    assert edges(body, "%x: f32, %m: memref<4xf32>, %i: index") == {"c -> if value", "write -> if effect"}


CALLS = """
module {
  func.func private @foreign()
  func.func @pure(%x: i32) -> i32 {
    return %x : i32
  }
  func.func @stores(%x: f32, %m: memref<4xf32>, %i: index) {
    memref.store %x, %m[%i] : memref<4xf32>
    return
  }
  func.func @recursive() {
    call @recursive() : () -> ()
    return
  }
  func.func @frees(%t: tensor<4xf32>) {
    "ttnn.deallocate"(%t) : (tensor<4xf32>) -> ()
    return
  }
  func.func @main(%x: f32, %m: memref<4xf32>, %i: index, %t: tensor<4xf32>) {
    memref.store %x, %m[%i] : memref<4xf32>
    BODY
    return
  }
}
"""


@pytest.mark.parametrize(
    ("call", "kept"),
    [
        ("%0 = call @pure(%i) : (i32) -> i32", False),
        ("call @stores(%x, %m, %i) : (f32, memref<4xf32>, index) -> ()", True),
        ("call @foreign() : () -> ()", True),
        ("call @recursive() : () -> ()", True),
        ("call @frees(%t) : (tensor<4xf32>) -> ()", False),
        ('"func.call"(%i) <{callee = @pure}> : (i32) -> i32', False),
    ],
)
def test_a_call_has_the_effects_of_its_function(call: str, kept: bool) -> None:
    ir = ir_of(CALLS.replace("BODY", call))
    block = ir.op_block[len(ir) - 1]
    graph = Dependences(ir).of([block])[block]
    assert ((0, 1) in {(u, v) for u, v, _ in graph.edges()}) is kept


def test_an_update_through_a_loop_variable_is_one_of_the_initial_tensor() -> None:
    body = """
    %0 = "ttnn.relu"(%t) {id = "before"} : (tensor<4xf32>) -> tensor<4xf32>
    %r = scf.for %k = %i to %i step %i iter_args(%c = %t) -> (tensor<4xf32>) {
      "ttnn.update_cache"(%c, %u, %u) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
      scf.yield %c : tensor<4xf32>
    } {id = "loop"}
    %1 = "ttnn.relu"(%t) {id = "after"} : (tensor<4xf32>) -> tensor<4xf32>
    """
    assert edges(body) == {"before -> loop effect", "loop -> after effect"}


def test_the_terminator_stays_last() -> None:
    ir = ir_of(
        '"my.region"() ({\n "t.a"() : () -> ()\n %0 = arith.constant 1 : i32\n "my.end"() : () -> ()\n}) : () -> ()'
    )
    block = ir.op_block[1]
    graph = Dependences(ir).of([block])[block]
    assert {(u, v, str(kind)) for u, v, kind in graph.edges()} == {(0, 2, "effect"), (1, 2, "terminator")}


def test_a_last_op_that_is_no_terminator_keeps_its_order() -> None:
    """Custom assembly leaves out a terminator without operands."""
    ir = ir_of("""
    func.func @f(%m: memref<4xi32>, %i: index, %a: i32, %b: i32) {
      scf.for %k = %i to %i step %i {
        memref.store %a, %m[%k] : memref<4xi32>
        memref.store %b, %m[%k] : memref<4xi32>
      }
      return
    }
    """)
    graph = Dependences(ir).of([2])[2]
    assert [(u, v, str(kind)) for u, v, kind in graph.edges()] == [(0, 1, "effect")]


def test_an_effect_table_of_the_dump_names_the_unknown_ops() -> None:
    ir = ir_of(
        'func.func @f() {\n "my.a"() : () -> ()\n "my.a"() : () -> ()\n arith.constant 1 : i32\n return\n}'
    )
    assert Dependences(ir).effects.unknown_ops == {"my.a": 2}


TWO_UNKNOWN = '"my.a"() {id = "a"} : () -> ()\n"my.b"() {id = "b"} : () -> ()'


@pytest.mark.parametrize(
    ("assume_pure", "expected"),
    [
        ((), {"a -> b effect"}),
        (("my.*",), set()),
        (("my.a",), set()),
        (("my",), {"a -> b effect"}),
        (("*.c", "*.b"), set()),
        (("MY.*",), {"a -> b effect"}),
    ],
)
def test_ops_assumed_pure_are_free(assume_pure: tuple[str, ...], expected: set[str]) -> None:
    assert edges(TWO_UNKNOWN, assume_pure=assume_pure) == expected


def test_a_region_of_an_op_assumed_pure_still_counts() -> None:
    body = '"my.loop"() ({\n"other.a"() : () -> ()\n}) {id = "loop"} : () -> ()\n"other.b"() {id = "b"} : () -> ()'
    assert edges(body, assume_pure=("my.*",)) == {"loop -> b effect"}
    assert edges(body, assume_pure=("my.*", "other.a")) == set()


def test_a_call_assumed_pure_is_free_whatever_it_calls() -> None:
    body = 'func.call @g() : () -> ()\n"my.b"() {id = "b"} : () -> ()'
    assert edges(body) == {"func.call -> b effect"}
    assert edges(body, assume_pure=("func.call",)) == set()


def test_a_terminator_assumed_pure_stays_last() -> None:
    ir = ir_of('"my.f"() ({\n^bb0:\n"my.a"() : () -> ()\n"my.yield"() : () -> ()\n}) : () -> ()')
    block = ir.op_block[1]
    kinds = [str(kind) for _, _, kind in Dependences(ir, ["my.*"]).of([block])[block].edges()]
    assert kinds == ["terminator"]


def test_only_ops_that_would_have_effects_count_as_assumed_pure() -> None:
    ir = ir_of(f"func.func @f(%t: tensor<4xf32>) {{\n{TWO_UNKNOWN}\n{PURE}\nreturn\n}}")
    assert Dependences(ir, ["*.a", "*"]).effects.assumed_pure == {"*.a": 1, "*": 1}


C = "arith.constant 1 : i32\n"
"""An op in a region, without which an operand that follows the region is one like others."""


def test_an_operand_behind_a_region_is_a_use() -> None:
    body = f'%0 = {PURE}\nmy.do {{id = "do"}} {{\n{C}}} while (%0)'
    assert edges(body, assume_pure=("my.*",)) == {"pure -> do value"}


def test_an_operand_behind_a_nested_region_is_captured() -> None:
    body = f'%0 = {PURE}\n%c = arith.constant {{id = "c"}} true\nscf.if %c {{\nmy.do {{\n{C}}} while (%0)\n}}'
    assert edges(body, assume_pure=("my.*",)) == {"c -> scf.if value", "pure -> scf.if capture"}


def test_a_deallocation_stays_behind_an_operand_behind_a_region() -> None:
    body = f"""
    my.do {{id = "do"}} {{
      {C}
    }} while (%t)
    "ttnn.deallocate"(%t) {{id = "free"}} : (tensor<4xf32>) -> ()
    """
    assert edges(body, assume_pure=("my.*",)) == {"do -> free effect"}


def test_a_deallocation_stays_behind_the_uses_in_a_region() -> None:
    body = """
    scf.if %c {
      %0 = "ttnn.relu"(%t) : (tensor<4xf32>) -> tensor<4xf32>
    } {id = "if"}
    "ttnn.deallocate"(%u) {id = "other"} : (tensor<4xf32>) -> ()
    "ttnn.deallocate"(%t) {id = "free"} : (tensor<4xf32>) -> ()
    """
    assert edges(body, "%t: tensor<4xf32>, %u: tensor<4xf32>, %c: i1") == {"if -> free effect"}


def test_a_deallocation_in_a_region_stays_behind_the_uses_before_it() -> None:
    body = f"""
    %0 = {PURE}
    scf.if %c {{
      "ttnn.deallocate"(%t) : (tensor<4xf32>) -> ()
    }} {{id = "if"}}
    """
    assert edges(body, "%t: tensor<4xf32>, %c: i1") == {"pure -> if effect"}


def test_a_deallocation_of_what_a_region_yields_stays_behind_the_uses_of_what_it_is_given() -> None:
    body = f"""
    %0 = {PURE}
    %r = scf.for %k = %i to %i step %i iter_args(%x = %t) -> (tensor<4xf32>) {{
      scf.yield %x : tensor<4xf32>
    }} {{id = "loop"}}
    "ttnn.deallocate"(%r) {{id = "free"}} : (tensor<4xf32>) -> ()
    """
    assert edges(body) == {"pure -> free effect", "loop -> free value", "loop -> free effect"}


ON_ARGUMENTS = """
func.func private @FUNCTION
func.func @f(%t: tensor<4xf32>, %u: tensor<4xf32>) {
  %0 = "ttnn.relu"(%t) {id = "use"} : (tensor<4xf32>) -> tensor<4xf32>
  func.call @g(%t, %u) {id = "call"} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
"""


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        pytest.param('"ttnn.deallocate"(%x) : (tensor<4xf32>) -> ()', True, id="free"),
        pytest.param("", False, id="nothing"),
        pytest.param('%0 = "ttnn.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>', False, id="use"),
        pytest.param(
            '"ttnn.update_cache"(%x, %y, %y) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()',
            True,
            id="update",
        ),
    ],
)
def test_what_a_function_does_to_its_arguments_its_call_does_to_the_operands(
    function: str, expected: bool
) -> None:
    function = f"g(%x: tensor<4xf32>, %y: tensor<4xf32>) {{\n{function}\nreturn\n}}"
    ir = ir_of(ON_ARGUMENTS.replace("FUNCTION", function))
    block = ir.op_block[len(ir) - 1]
    graph = Dependences(ir).of([block])[block]
    assert ((0, 1, "effect") in {(u, v, str(kind)) for u, v, kind in graph.edges()}) is expected


def in_loop(body: str) -> set[tuple[int, int, str]]:
    """The dependences of a loop's body, which ends without a terminator."""
    ir = ir_of(
        f"func.func @f(%t: tensor<4xf32>, %i: index) {{\nscf.for %k = %i to %i step %i {{\n{body}\n}}\nreturn\n}}\n"
    )
    graph = Dependences(ir).of([2])[2]
    return {(producer, user, str(kind)) for producer, user, kind in graph.edges()}


def test_a_last_op_that_is_no_terminator_uses_what_it_uses() -> None:
    use = '%1 = "ttir.relu"(%0) : (tensor<4xf32>) -> tensor<4xf32>'
    assert in_loop(f"%0 = {PURE}\n{use}") == {(0, 1, "value")}


def test_nothing_has_to_come_before_a_last_op_that_is_no_terminator() -> None:
    assert in_loop(f"%0 = {PURE}\n%1 = {PURE}") == set()
    assert in_loop(f"%0 = {PURE}\nscf.yield") == {(0, 1, "terminator")}


def test_an_operand_after_a_block_argument_is_captured_too() -> None:
    body = f"""
    %0 = {PURE}
    scf.if %c {{
      %1 = "ttir.add"(%t, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    }} {{id = "if"}}
    """
    assert edges(body, "%t: tensor<4xf32>, %c: i1") == {"pure -> if capture"}


def test_edges_of_one_kind() -> None:
    body = """
    func.func @f(%m: memref<f32>, %x: f32) {
      %0 = memref.load %m[] : memref<f32>
      memref.store %0, %m[] : memref<f32>
      return
    }
    """
    graph = Dependences(ir_of(body)).of([1])[1]
    assert list(graph.by_kind("value")) == [(0, 1)]
    assert list(graph.by_kind("effect")) == [(0, 1)]
    assert list(graph.by_kind("terminator")) == [(1, 2)]
    assert list(graph.by_kind("capture")) == []


def test_a_tensor_that_is_only_read_by_effect_is_not_read_by_its_other_users() -> None:
    body = """
    %0 = "memref.load"(%t, %i) {id = "load"} : (tensor<4xf32>, index) -> f32
    %1 = "ttir.relu"(%t) {id = "pure"} : (tensor<4xf32>) -> tensor<4xf32>
    "my.op"() {id = "any"} : () -> ()
    """
    assert edges(body) == {"load -> any effect"}


def test_an_op_that_may_trap_keeps_its_own_effects_beside_a_loop_without_end() -> None:
    body = """
    %0 = "memref.load"(%m, %i) {id = "load"} : (memref<4xf32>, index) -> f32
    "memref.store"(%f, %m, %i) {id = "store"} : (f32, memref<4xf32>, index) -> ()
    "scf.while"() ({
      "scf.condition"(%c) : (i1) -> ()
    }, {
      "scf.yield"() : () -> ()
    }) {id = "loop"} : () -> ()
    """
    arguments = "%m: memref<4xf32>, %i: index, %f: f32, %c: i1"
    assert "load -> store effect" in edges(body, arguments)


def test_an_op_with_a_region_of_several_blocks_keeps_its_own_effects() -> None:
    body = """
    %0 = "ttir.relu"(%t) {id = "pure"} : (tensor<4xf32>) -> tensor<4xf32>
    "my.op"(%t) ({
      "cf.br"()[^bb1] : () -> ()
    ^bb1:
      "scf.yield"() : () -> ()
    }) {id = "any"} : (tensor<4xf32>) -> ()
    """
    assert edges(body) == {"pure -> any effect"}


def test_an_effect_on_a_result_is_on_its_buffer_alone() -> None:
    body = """
    %0 = "memref.load"(%m, %i) {id = "load"} : (memref<4xf32>, index) -> f32
    %1 = "bufferization.clone"(%t) {id = "clone"} : (tensor<4xf32>) -> tensor<4xf32>
    """
    assert edges(body) == set()


@pytest.mark.parametrize(
    ("condition", "holds"),
    [("mode = add", True), ("mode = sub", False), ("volatile", True), ("atomic", False)],
)
def test_a_condition_names_an_attribute_and_its_value_or_a_word(condition: str, holds: bool) -> None:
    assert effects_module.condition_holds(condition, b"my.op volatile %p {mode = add}") is holds


@given(
    st.lists(
        st.tuples(
            st.integers(0, 5),
            st.integers(6, 11),
            st.sampled_from(["value", "capture", "effect", "terminator"]),
        ),
        max_size=20,
    )
)
def test_the_edges_that_values_make_are_those_of_two_kinds(edges: list[tuple[int, int, str]]) -> None:
    graph = DependenceGraph(array("i", range(12)))
    for producer, user, kind in edges:
        graph.add(producer, user, DependenceKind(kind))
    for place in range(12):
        users = {user for one, user, kind in edges if one == place and kind in ("value", "capture")}
        assert list(graph.values.successors(place)) == sorted(users)
