"""The ops that need a certain place in their block, and LLVM's judgement of them."""

import subprocess

import pytest

from tests.internals import forms_module as forms
from tests.reading import ir_of
from tests.tools import mlir_tool

MUSTTAIL = """llvm.func @g(i32) -> i32
llvm.func @main(%a: i32) -> i32 {
  %x = llvm.add %a, %a : i32
  %r = llvm.call musttail @g(%a) : (i32) -> i32
  llvm.return %r : i32
}
"""
DEOPTIMIZE = """llvm.func @main(%a: i32) -> i32 {
  %x = llvm.add %a, %a : i32
  %r = llvm.call_intrinsic "llvm.experimental.deoptimize.i32"() ["deopt"()] : () -> i32
  llvm.return %r : i32
}
"""
LANDINGPAD = """llvm.func @may_throw()
llvm.func @personality(...) -> i32
llvm.func @main(%a: i32) -> i32 attributes {personality = @personality} {
  llvm.invoke @may_throw() to ^ok unwind ^bad : () -> ()
^ok:
  llvm.return %a : i32
^bad:
  %l = llvm.landingpad cleanup : !llvm.struct<(ptr, i32)>
  %x = llvm.add %a, %a : i32
  llvm.resume %l : !llvm.struct<(ptr, i32)>
}
"""
INALLOCA = """llvm.func @g(!llvm.ptr {llvm.inalloca = !llvm.struct<(i32)>})
llvm.func @main(%n: i32) {
  %a = llvm.alloca inalloca %n x !llvm.struct<(i32)> : (i32) -> !llvm.ptr
  llvm.call @g(%a) : (!llvm.ptr {llvm.inalloca = !llvm.struct<(i32)>}) -> ()
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  llvm.return
}
"""
GENERIC = """"llvm.func"() ({
^bb0(%n: i32):
  %a = "llvm.alloca"(%n) <{elem_type = !llvm.struct<(i32)>, inalloca}> : (i32) -> !llvm.ptr
  %b = "llvm.alloca"(%n) <{elem_type = !llvm.struct<"inalloca", (i32)>}> : (i32) -> !llvm.ptr
  "llvm.call"(%b) <{TailCallKind = #llvm.tailcallkind<none>, callee = @g}> : (!llvm.ptr) -> ()
  "llvm.call"(%a) <{"TailCallKind" = KIND, callee = @g}> : (!llvm.ptr) -> ()
  "llvm.return"() : () -> ()
}) : () -> ()
"""


def placed(text: str) -> list[tuple[str, str]]:
    """The ops of a text that need a place, and which."""
    ir = ir_of(text)
    tests = (forms.must_be_first, forms.must_precede_terminator, forms.is_newest_allocation)
    return [
        (ir.name(op), test.__name__) for op in forms.ops_with_places(ir) for test in tests if test(ir, op)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(MUSTTAIL, [("llvm.call", "must_precede_terminator")], id="musttail"),
        pytest.param(MUSTTAIL.replace("musttail", "tail"), [], id="tail"),
        pytest.param(MUSTTAIL.replace("musttail @g", "@musttail"), [], id="another symbol"),
        pytest.param(
            MUSTTAIL.replace(" musttail", "").replace("@g", "@llvm.experimental.deoptimize.i32"),
            [("llvm.call", "must_precede_terminator")],
            id="the intrinsic, called as a function",
        ),
        pytest.param(DEOPTIMIZE, [("llvm.call_intrinsic", "must_precede_terminator")], id="deoptimize"),
        pytest.param(LANDINGPAD, [("llvm.landingpad", "must_be_first")], id="landingpad"),
        pytest.param(
            INALLOCA,
            [("llvm.alloca", "is_newest_allocation"), ("llvm.call", "is_newest_allocation")],
            id="inalloca",
        ),
        pytest.param(INALLOCA.replace("inalloca", "inreg"), [], id="an allocation like any other"),
    ],
)
def test_custom_assembly(text: str, expected: list[tuple[str, str]]) -> None:
    assert placed(text) == expected


@pytest.mark.parametrize(
    ("kind", "definition", "is_musttail"),
    [
        ("#llvm.tailcallkind<musttail>", "", True),
        ("#llvm.tailcallkind<tail>", "", False),
        ("#llvm<tailcallkind<musttail>>", "", True),
        ("#kind", "#kind = #llvm.tailcallkind<musttail>\n", True),
        ("#kind", "#kind = #llvm.tailcallkind<notail>\n", False),
        ("#kind", "", True),
    ],
)
def test_generic_form(kind: str, definition: str, *, is_musttail: bool) -> None:
    call = [("llvm.call", "must_precede_terminator")] if is_musttail else []
    expected = [
        ("llvm.alloca", "is_newest_allocation"),
        *call,
        ("llvm.call", "is_newest_allocation"),
    ]
    assert placed(definition + GENERIC.replace("KIND", kind)) == expected


def test_what_changes_the_stack() -> None:
    ir = ir_of(INALLOCA)
    assert [forms.changes_stack(ir, op) for op in range(2, len(ir))] == [True, False, True, False]


def llvm_accepts(text: str) -> bool:
    command = [str(mlir_tool("mlir-translate")), "--mlir-to-llvmir", "-o", "/dev/null"]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(mlir_tool("mlir-translate") is None, reason="there is no mlir-translate-22")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param(MUSTTAIL, 2, id="musttail"),
        pytest.param(DEOPTIMIZE, 1, id="deoptimize"),
        pytest.param(LANDINGPAD, 7, id="landingpad"),
    ],
)
def test_llvm_refuses_another_op_in_between(text: str, line: int) -> None:
    lines = text.split("\n")
    lines[line], lines[line + 1] = lines[line + 1], lines[line]
    assert llvm_accepts(text)
    assert not llvm_accepts("\n".join(lines))


@pytest.mark.skipif(mlir_tool("mlir-translate") is None, reason="there is no mlir-translate-22")
def test_constants_may_be_between_a_musttail_call_and_the_return() -> None:
    constant = "  %c = llvm.mlir.constant(1 : i32) : i32\n"
    assert llvm_accepts(MUSTTAIL.replace("  llvm.return", constant + "  llvm.return"))
