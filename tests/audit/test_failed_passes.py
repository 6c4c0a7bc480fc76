"""The invalid IR that a pass leaves when it fails is read to show it, and never judged or written."""

import shlex
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import InputError, Trace, check, diff, fix, history, read_text, trace
from tests.cli.running import run
from tests.programs import programs

GOOD = """// -----// IR Dump After CSE (cse) //----- //
func.func @f(%a: i32) -> i32 {
  %0 = "t.add"(%a) : (i32) -> i32 loc("1|add")
  %1 = "t.mul"(%a) : (i32) -> i32 loc("2|mul")
  return %1 : i32 loc("3|return")
}
"""


def failed(*ops: str) -> str:
    body = "".join(f"  {op}\n" for op in ops)
    return f"""// -----// IR Dump After Fuse Failed (fuse) //----- //
func.func @f(%a: i32) -> i32 {{
{body}  return %a : i32 loc("3|return")
}}
"""


EARLY = failed(
    '%1 = "t.mul"(%2) : (i32) -> i32 loc("2|mul")', '%2 = "t.where"(%a) : (i32) -> i32 loc("1|add")'
)


def traced(text: str) -> Trace:
    result = trace(read_text(text))
    assert result.errors == ()
    return result


@pytest.mark.parametrize(
    ("ops", "kind", "text"),
    [
        (
            ['%1 = "t.mul"(%a, %2) : (i32, i32) -> i32', '%2 = "t.add"() : () -> i32'],
            "use before definition",
            "operand 1 of t.mul (line 10) uses %2, defined on line 11",
        ),
        (
            ['"t.mul"(%2) : (i32) -> ()'],
            "undefined value",
            "operand 0 of t.mul (line 10) uses %2, which is not defined in this scope",
        ),
        (
            ['%1:2 = "t.pair"() : () -> (i32, i32)', '"t.mul"(%1#2) : (i32) -> ()'],
            "undefined value",
            "operand 0 of t.mul (line 11) uses %1#2, but the op has fewer results",
        ),
        (
            ['"t.mul"(<<UNKNOWN SSA VALUE>>) : (i32) -> ()'],
            "undefined value",
            "t.mul (line 10) has <<UNKNOWN SSA VALUE>>",
        ),
        (
            ['%1 = "t.mul"() : () -> i32', '%1 = "t.add"() : () -> i32'],
            "redefinition",
            "%1 is defined on line 11, and before that on line 10",
        ),
        (
            ['%a = "t.mul"() : () -> i32'],
            "redefinition",
            "%a is defined on line 10, and before that as an argument",
        ),
        (
            ["%1 = arith.addi %a, %2 : i32", '%2 = "t.add"() : () -> i32'],
            "use before definition",
            "operand 1 of arith.addi (line 10) uses %2, defined on line 11",
        ),
        (
            ["%1 = t.mul %2, %a : i32", '%2 = "t.add"() : () -> i32'],
            "use before definition",
            "operand 0 of t.mul (line 10) uses %2, defined on line 11",
        ),
    ],
)
def test_what_is_invalid_is_said(ops: list[str], kind: str, text: str) -> None:
    [(function, fault)] = traced(GOOD + "\n" + failed(*ops)).passes[-1].faults
    assert (function, fault.kind, fault.text) == ("@f", kind, text)


def test_the_pass_has_a_row_and_the_verdict_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.log"
    path.write_text(GOOD + "\n" + EARLY)
    done = run("trace", path.name)
    assert done.returncode == 1
    assert done.stderr == b""
    out = done.stdout.decode()
    assert "fuse (failed)" in out
    assert "operand 0 of t.mul (line 10) uses %2, defined on line 11" in out
    assert "\nfailed: fuse in @f: use before definition\nnext:\n" in out
    assert "  eio-audit diff a.log --pass fuse --dump 1  # shows what the pass that failed did\n" in out
    assert run("trace", "--fail-on", "never", path).returncode == 0


def test_blocks_of_the_invalid_dump_are_in_no_order_figure() -> None:
    good, both = traced(GOOD), traced(GOOD + "\n" + EARLY)
    assert both.summary.indexed == good.summary.indexed
    assert both.at_end_of_log == good.at_end_of_log
    row = both.passes[-1]
    assert (row.made, row.lost, row.mislabelled, row.figures.inversions) == (0, 0, 0, 0)
    assert (row.op_counts.added, row.op_counts.removed, row.op_counts.modified) == (1, 1, 2)


def test_a_log_goes_on_after_the_pass_that_failed() -> None:
    later = GOOD.replace("CSE (cse)", "Last (last)")
    result = traced(GOOD + "\n" + EARLY + "\n" + later)
    assert [(row.pass_name, row.changed) for row in result.passes] == [
        ("cse", None),
        ("fuse", True),
        ("last", True),
    ]
    assert result.at_end_of_log == traced(GOOD).at_end_of_log


def test_the_same_text_after_a_pass_that_did_not_fail_is_an_error() -> None:
    again = EARLY.replace("Fuse Failed (fuse)", "Last (last)")
    result = trace(read_text(GOOD + "\n" + EARLY + "\n" + again))
    assert [str(error.message) for error in result.errors] == ["use of value '%2' before its definition"]


def test_diff_and_history_show_it() -> None:
    before, after = read_text(GOOD + "\n" + EARLY)
    result = diff(before, after)
    assert [change.after and change.after.index for change in result.ops.groups["added"]] == [1]
    assert (result.after.blocks, result.locations.lost) == ((), ())
    found = history([before, after], "11").ops[0]
    assert [event.kind for event in found.events] == ["made"]


def test_the_page_has_the_pass_and_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(GOOD + "\n" + EARLY)
    page = run("trace", path, "--format", "html").stdout.decode()
    assert "fuse (failed)" in page
    assert "operand 0 of t.mul (line 10) uses %2, defined on line 11" in page


@pytest.mark.parametrize("command", ["fix", "normalize", "stamp", "check", "graph"])
def test_what_writes_or_judges_refuses_it(command: str, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(EARLY)
    done = run(command, path)
    assert done.returncode == 2
    assert b"a.log:3:16: error: use of value '%2' before its definition" in done.stderr
    assert b"t.where" not in done.stdout


def test_what_is_missing_behind_a_long_constant_is_an_error() -> None:
    line = f'"t.a"() {{v = dense<"0x{"0" * 200_000}"> : tensor<100000xi8>}} : () -> <<NULL TYPE>>'
    [error] = check(read_text(f"func.func @f() {{\n  {line}\n  return\n}}\n")).errors
    assert error.message == "the IR is invalid: <<NULL TYPE>>"


@pytest.mark.parametrize("ops", [['"t.a"(<<NULL VALUE>>) : (i32) -> ()'], ['"t.a"(%9) : (i32) -> ()']])
def test_invalid_ir_of_other_passes_is_an_error(ops: list[str]) -> None:
    text = failed(*ops).replace("Fuse Failed", "Fuse")
    assert len(trace(read_text(text)).errors) == 1
    assert len(check(read_text(text)).errors) == 1
    [dump] = read_text(text.replace("Fuse", "Fuse Failed"))
    with pytest.raises(InputError):
        fix([dump])


ERROR = """m.mlir:3:1: error: failed to legalize operation 't.mul' that was explicitly marked illegal
m.mlir:3:1: note: see current operation: %1 = "t.mul"(%a) : (i32) -> i32
"""


def test_an_error_stands_beside_the_pass_whose_dump_follows() -> None:
    result = traced(GOOD + "\n" + ERROR + failed())
    assert [len(row.errors) for row in result.passes] == [0, 1]
    [error] = result.passes[1].errors
    assert (error.line, error.place, error.op_name, error.op_lines) == (8, "m.mlir:3:1", "t.mul", (4,))


def test_an_error_above_the_only_dump_of_a_log_is_of_the_pass_that_failed() -> None:
    [error] = traced(ERROR + failed('%1 = "t.mul"(%a) : (i32) -> i32')).passes[-1].errors
    assert (error.line, error.op_name) == (1, "t.mul")


def test_a_note_whose_error_is_not_in_the_paste_counts_as_one() -> None:
    _, note = ERROR.splitlines()
    [error] = traced(GOOD.replace("After", "Before") + note).passes[-1].errors
    assert (error.line, error.message, error.op_lines) == (7, "see current operation", (4,))
    assert traced(GOOD + "m.mlir:3:1: warning: slow\n" + note).passes[-1].errors == ()


def test_a_pass_that_failed_is_the_verdict_whatever_is_out_of_order(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(GOOD + "\n" + ERROR + failed())
    done = run("trace", path)
    assert done.returncode == 1
    expected = (
        b"failed: fuse in @f: failed to legalize operation 't.mul' that was explicitly marked illegal\n"
    )
    assert expected in done.stdout
    path.write_text(GOOD + "\n" + failed())
    assert b"\nfailed: fuse in @f\n" in run("trace", path).stdout


def test_an_error_below_the_dump_of_a_pass_that_failed_is_its_own() -> None:
    result = traced(GOOD + "\n" + failed() + "\n" + ERROR)
    [error] = result.passes[1].errors
    assert error.op_lines == (4,)


def test_an_error_below_a_dump_before_a_pass_is_of_that_pass() -> None:
    before = GOOD.replace("After", "Before")
    result = traced(before + before.replace("CSE (cse)", "Fuse (fuse)") + ERROR)
    assert [(row.pass_name, row.failed, len(row.errors)) for row in result.passes] == [
        ("cse", False, 0),
        ("fuse", True, 1),
    ]


def test_an_error_at_the_end_is_of_the_pass_that_the_compiler_names() -> None:
    note = "m.mlir:1:1: note: Pipeline failed while executing [`Fuse` on 'builtin.module' operation]\n"
    result = traced(GOOD + "\n" + ERROR + note)
    assert [(row.pass_name, row.failed) for row in result.passes] == [("cse", False), ("Fuse", True)]


def test_of_several_ops_that_one_is_meant_which_is_at_the_location() -> None:
    text = GOOD.replace('"t.add"', '"t.mul"').replace('loc("2|mul")', 'loc("m.mlir":3:1)')
    [error] = traced(text + "\n" + ERROR + failed()).passes[-1].errors
    assert error.op_lines == (4,)


def test_next_points_at_the_op_that_the_error_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.log"
    path.write_text(GOOD.replace('loc("1|add")', "") + "\n" + ERROR + failed())
    done = run("trace", path.name)
    assert b"  eio-audit history a.log 4  # follows the op that its error names\n" in done.stdout
    done = run("trace", path.name, "--follow", "none", "--index-pattern", r"^(?P<index>\d+)\|")
    [line] = [one for one in done.stdout.decode().splitlines() if "eio-audit history" in one]
    words = shlex.split(line, comments=True)
    assert words[2:] == [
        "--config",
        "follow=none",
        "--config",
        r'index-pattern="^(?P<index>\\d+)\\|"',
        "a.log",
        "4",
    ]
    assert run(*words[1:]).returncode == 0


UNLISTED = """x.func @k(%a: f32) -> f32 {
  %0 = x.load %a : f32
  %1 = x.splat %0 : f32
  x.return %1 : f32
}
"""
SAYS = "m.mlir:1:1: error: operand #0 does not dominate this use\n"
BEFORE, AFTER = (
    "// -----// IR Dump After A (a) //----- //\n",
    "// -----// IR Dump After B Failed (b) //----- //\n",
)


def swapped(text: str) -> str:
    first, load, splat, *rest = text.splitlines(keepends=True)
    return "".join([first, splat, load, *rest])


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (BEFORE + UNLISTED + "\n" + AFTER + swapped(UNLISTED), 1),  # there was none before
        (BEFORE + swapped(UNLISTED) + "\n" + AFTER + swapped(UNLISTED), 0),  # a graph region
        (AFTER + swapped(UNLISTED), 0),  # perhaps a graph region
        (BEFORE + "x.other {\n}\n" + SAYS + AFTER + swapped(UNLISTED), 1),
        (BEFORE + UNLISTED + "\n" + AFTER.replace(" Failed", "") + swapped(UNLISTED), 0),
    ],
)
def test_a_use_before_its_definition_in_an_unlisted_op(text: str, faults: int) -> None:
    found = [fault.text for _, fault in traced(text).passes[-1].faults]
    assert len(found) == faults
    assert all("operand 0 of x.splat (line " in one for one in found)


@given(programs(), st.randoms(use_true_random=False))
def test_ops_in_any_order_are_read(text: str, random: Random) -> None:
    """Without a fault, its dump is read as any other one; with one, it does not count."""
    first, *ops, end = text.splitlines(keepends=True)
    random.shuffle(ops)
    shuffled = "".join([first, *ops, end])
    before, after = BEFORE + text, AFTER + shuffled
    result = trace(read_text(f"{before}\n{after}"))
    valid = trace(read_text(f"{before}\n{after.replace(' Failed', '')}"))
    if not result.errors:
        is_invalid = bool(result.passes[-1].faults)
        assert is_invalid or not valid.errors
        assert result.at_end_of_log == (trace(read_text(before)) if is_invalid else valid).at_end_of_log
        old, new = read_text(f"{before}\n{after}")
        assert diff(old, new).ops.unchanged <= len(ops) + 1
