"""A program is the same whatever its internal symbols are called: they match by what they hold."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import diff, read_text
from eio_audit.audit.diff.diff import same_program
from tests.tools import iree_compile, mlir_tool, needs_mlir_opt

PROGRAM = """\
func.func private @clip_0(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
func.func private @other(%a: i32) -> i32 {
  %0 = arith.muli %a, %a : i32
  return %0 : i32
}
func.func @main(%a: i32) -> i32 {
  %0 = call @clip_0(%a) : (i32) -> i32
  %1 = call @other(%0) : (i32) -> i32
  return %1 : i32
}
"""


def sameness(before: str, after: str) -> str:
    """In what sense two programs are the same, whether their ops are matched or found in place."""
    dumps = [*read_text(before), *read_text(after)]
    found = diff(*dumps).sameness
    assert same_program(*dumps) == found
    return str(found.sameness)


def test_another_name_with_its_calls() -> None:
    assert sameness(PROGRAM, PROGRAM.replace("clip_0", "clip_1")) == "names"


def test_the_ops_are_unchanged() -> None:
    found = diff(*read_text(PROGRAM), *read_text(PROGRAM.replace("clip_0", "clip_1"))).ops
    assert (found.unchanged, {name: len(changes) for name, changes in found.found.items() if changes}) == (
        10,
        {},
    )


@needs_mlir_opt
def test_in_generic_form() -> None:
    command = [str(mlir_tool("mlir-opt")), "--mlir-print-op-generic", "-"]
    forms = [
        subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
        for text in (PROGRAM, PROGRAM.replace("clip_0", "clip_1"))
    ]
    assert sameness(*forms) == "names"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PROGRAM, PROGRAM.replace("@main", "@start")),  # public
        (PROGRAM, PROGRAM.replace("clip_0", "clip_1").replace("call @clip_1", "call @clip_0")),
        (PROGRAM.replace("private @clip_0", "@clip_0"), PROGRAM.replace("private @clip_0", "@clip_1")),
        (PROGRAM, PROGRAM.replace("private @clip_0", "@clip_1").replace("@clip_0", "@clip_1")),
    ],
)
def test_other_changes_are_no_renaming(before: str, after: str) -> None:
    assert sameness(before, after) == "none"


def test_a_declaration_has_a_meaning_outside_of_the_program() -> None:
    text = "func.func private @sin(f32) -> f32\nfunc.func @f(%a: f32) {\n  call @sin(%a) : (f32) -> f32\n  return\n}\n"
    assert sameness(text, text.replace("@sin", "@cos")) == "none"


def test_a_name_in_a_string_may_be_looked_up() -> None:
    text = PROGRAM.replace("call @other(%0)", 'call @other(%0) {of = "clip_0"}')
    assert sameness(text, text.replace("@clip_0", "@clip_1")) == "none"


def test_a_name_that_something_else_has() -> None:
    """After the renaming, `@clip_0` would be the function of another module."""
    text = PROGRAM.replace("call @other(%0)", "call @other(%0) {of = @clip_0}")
    after = PROGRAM.replace("@clip_0", "@clip_1").replace("call @other(%0)", "call @other(%0) {of = @clip_0}")
    assert sameness(text, after) == "none"


def test_two_whose_calls_do_not_change_are_other_programs() -> None:
    definitions, calls = PROGRAM.split("func.func @main")
    swapped = definitions.replace("clip_0", "x").replace("other", "clip_0").replace("@x", "@other")
    assert sameness(PROGRAM, f"{swapped}func.func @main{calls}") == "none"


@given(st.permutations(["a", "b", "main_0", "clip_00"]))
def test_any_names_of_private_functions(names: list[str]) -> None:
    after = PROGRAM.replace("@clip_0", "@first").replace("@other", "@second")
    after = after.replace("@first", f"@{names[0]}").replace("@second", f"@{names[1]}")
    assert sameness(PROGRAM, after) in ("names", "bytes")


def counts(before: str, after: str) -> dict[str, int]:
    found = diff(*read_text(before), *read_text(after)).ops.found
    return {name: len(changes) for name, changes in found.items() if changes}


def swapped(text: str, one: str, other: str) -> str:
    return text.replace(one, "@swap").replace(other, one).replace("@swap", other)


def test_two_names_swapped_with_their_calls() -> None:
    assert sameness(PROGRAM, swapped(PROGRAM, "@clip_0", "@other")) == "names"


def test_functions_that_hold_the_same_are_told_by_their_uses() -> None:
    program = PROGRAM.replace("muli", "addi")
    assert sameness(program, swapped(program, "@clip_0", "@other")) == "names"


def test_one_that_is_not_used_is_what_the_others_leave() -> None:
    program = PROGRAM.replace("muli", "addi").replace("call @other(%0)", "call @clip_0(%0)")
    renamed = program.replace("@clip_0", "@new").replace("@other", "@clip_0")
    assert sameness(program, renamed) == "names"


CALLED = """\
func.func private @f{0}(%a: i32) -> i32 {{
  %0 = arith.constant {1} : i32
  return %0 : i32
}}
"""


def numbered(held: list[int]) -> str:
    """A function for each number that it returns, called in turn, and numbered in turn."""
    calls = "".join(f"  %{k} = call @f{k}(%a) : (i32) -> i32\n" for k in range(len(held)))
    callees = "".join(CALLED.format(k, number) for k, number in enumerate(held))
    return f"{callees}func.func @main(%a: i32) {{\n{calls}  return\n}}\n"


def test_an_inserted_function_renumbers_no_other() -> None:
    assert counts(numbered([1, 2, 3, 4, 5]), numbered([1, 7, 2, 3, 4, 5])) == {"added": 4}


def test_an_inserted_function_that_holds_what_others_do_renumbers_no_other() -> None:
    def chain(number: int, inserted: int | None) -> str:
        text, value = "", "%a"
        for k in range(number):
            text += f"  %{k} = call @f{k}({value}) : (i32) -> i32\n"
            text += f"  %m{k} = arith.muli %{k}, %a {{at = {9 if k == inserted else k - (k > (inserted or k))}}} : i32\n"
            value = f"%m{k}" if k != inserted else value
        return "".join(CALLED.format(k, 1) for k in range(number)) + (
            f"func.func @main(%a: i32) -> i32 {{\n{text}  return {value} : i32\n}}\n"
        )

    assert counts(chain(3, None), chain(4, 1)) == {"added": 5}


def test_executables_with_what_is_in_them() -> None:
    one = """\
my.executable private @e_{0} {{
  func.func @e_{0}_run(%a: i32) -> i32 {{
    %0 = arith.constant {1} : i32
    return %0 : i32
  }}
}}
"""

    def program(held: list[int]) -> str:
        calls = "".join(f"  my.dispatch @e_{k}::@e_{k}_run\n" for k in range(len(held)))
        return (
            "".join(one.format(*pair) for pair in enumerate(held))
            + f"func.func @main() {{\n{calls}  return\n}}\n"
        )

    assert counts(program([1, 2, 3]), program([1, 9, 2, 3])) == {"added": 5}
    assert sameness(program([1, 2, 3]), swapped(program([1, 2, 3]), "@e_0", "@e_2")) == "names"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('memref.global "private" constant @a : memref<1xi32> = dense<1>\n', "names"),
        ('memref.global "private" @a : memref<1xi32>\n', "none"),  # its value is defined elsewhere
        ("memref.global constant @a : memref<1xi32> = dense<1>\n", "none"),
        ("util.global private @a : i32\n", "names"),
    ],
)
def test_a_global_that_is_private_and_has_a_value(text: str, expected: str) -> None:
    text += "func.func @f() {\n  %0 = memref.get_global @a : memref<1xi32>\n  return\n}\n"
    assert sameness(text, text.replace("@a", "@b")) == expected


def test_a_declaration_in_an_executable_keeps_its_name() -> None:
    text = "my.executable private @e {\n  func.func private @sin(f32) -> f32\n}\n"
    assert sameness(text, text.replace("@sin", "@cos")) == "none"


def test_a_name_in_a_string_that_looks_like_a_symbol() -> None:
    text = PROGRAM.replace("call @other(%0)", 'call @other(%0) {of = "@clip_0"}')
    assert sameness(text, text.replace("@clip_0", "@clip_1")) == "none"


def test_functions_that_call_one_another_are_told_by_what_they_call() -> None:
    callees = "".join(
        f"func.func private @{name}() {{\n  call @{callee}() : () -> ()\n  return\n}}\n"
        for name, callee in (("e", "f"), ("f", "g"), ("g", "sin"), ("h", "cos"))
    )
    text = f"{callees}func.func private @sin()\nfunc.func private @cos()\n"
    assert sameness(text, swapped(swapped(text, "@e", "@h"), "@f", "@g")) == "names"


@given(st.permutations(range(4)), st.lists(st.integers(0, 1), min_size=4, max_size=4))
def test_any_renumbering_of_functions(order: list[int], held: list[int]) -> None:
    before = numbered(held)
    after = before
    for k in range(4):
        after = after.replace(f"@f{k}(", f"@g{order[k]}(")
    same = sameness(before, after.replace("@g", "@f"))
    assert same in ("bytes", "names") or (same == "order" and len({*held}) < 4)


def test_one_dispatch_that_iree_inserts_renumbers_no_other(tmp_path: Path) -> None:
    def compiled(names: list[str]) -> str:
        lines = ["func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {"]
        value = "%x"
        lines += ["%z = arith.constant 0.0 : f32", "%e = tensor.empty() : tensor<8x16xf32>"]
        lines.append("%f = linalg.fill ins(%z : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>")
        for name in names:
            lines.append(
                f"%{name} = linalg.matmul ins({value}, %w : tensor<8x16xf32>, tensor<16x16xf32>) "
                "outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>"
            )
            lines.append(f"%r_{name} = math.{name} %{name} : tensor<8x16xf32>")
            value = f"%r_{name}"
        program = "\n".join([*lines, f"return {value} : tensor<8x16xf32>", "}"])
        return iree_compile(tmp_path, program, "--compile-to=flow").stdout

    before, after = (
        compiled(["exp", "rsqrt", "tanh", "sin", "cos"]),
        compiled(["exp", "tan", "rsqrt", "tanh", "sin", "cos"]),
    )
    found = diff(*read_text(before), *read_text(after)).ops
    names = [change.op.name for change in found.added]
    assert (names.count("flow.executable"), names.count("flow.dispatch")) == (1, 1)
    assert [change.op.name for change in found.modified] == ["flow.dispatch"]
    assert (len(found.moved), len(found.removed)) == (0, 0)
