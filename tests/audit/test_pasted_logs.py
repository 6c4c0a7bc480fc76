"""Logs as people paste them: of crashed compilers, of several programs, and with text that is not MLIR."""

import subprocess
from pathlib import Path

import pytest

from eio_audit import InputError, check, read_text, stream, trace
from tests.audit.test_trace import rows, traced
from tests.cli.running import run
from tests.logs import dump, function, module

FAILED = "// -----// IR Dump After B Failed (b) //----- //\n"
CRASH = (
    "PLEASE submit a bug report\nStack dump:\n0.\tProgram arguments: compiler\n #0 0x0000 (compiler+0x1)\n"
)
LLVM_IR = """; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

define i32 @main() {
  ret i32 1
}

!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
"""

BISECT = "'eio-audit bisect -- COMPILER ARGS' names the patterns that changed ops"
GREEDY = """Processing operation : 'func.return'(0x55870f3f4111) {
  "func.return"(%0) : (i32) -> ()

} -> failure : pattern failed to match
//===-------------------------------------------===//
"""
CONVERSION = """Legalizing operation : 'func.return'(0x55870f3f4111) {
  "func.return"(%0) : (i32) -> ()

  } -> FAILURE : unable to fold
} -> FAILURE : no matched legalization pattern
//===-------------------------------------------===//
"""


@pytest.mark.parametrize(
    ("printed", "why"),
    [
        ("", ""),
        (CRASH, "line 10: the compiler crashed"),
        ("x.cpp:1: Assertion `p' failed.\n" + CRASH, "line 10: x.cpp:1: Assertion `p' failed."),
        ("a.mlir:1:1: error: no\n", "line 10: no"),
        ("a.mlir:1:1: error: no\n" + CRASH, "line 10: no (and 1 more)"),
        ('Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f({})\n', ""),
        ("zsh: segmentation fault  opt\n", "line 10: the compiler crashed"),
        ("free(): invalid pointer\n", "line 10: the compiler crashed"),
        ("```\nWhat is {wrong}?\n", ""),
        ("===---===\n  ... Execution time report ...\n", ""),
        ('Thread 1 "opt" received signal SIGABRT, Aborted.\n#1 f (x={}) at x.c:1\n', ""),
    ],
)
def test_a_pass_that_failed_and_printed_no_ir_has_a_row(printed: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(dump("After", "a", function("f", 1, 2)) + FAILED + printed)
    done = run("trace", path)
    assert done.returncode == 1
    assert "\nfailed: b: " in done.stdout.decode()
    assert [line.split() for line in done.stdout.decode().splitlines()[3:6]] == [
        ["line", "pass", *(["why"] if why else [])],
        ["1", "a", "(first", "dump)"],
        ["9", "b", "(failed)", "(no", "IR)", *why.split()],
    ]


def test_the_dump_of_a_pass_that_printed_no_ir_is_not_checked() -> None:
    dumps = read_text(dump("After", "a", function("f", 1)) + FAILED + CRASH)
    assert [one.place.pass_name for one in dumps] == ["a"]


@pytest.mark.parametrize(
    "op", ["func.func @f(%a: f32) -> f32 {...}", '"func.func"() <{sym_name = "f"}> ({...}) : () -> ()']
)
def test_regions_that_are_not_printed_are_an_error(op: str) -> None:
    [error] = check(read_text(dump("After", "a", op))).errors
    assert error.message == "the regions are not printed: print the dump without --mlir-print-ir-skip-regions"


def test_three_points_in_a_string_or_comment_are_no_region() -> None:
    assert not check(read_text('"t.a"() {text = "{...}"} : () -> () // {...}\n')).errors


def test_the_passes_begin_again_with_another_program() -> None:
    both = [dump("After", name, module(function(f, 1, 2))) for f in ("add", "mm") for name in ("a", "b")]
    assert rows(traced(*both)) == [("a", None, None, 0), ("b", None, False, 0)] * 2


def test_modules_with_names_are_programs_of_these_names() -> None:
    modules = [
        module(function("main", *order)).replace("module", f"module @jit_{f}")
        for f, order in (("f", (1, 2)), ("g", (2, 1)))
    ]
    both = [dump("Before", name, text) for text in modules for name in ("a", "b")]
    assert {(p.changed, p.made) for p in traced(*both).passes} == {(False, 0)}


def test_a_pass_that_runs_again_begins_no_program() -> None:
    texts = [
        module(function("f", 1, 2)),
        module(function("f", 2, 1)),
        module(function("f", 2, 1), function("g", 3)),
    ]
    assert [p.changed for p in traced(*(dump("After", "a", text) for text in texts)).passes] == [
        None,
        True,
        True,
    ]


def test_a_module_inside_another_one_ends_no_program() -> None:
    outer, inner = module(function("f", 1, 2)), module(function("inside", 3))
    result = traced(dump("After", "a", outer), dump("After", "b", inner), dump("After", "a", outer))
    assert {p.program for p in result.passes} == {""}


def test_a_pass_that_renames_a_function_begins_no_program() -> None:
    result = traced(
        dump("After", "a", module(function("f", 1))), dump("After", "b", module(function("g", 1)))
    )
    assert [p.changed for p in result.passes] == [None, True]


def test_the_marker_of_mlir_until_2020() -> None:
    texts = [
        f"// *** IR Dump After {name} ***{op}\n{function('f', 1)}"
        for name, op in (
            ("mlir::(anonymous namespace)::CSE", ""),
            ("Canonicalizer Failed", " ('func' operation: @f)"),
        )
    ]
    first, second = read_text("\n".join(texts))
    assert first.marker and second.marker
    assert (first.marker.pass_name, first.marker.when) == ("mlir::(anonymous namespace)::CSE", "after")
    assert second.marker[:] == ("Canonicalizer", "Canonicalizer", "after", True, "@f", "func")


@pytest.mark.parametrize(
    "other", [LLVM_IR, LLVM_IR[LLVM_IR.index("define") :], "HloModule f\n\nENTRY %main () -> f32[] {\n}\n"]
)
def test_llvm_ir_or_hlo_after_a_dump_is_skipped(other: str, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(
        dump("After", "a", function("f", 1, 2)) + other + dump("After", "b", function("f", 2, 1)) + other
    )
    result = trace(stream(str(path)))
    assert result.errors == ()
    assert rows(result) == [("a", "@f", None, 0), ("b", "@f", True, 1)]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (LLVM_IR, "this is LLVM IR, not MLIR"),
        ("; *** IR Dump After SROAPass on f ***\ndefine void @f() {\n}\n", "this is LLVM IR, not MLIR"),
        ("\nHloModule f\n", "this is HLO, not MLIR"),
        ("//\n.version 8.0\n.entry k(\n){\n}\n", "this is assembly of a GPU, not MLIR"),
        (f"//===---===//\n{GREEDY}", "this is a debug log of the greedy rewriter, not MLIR: " + BISECT),
        (CONVERSION, "this is a debug log of the dialect conversion, not MLIR: " + BISECT),
        (
            "** Failure : no\n" + CONVERSION,
            "this is a debug log of the dialect conversion, not MLIR: " + BISECT,
        ),
        ('{"log":"module {\\n"}\n', "this is a log of docker in JSON lines, not MLIR; its text: jq -rj .log"),
    ],
)
def test_a_text_that_is_not_mlir_is_named(text: str, what: str) -> None:
    with pytest.raises(InputError) as error:
        read_text(text)
    assert error.value.message == what


@pytest.mark.parametrize("printed", [GREEDY, CONVERSION])
def test_a_debug_log_between_dumps_is_skipped_and_named(printed: str, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    texts = [dump("After", "a", function("f", 1, 2)), dump("After", "b", function("f", 2, 1))]
    path.write_text(printed + texts[0] + printed + texts[1])
    result = trace(stream(str(path)))
    assert result.errors == ()
    assert rows(result) == [("a", "@f", None, 0), ("b", "@f", True, 1)]
    assert [line for _, line in result.notes] == [1, 1 + (printed + texts[0]).count("\n")]
    assert all(note.endswith(BISECT) for note in result.notes.values())


@pytest.mark.parametrize(("above", "first"), [("", 0), ("// one\n", 1)])
@pytest.mark.parametrize("head", ["module", "builtin.module", '"builtin.module"() (', "module @m"])
def test_modules_without_markers_are_counted(
    above: str, first: int, head: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one = head + "{\n" + function("f", None) + "}" + (") : () -> ()" if "(" in head else "") + "\n"
    Path("a.log").write_text(above + one + one)
    split, compare = (
        line.partition("  #")[0] for line in run("trace", "a.log").stdout.decode().splitlines()[2:]
    )
    assert compare == f"  eio-audit diff module-0{first} module-0{first + 1}"
    subprocess.run(split, shell=True, check=True, capture_output=True)
    assert Path(f"module-0{first}").read_text() == Path(f"module-0{first + 1}").read_text() == one


def titled(*titles: str) -> str:
    """Modules in which another op is in each, below lines that name them."""
    texts = [module(function("f", number)) for number in range(1, len(titles) + 1)]
    return "\n".join(title + text for title, text in zip(titles, texts, strict=True))


@pytest.mark.parametrize(
    ("form", "when"),
    [
        ("IR after {}:\n", "after"),
        ("IR after {}:\n\n", "after"),
        ("// skipped\nAfter {}\n", "after"),
        ("Module before `{}`:\n", "before"),
        ("[2026-05-06 05:04:03] INFO: IR after {}:\n", "after"),
        ("=== {} ===\n", None),
        ("{}:\n", None),
        ("{}\n-----\n", None),
        (">>> print({})\n", None),
    ],
)
def test_the_line_above_a_module_names_it(form: str, when: str | None) -> None:
    dumps = read_text(titled(form.format("a"), form.format("b-c")))
    places = [dump.place for dump in dumps]
    name = "print({})" if "print" in form else "{}"
    assert [(one.when, one.pass_name) for one in places] == [(when, name.format(w)) for w in ("a", "b-c")]
    assert [traced.changed for traced in trace(dumps).passes][-1] is True


def test_a_last_module_without_a_line_follows_those_of_passes() -> None:
    assert len(read_text(titled("IR after a:\n", "IR after b:\n", ""))) == 3


@pytest.mark.parametrize(
    "titles",
    [
        ("one\n", ""),
        ("", "two\n"),
        ("one\n", "// two\n"),
        ("one\n", "#a = 1\n"),
        ("12:00:00 one\n", "12:00:01 two\n"),
        ("one\n", "a.py:1:2: error: no\n"),
    ],
)
def test_lines_that_do_not_name_all_modules_name_none(titles: tuple[str, str]) -> None:
    assert [dump.marker for dump in read_text(titled(*titles))] == [None]


def test_lines_above_modules_of_other_programs_name_no_states() -> None:
    texts = [f"=== {f}\n" + module(function(f, 1)) for f in "fg"]
    assert [dump.marker for dump in read_text("".join(texts))] == [None]


@pytest.mark.parametrize(("label", "name"), [(" late", "late"), (" a b", "a b"), ("", "print-ir")])
def test_the_marker_of_the_pass_that_prints(label: str, name: str) -> None:
    marker = f"// -----// IR Dump{label} //----- //\n"
    dumps = read_text(marker + module(function("f", 1, 2)) + marker + module(function("f", 2, 1)))
    assert [(dump.place.when, dump.place.pass_name, dump.program) for dump in dumps] == 2 * [(None, name, "")]
    assert rows(trace(dumps)) == [(name, None, None, 0), (name, None, True, 1)]


def test_programs_may_share_a_private_function() -> None:
    helper = function("help", 3).replace("@help", "private @help")
    both = [
        dump("After", name, module(function(f, 1, 2), helper)) for f in ("add", "mm") for name in ("a", "b")
    ]
    assert rows(traced(*both)) == [("a", None, None, 0), ("b", None, False, 0)] * 2


def test_an_op_above_another_names_no_state() -> None:
    ops = 'memref.global @a : memref<i32> loc("0|m")', "fx.init @b {\n  fx.run\n}", "func.func private @c()"
    text = "\n".join([ops[0], ops[1], ops[0].replace("@a", "@d"), ops[2], ""])
    assert len(read_text(text)) == 1
