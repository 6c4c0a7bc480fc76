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
