"""Which op of one dump is which of another, when neither location nor index tells."""

from eio_audit import Diff, diff, read_text


def compared(before: str, after: str) -> Diff:
    return diff(read_text(before)[0], read_text(after)[0])


def removed(result: Diff) -> list[str | None]:
    return [change.before.result for change in result.ops.removed if change.before]


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
