"""``diff`` of what FileCheck looked for and what it found: whether only the order differs."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eio_audit.audit.diff.check_lines import CheckOrder, compare_checks
from eio_audit.audit.options import DEFAULT_OPTIONS
from eio_audit.mlir.input.dumps import read_text
from eio_audit.mlir.input.filecheck import check_lines, failed_checks
from eio_audit.mlir.source import InputError, Source
from tests.cli.running import run
from tests.limits import limited
from tests.tools import mlir_tool

IR = """\
module {
  func.func @f(%arg0: f32, %arg1: f32) -> f32 {
    %0 = arith.addf %arg0, %arg1 : f32
    %1 = arith.mulf %arg0, %arg1 : f32
    %2 = arith.subf %0, %1 : f32
    return %2 : f32
  }
}
"""
SWAPPED = """\
// CHECK-LABEL: func.func @f
//  CHECK-SAME: %[[A:.*]]: f32, %[[B:.*]]: f32
//       CHECK: %[[MUL:.*]] = arith.mulf %[[A]], %[[B]] : f32
//  CHECK-NEXT: %[[ADD:.*]] = arith.addf %[[A]], %[[B]] : f32
//  CHECK-NEXT: %[[SUB:.*]] = arith.subf %[[ADD]], %[[MUL]] : f32
//  CHECK-NEXT: return %[[SUB]]
"""
needs_filecheck = pytest.mark.skipif(mlir_tool("FileCheck") is None, reason="there is no FileCheck-22")


def printed(text: str, lead: str = "", prefix: str = "CHECK", check_file: str = "t.mlir") -> str:
    """What FileCheck prints of a text on which a test fails, with lit's prefix."""
    text = re.sub(" +", " ", text)
    numbered = [f"{number:>9}: {line} " for number, line in enumerate(text.split("\n"), 1)]
    numbered.insert(3, "next:4      ~~~~~~ error: match on wrong line")
    lines = [
        f"{check_file}:4:16: error: {prefix}-NEXT: is not on the line after the previous match",
        "Input file: <stdin>",
        f"Check file: {check_file}",
        "",
        "Input was:",
        "<<<<<<",
        *numbered,
        ">>>>>>",
    ]
    return "".join(f"{lead}{line}".rstrip() + "\n" for line in lines)


def compared(checks: str, text: str = IR) -> tuple[CheckOrder, str | None]:
    [failed] = failed_checks(Source("out.txt", printed(text).encode()))
    lines = check_lines(Source("t.mlir", checks.encode()), failed.prefixes)
    found = compare_checks(failed, lines, "t.mlir", DEFAULT_OPTIONS)
    return found.order, found.forbidden


@pytest.mark.parametrize("lead", ["", "# | "])
def test_the_input_is_read_without_numbers_findings_and_the_prefix_of_lit(lead: str) -> None:
    [dump] = read_text(printed(IR, lead), "out.txt")
    assert dump.printed.decode() == re.sub(" +", " ", IR)
    assert dump.place.line == 7


def test_an_input_with_lines_left_out_is_an_error_with_what_to_set() -> None:
    text = printed(IR).replace("        4: ", "        5: ", 1)
    with pytest.raises(InputError, match="FILECHECK_OPTS=-dump-input-filter=all"):
        read_text(text, "out.txt")


@pytest.mark.parametrize(
    ("checks", "order", "forbidden"),
    [
        (SWAPPED, CheckOrder.OTHER, ""),
        ("// CHECK: arith.addf\n// CHECK: arith.mulf\n", CheckOrder.SAME, None),
        ("// CHECK-DAG: arith.mulf\n// CHECK-DAG: arith.addf\n", CheckOrder.SAME, None),
        ("// CHECK: addf\n// CHECK: f32\n", CheckOrder.SAME, None),
        ("// CHECK-COUNT-3: arith.\n", CheckOrder.SAME, None),
        ("// CHECK-COUNT-4: arith.\n", CheckOrder.MISSING, None),
        ("// CHECK: arith.divf\n", CheckOrder.MISSING, None),
        ("// CHECK: addf\n// CHECK: addf\n", CheckOrder.MISSING, None),
        ("// CHECK: %[[A:.*]] = arith.addf\n// CHECK: subf {{%.*}}, %[[A]]\n", CheckOrder.MISSING, None),
        ("// CHECK-LABEL: @g\n// CHECK: arith.addf\n", CheckOrder.MISSING, None),
        (
            "// CHECK: subf\n// CHECK: addf\n",
            CheckOrder.OTHER,
            "%2 (line 12) cannot be before %0 (line 9), which it depends on",
        ),
    ],
)
def test_each_line_is_found_at_a_place_of_its_own(
    checks: str, order: CheckOrder, forbidden: str | None
) -> None:
    assert compared(checks) == (order, forbidden)


def test_functions_in_another_order_are_another_order() -> None:
    checks = "// CHECK-LABEL: @g\n// CHECK: subf\n// CHECK-LABEL: @f\n// CHECK: mulf\n"
    body = "(%a: f32) -> f32 {\n%0 = arith.{} %a, %a : f32\nreturn %0 : f32\n}\n"
    text = "func.func @f" + body.replace("{}", "mulf") + "func.func @g" + body.replace("{}", "subf")
    assert compared(checks, text) == (CheckOrder.OTHER, "")


def test_the_report_names_the_lines_that_are_out_of_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.mlir").write_text(SWAPPED)
    (tmp_path / "out.txt").write_text(printed(IR))
    done = run("diff", "t.mlir", "out.txt")
    assert done.returncode == 1
    assert done.stdout.decode().splitlines()[:7] == [
        "the CHECK lines match in another order: 1 of 5 is out of place",
        "the order of the CHECK lines is legal, too: no dependence of the ops forbids it",
        "test    t.mlir",
        "output  out.txt",
        "",
        "  test  output  line",
        "     4       9  CHECK-NEXT: %[[ADD:.*]] = arith.addf %[[A]], %[[B]] : f32",
    ]


def test_the_output_alone_names_the_test_and_may_be_piped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.mlir").write_text(SWAPPED)
    done = run("diff", "-", "--format", "json", stdin=printed(IR).encode())
    assert json.loads(done.stdout)["order"] == "another order"


def test_a_file_without_check_lines_is_compared_as_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "before.mlir").write_text(IR)
    (tmp_path / "out.txt").write_text(printed(IR))
    done = run("diff", "before.mlir", "out.txt")
    assert (done.returncode, done.stdout.decode().splitlines()[0]) == (
        0,
        "same text up to names and locations",
    )


def test_a_pattern_that_cannot_be_read_is_an_error_at_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.mlir").write_text("// CHECK: a\n// CHECK: {{(}}\n")
    (tmp_path / "out.txt").write_text(printed(IR))
    done = run("diff", "t.mlir", "out.txt")
    assert (done.returncode, done.stderr.decode().splitlines()[1:]) == (
        2,
        ["// CHECK: {{(}}", " " * 10 + "^"],
    )


@needs_filecheck
@pytest.mark.parametrize("wrapped", [False, True])
def test_filecheck_itself_is_read(tmp_path: Path, wrapped: bool) -> None:
    test = tmp_path / "t.mlir"
    test.write_text(SWAPPED + IR)
    done = subprocess.run(
        [str(mlir_tool("FileCheck")), str(test)],
        input=IR.encode(),
        capture_output=True,
        check=False,
        env={**os.environ, "FILECHECK_OPTS": "-dump-input-filter=all"},
    )
    assert done.returncode == 1
    text = done.stderr.decode()
    (tmp_path / "out.txt").write_text(
        "".join(f"# | {line}\n" for line in text.split("\n")) if wrapped else text
    )
    found = run("diff", tmp_path / "out.txt")
    assert found.stdout.startswith(b"the CHECK lines match in another order: 1 of 5 is out of place\n")


@settings(max_examples=30)
@given(st.permutations(range(6)))
def test_any_other_order_of_distinct_lines_is_another_order(order: list[int]) -> None:
    text = "".join(f'"my.op{k}"() : () -> ()\n' for k in range(6))
    checks = "".join(f"// CHECK: my.op{k}\n" for k in order)
    expected = CheckOrder.SAME if order == sorted(order) else CheckOrder.OTHER
    assert compared(checks, text)[0] is expected


def test_a_pattern_that_backtracks_is_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("eio_audit.audit.diff.check_lines.MOST_SECONDS", 0.2)
    test, output = tmp_path / "t.mlir", tmp_path / "out.txt"
    test.write_text("// CHECK: {{(a|a)+b}}\n")
    output.write_text(printed("module {\n}\n// " + "a" * 60))
    done = run("diff", test, output)
    assert done.returncode == 2
    assert done.stderr.decode() == (
        f"{test}:1:1: error: it takes too long to look for the lines of this test, at last for CHECK: {{{{(a|a)+b}}}}\n"
    )


def test_a_count_of_a_billion_is_not_found(tmp_path: Path) -> None:
    test, output = tmp_path / "t.mlir", tmp_path / "out.txt"
    test.write_text("// CHECK-COUNT-999999999: module\n")
    output.write_text(printed("module {\n}\n"))
    assert "1 of 4 CHECK lines found nowhere" in run("diff", test, output).stdout.decode()


@pytest.mark.parametrize(
    "line",
    ["Input was:\n<<<<<<\n", ">>>>>>\n", "x>>>>>>\n", "Input was:\n", "Input was:\n<<<<<<\n  1: a\n>>>>>>\n"],
)
def test_many_heads_and_ends_take_linear_time(line: str) -> None:
    with limited(1):
        failed_checks(Source("out.txt", ("Input was:\n<<<<<<\n" + line * 20_000).encode()))
