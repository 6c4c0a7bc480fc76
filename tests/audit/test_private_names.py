"""A program is the same whatever its private functions are called."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import diff, read_text
from tests.tools import mlir_tool, needs_mlir_opt

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
    return str(diff(*read_text(before), *read_text(after)).sameness.sameness)


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
