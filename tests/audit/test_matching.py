"""Which op of one dump is which of another, when neither location nor index tells."""

from eio_audit import Diff, diff, read_text

PLAIN = """func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %y : tensor<4xf32>
  %1 = arith.addf %0, %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
WRAPPED = """func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "t.map"(%x, %y) ({
  ^bb0(%a: f32, %b: f32):
    %2 = arith.addf %a, %b : f32
    "t.yield"(%2) : (f32) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "t.map"(%0, %x) ({
  ^bb0(%a: f32, %b: f32):
    %2 = arith.addf %a, %b : f32
    "t.yield"(%2) : (f32) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


def compared(before: str, after: str) -> Diff:
    return diff(read_text(before)[0], read_text(after)[0])


def removed(result: Diff) -> list[str | None]:
    return [change.before.result for change in result.ops.removed if change.before]


def added(result: Diff) -> list[str]:
    return [change.after.name for change in result.ops.added if change.after]


def test_of_merged_ops_the_first_stays() -> None:
    """As ``cse`` leaves it."""
    result = compared(
        "func.func @f(%x: f32) -> f32 {\n  %0 = math.exp %x : f32\n  %1 = math.exp %x : f32\n"
        "  %2 = arith.divf %1, %0 : f32\n  return %2 : f32\n}\n",
        "func.func @f(%x: f32) -> f32 {\n  %0 = math.exp %x : f32\n  %2 = arith.divf %0, %0 : f32\n"
        "  return %2 : f32\n}\n",
    )
    assert removed(result) == ["%1"]


def test_what_is_computed_alike_is_paired_before_what_is_used_alike() -> None:
    result = compared(
        'func.func @f(%x: i32) -> i32 {\n  %0 = "t.a"(%x) : (i32) -> i32\n  %1 = "t.a"(%0) : (i32) -> i32\n'
        "  return %1 : i32\n}\n",
        'func.func @f(%x: i32) -> i32 {\n  %0 = "t.a"(%x) : (i32) -> i32\n  return %0 : i32\n}\n',
    )
    assert removed(result) == ["%1"]


def test_ops_that_a_pass_wraps_in_regions_stay() -> None:
    """As ``convert-elementwise-to-linalg`` leaves them."""
    result = compared(PLAIN, WRAPPED)
    assert (removed(result), added(result)) == ([], ["t.map", "t.yield"] * 2)
    lines = [(op.before.line, op.after.line) for op in result.ops.modified if op.before and op.after]
    assert lines == [(2, 4), (3, 9), (4, 12)]


def test_ops_that_a_pass_takes_out_of_regions_stay() -> None:
    result = compared(WRAPPED, PLAIN)
    assert (removed(result), added(result)) == (["%0", None, "%1", None], [])


def test_a_wrapped_op_is_shown_with_the_region_that_it_is_in() -> None:
    result = compared(PLAIN, WRAPPED)
    wrapped = next(change for change in result.ops.modified if change.op.name == "arith.addf")
    assert (wrapped.block_before, wrapped.block_after) == ("@f ^bb0", "t.map (line 2) in @f")
    assert [(one.kind, one.before, one.after) for one in wrapped.differences] == [
        ("operands", "argument 0 of ^bb0", "argument 0 of t.map"),
        ("operands", "argument 1 of ^bb0", "argument 1 of t.map"),
        ("types", "tensor<4xf32>", "f32"),
    ]


def test_ops_with_regions_stay_when_reshapes_come_between_them() -> None:
    """As ``linalg-fold-unit-extent-dims`` leaves them."""
    body = '({\n^bb0(%a: f32):\n%e = math.exp %a : f32\n"t.yield"(%e) : (f32) -> ()\n})'
    result = compared(
        '%0 = "t.source"() : () -> tensor<1x4xf32>\n'
        f'%1 = "t.map"(%0) {body} : (tensor<1x4xf32>) -> tensor<1x4xf32>\n'
        f'%2 = "t.map"(%1) {body} : (tensor<1x4xf32>) -> tensor<1x4xf32>\n',
        '%0 = "t.source"() : () -> tensor<1x4xf32>\n'
        '%1 = "t.flatten"(%0) : (tensor<1x4xf32>) -> tensor<4xf32>\n'
        f'%2 = "t.map"(%1) {body} : (tensor<4xf32>) -> tensor<4xf32>\n'
        '%3 = "t.expand"(%2) : (tensor<4xf32>) -> tensor<1x4xf32>\n'
        '%4 = "t.flatten"(%3) : (tensor<1x4xf32>) -> tensor<4xf32>\n'
        f'%5 = "t.map"(%4) {body} : (tensor<4xf32>) -> tensor<4xf32>\n'
        '%6 = "t.expand"(%5) : (tensor<4xf32>) -> tensor<1x4xf32>\n',
    )
    assert (removed(result), added(result)) == ([], ["t.flatten", "t.expand"] * 2)


def test_a_place_for_the_result_is_no_operand_of_what_is_passed_over() -> None:
    """As ``iree-global-opt-propagate-linalg-transpose`` leaves it: a transpose is gone, with its place."""
    body = '({\n^bb0(%a: f32):\n%e = math.exp %a : f32\n"t.yield"(%e) : (f32) -> ()\n})'
    function = "func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) {\n"
    result = compared(
        function + "%0 = tensor.empty() : tensor<3x2xf32>\n"
        '%1 = "t.transpose"(%x, %0) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>\n'
        "%2 = tensor.empty() : tensor<3x2xf32>\n"
        f'%3 = "t.map"(%1, %2) {body} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>\n'
        '"t.use"(%3) : (tensor<3x2xf32>) -> ()\nreturn\n}\n',
        function + "%0 = tensor.empty() : tensor<2x3xf32>\n"
        f'%1 = "t.map"(%x, %0) {body} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>\n'
        '"t.use"(%1) : (tensor<2x3xf32>) -> ()\nreturn\n}\n',
    )
    assert (removed(result), added(result)) == (["%0", "%1"], [])


def test_an_op_that_takes_in_others_is_the_one_whose_users_it_has() -> None:
    """As ``linalg-fuse-elementwise-ops`` leaves it."""
    one = '({\n^bb0(%a: f32):\n%e = math.exp %a : f32\n"t.yield"(%e) : (f32) -> ()\n})'
    other = '({\n^bb0(%a: f32):\n%e = math.sin %a : f32\n"t.yield"(%e) : (f32) -> ()\n})'
    both = (
        '({\n^bb0(%a: f32):\n%e = math.exp %a : f32\n%s = math.sin %e : f32\n"t.yield"(%s) : (f32) -> ()\n})'
    )
    function = "func.func @f(%x: f32) -> f32 {\n"
    result = compared(
        function
        + f'%0 = "t.map"(%x) {one} : (f32) -> f32\n%1 = "t.map"(%0) {other} {{n = 1 : i32}} : (f32) -> f32\n'
        "return %1 : f32\n}\n",
        function + f'%0 = "t.map"(%x) {both} {{n = 2 : i32}} : (f32) -> f32\nreturn %0 : f32\n}}\n',
    )
    assert [name for name in removed(result) if name != "%e"] == ["%0", None]


def test_what_holds_the_ops_of_a_loop_is_the_loop() -> None:
    """Its text has changed, and no value tells."""
    loop = (
        'scf.for %i = %c0 to %c4 step %c1 {{\n"t.a"(%i) : (index) -> ()\n"t.b"() : () -> ()\n}} {{n = {n}}}\n'
    )
    head = "func.func @f(%c0: index, %c1: index, %c4: index) {\n"
    result = compared(
        head + loop.format(n=1) + loop.format(n=2).replace("t.", "u.") + "return\n}\n",
        head + loop.format(n=3).replace("t.", "u.") + loop.format(n=4) + "return\n}\n",
    )
    assert (removed(result), added(result)) == ([], [])


def test_of_equal_constants_none_is_guessed_to_be_the_removed_one() -> None:
    """Their users tell: here only one of them still has its user."""
    result = compared(
        "func.func @f() {\n%0 = arith.constant 1 : i32\n%1 = arith.constant 1 : i32\n"
        '"t.a"(%0) : (i32) -> ()\n"t.b"(%1) : (i32) -> ()\nreturn\n}\n',
        'func.func @f() {\n%0 = arith.constant 1 : i32\n"t.b"(%0) : (i32) -> ()\nreturn\n}\n',
    )
    assert removed(result) == ["%0", None]


def test_the_only_op_of_its_name_stays_if_it_shares_an_operand() -> None:
    """As ``one-shot-bufferize`` leaves it: other types, no result, another operand."""
    result = compared(
        "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = tensor.empty() : tensor<4xf32>\n"
        "  %1 = t.exp ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>\n"
        "  return %1 : tensor<4xf32>\n}\n",
        "func.func @f(%x: memref<4xf32>) -> memref<4xf32> {\n  %0 = memref.alloc() : memref<4xf32>\n"
        "  t.exp ins(%x : memref<4xf32>) outs(%0 : memref<4xf32>)\n  return %0 : memref<4xf32>\n}\n",
    )
    assert (removed(result), added(result)) == (["%0"], ["memref.alloc"])


def test_the_only_op_of_its_name_is_another_if_it_shares_no_operand() -> None:
    result = compared(
        "func.func @f(%x: tensor<4xf32>, %y: memref<4xf32>) {\n"
        "  %1 = t.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>\n  return\n}\n",
        "func.func @f(%x: tensor<4xf32>, %y: memref<4xf32>) {\n"
        "  t.exp ins(%y : memref<4xf32>) outs(%y : memref<4xf32>)\n  return\n}\n",
    )
    assert (removed(result), added(result)) == (["%1"], ["t.exp"])


def pairs(result: Diff) -> list[tuple[str | None, str | None]]:
    """The results of each op before and after."""
    return [(pair.before.result, pair.after.result) for pair in result.pairs() if pair.before and pair.after]


def test_ops_of_equal_look_are_paired_by_what_is_least_changed() -> None:
    """As bufferization leaves the bindings of a dispatch: with another type, and one of them twice."""
    result = compared(
        'func.func @f(%c: index) {\n  %0 = "t.bind"(%c) {binding = 0} : (index) -> tensor<96xf32>\n'
        '  %2 = "t.bind"(%c) {binding = 2} : (index) -> tensor<96xf32>\n  return\n}\n',
        'func.func @f(%c: index) {\n  %0 = "t.bind"(%c) {binding = 0} : (index) -> memref<96xf32>\n'
        '  %1 = "t.bind"(%c) {binding = 0} : (index) -> tensor<96xf32>\n'
        '  %2 = "t.bind"(%c) {binding = 2} : (index) -> memref<96xf32>\n  return\n}\n',
    )
    assert (pairs(result)[1:], added(result)) == ([("%0", "%1"), ("%2", "%2"), (None, None)], ["t.bind"])


def test_ops_stay_in_their_functions_although_their_texts_are_in_others() -> None:
    def string(function: str, name: str) -> str:
        return f'func.func @{function}() {{\n  %0 = "t.string"() {{is = @{name}}} : () -> i32\n  return\n}}\n'

    result = compared(string("f", "a") + string("g", "b"), string("g", "a") + string("f", "b"))
    assert [op.changed for op in result.ops.modified] == [("attributes",), ("attributes",)]
    assert [op.after.name for op in result.ops.moved if op.after] == ["func.func"]
