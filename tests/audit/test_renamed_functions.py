"""A function that got another name keeps its ops, even if another function now has its name."""

import pytest

from eio_audit import Diff, OpChange, diff, read_text

BODY = "(%x: i32) -> i32 {\n  %0 = arith.muli %x, %x : i32\n  %1 = arith.addi %0, %x : i32\n  return %1 : i32\n}\n"
OTHER_BODY = (
    "(%x: i32) -> i32 {\n  %0 = math.absi %x : i32\n  %1 = math.ctpop %0 : i32\n  return %1 : i32\n}\n"
)
WRAPPER = (
    "func.func @{name}(%x: f32) -> f32 {{\n  %0 = arith.fptosi %x : f32 to i32\n"
    "  %1 = call @{callee}(%0) : (i32) -> i32\n  %2 = arith.sitofp %1 : i32 to f32\n  return %2 : f32\n}}\n"
)


def compared(before: str, after: str) -> Diff:
    return diff(read_text(before)[0], read_text(after)[0])


def told(changes: tuple[OpChange, ...]) -> list[str]:
    return [f"{change.op.name} {change.function}" for change in changes]


WRAPPED = compared(
    f"func.func @main{BODY}", WRAPPER.format(name="main", callee="_main") + f"func.func @_main{BODY}"
)


def test_the_ops_of_a_wrapped_function_are_unchanged() -> None:
    assert (WRAPPED.ops.unchanged, WRAPPED.ops.moved, WRAPPED.ops.removed) == (3, (), ())


def test_only_the_name_of_a_wrapped_function_is_changed() -> None:
    assert told(WRAPPED.ops.modified) == ["func.func None"]


def test_a_wrapper_is_added_with_its_ops() -> None:
    assert told(WRAPPED.ops.added) == [
        "func.func None",
        "arith.fptosi @main",
        "func.call @main",
        "arith.sitofp @main",
        "func.return @main",
    ]


def test_two_equal_functions_are_wrapped_in_their_order() -> None:
    result = compared(
        f"func.func @a{BODY}func.func @b{BODY}",
        "".join(WRAPPER.format(name=name, callee=f"_{name}") for name in "ab")
        + "".join(f"func.func @_{name}{BODY}" for name in "ab"),
    )
    assert [(change.before.line, change.after.line) for change in result.ops.modified if change.before] == [
        (1, 13),
        (6, 18),
    ]


def test_functions_that_only_get_other_names_keep_their_ops() -> None:
    result = compared(
        f"func.func @a{BODY}func.func @b{OTHER_BODY}", f"func.func @d{OTHER_BODY}func.func @c{BODY}"
    )
    assert (result.ops.unchanged, result.ops.added, result.ops.removed) == (6, (), ())


def test_a_function_stays_itself_when_most_of_its_ops_are_outlined() -> None:
    """Its types are the same, and those of the outlined function are not."""
    result = compared(
        "func.func @main(%x: i32, %y: i32) -> i32 {\n  %0 = arith.muli %x, %x : i32\n"
        "  %1 = arith.addi %0, %x : i32\n  %2 = math.absi %1 : i32\n  %3 = arith.subi %2, %y : i32\n"
        "  return %3 : i32\n}\n",
        "func.func @main(%x: i32, %y: i32) -> i32 {\n  %0 = call @part(%x) : (i32) -> i32\n"
        "  %1 = arith.subi %0, %y : i32\n  return %1 : i32\n}\n"
        "func.func @part(%x: i32) -> i32 {\n  %0 = arith.muli %x, %x : i32\n  %1 = arith.addi %0, %x : i32\n"
        "  %2 = math.absi %1 : i32\n  return %2 : i32\n}\n",
    )
    assert told(result.ops.added) == ["func.call @main", "func.func None", "func.return @part"]


@pytest.mark.parametrize("name", ["func.func", "util.func"])
def test_the_same_argument_of_the_same_function_is_no_difference(name: str) -> None:
    """The op of the function may be another one now, and its blocks may have become more."""
    result = compared(
        "func.func @f(%x: i32, %c: i1) -> i32 {\n  %0 = arith.muli %x, %x : i32\n  return %0 : i32\n}\n",
        f"{name} @f(%x: i32, %c: i1) -> i32 {{\n  %0 = arith.muli %x, %x : i32\n  cf.cond_br %c, ^bb1, ^bb2\n"
        "^bb1:\n  return %0 : i32\n^bb2:\n  return %x : i32\n}\n",
    )
    assert [change.op.name for change in result.ops.modified] == []
