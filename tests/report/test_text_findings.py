"""Findings on a terminal of 80 columns: at most two lines each, below the name of their file."""

import gzip
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import Finding, read_text
from eio_audit.report.document import Shown
from eio_audit.report.text.document import print_findings
from tests.cli.running import run
from tests.internals import Console
from tests.report.judged import judged
from tests.report.test_text import function, op
from tests.report.test_text_terminal import Terminal

LINE = '%0 = "ttir.abs"(%a) : (tensor<1x128x128xbf16>) -> tensor<1x128x128xbf16>  loc("2|x")'


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("LINES", "24")


def finding(module: str = "Net[net]", name: str = "%0", source: str = "a.mlir") -> Finding:
    text = function(op(name, 2, module=module), op("%1", 1))
    return judged(read_text(text, source)).findings[0]


def lines(
    *findings: Finding,
    file: io.StringIO | None = None,
    note: str = "",
    excerpt: str = "",
    verbose: bool = False,
) -> list[str]:
    """Return what is printed for the findings, on a terminal of 80 columns and 24 lines unless to a file."""

    def excerpts(found: Sequence[Finding]) -> Mapping[tuple[str, int], str]:
        return {(one.source, one.line): excerpt for one in found}

    file = file or Terminal()
    console = Console(file, color=False, width=80, verbose=verbose)
    shown = [Shown(one, "red", note) for one in findings]
    print_findings(shown, console, excerpts if excerpt else None)
    return file.getvalue().splitlines()


def test_a_finding_that_fits() -> None:
    assert lines(finding()) == [
        "a.mlir",
        "  2:1 EIO001 #2 ttir.abs %0 belongs after #1 ttir.abs %1 (line 3): 1",
        "    inversion, fix moves it (Net[net], net.py:2)",
    ]


def test_the_start_of_a_long_origin_is_cut() -> None:
    assert lines(finding(module="Bottleneck[net.stages.0.blocks.1.conv0.norm]")) == [
        "a.mlir",
        "  2:1 EIO001 #2 ttir.abs %0 belongs after #1 ttir.abs %1 (line 3): 1",
        "    inversion, fix moves it (...eck[net.stages.0.blocks.1.conv0.norm], net.py:2)",
    ]


def test_a_long_sentence_is_cut_before_the_pass_that_introduced_it() -> None:
    name = "%a_very_long_name_of_a_result_that_a_compiler_gave_to_it_for_its_own_reasons"
    assert lines(finding(name=name), note="; by ttir-erase-inverse-ops") == [
        "a.mlir",
        "  2:1 EIO001 #2 ttir.abs...; by ttir-erase-inverse-ops",
    ]


def test_a_pipe_gets_a_line_for_each_finding() -> None:
    assert lines(finding(), file=io.StringIO()) == [
        "a.mlir",
        "  2:1 EIO001 #2 ttir.abs %0 belongs after #1 ttir.abs %1 (line 3): 1 inversion, fix moves it"
        " (Net[net], net.py:2)",
    ]


def test_a_file_is_named_once_even_if_its_findings_are_apart() -> None:
    shown = lines(finding(source="a"), finding(source="b"), finding(source="a"), file=io.StringIO())
    assert [line[:5] for line in shown] == ["a", "  2:1", "  2:1", "b", "  2:1"]


def test_a_terminal_with_room_shows_the_line_of_the_ir() -> None:
    assert lines(finding(), excerpt=LINE)[3:] == [
        '    2 | %0 = "ttir.abs"(%a) : (tensor<1x128x128xbf16>) -> tensor<1x128x128xbf...',
        "      | ^",
    ]


def test_a_terminal_without_room_shows_no_lines_of_the_ir_unless_verbose() -> None:
    three = [finding()] * 3
    assert len(lines(*three, excerpt=LINE)) == 1 + 3 * 2
    assert len(lines(*three, excerpt=LINE, verbose=True)) == 1 + 3 * 4


def test_a_pipe_shows_the_lines_of_the_ir_if_verbose() -> None:
    assert len(lines(finding(), excerpt=LINE, file=io.StringIO())) == 2
    assert lines(finding(), excerpt=LINE, file=io.StringIO(), verbose=True)[-1] == "      | ^"


@given(
    module=st.text("abc[]. ", max_size=150),
    name=st.text("abc", max_size=100),
    note=st.text("no; ", max_size=90),
)
def test_no_finding_has_more_than_two_lines_or_80_columns(module: str, name: str, note: str) -> None:
    shown = lines(finding(module=module, name=f"%{name}0"), note=note)
    assert (len(shown) <= 3, max(map(len, shown)) <= 80) == (True, True)


def test_the_command_reads_the_lines_again(tmp_path: Path) -> None:
    path = tmp_path / "a.mlir.gz"
    text = function("  " + op("%0", 2), op("%1", 1))
    path.write_bytes(gzip.compress(text.replace("\n", "\r\n").encode()))
    shown = run("check", path, "--verbose").stdout.decode().splitlines()
    assert shown[2:4] == [
        '    2 | %0 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|2|Net[net]|net.py:1|forward|2|ttir.abs")',
        "      | ^",
    ]


def test_standard_input_cannot_be_read_again() -> None:
    text = function(op("%0", 2), op("%1", 1))
    assert b" | ^" not in run("check", "-", "--verbose", stdin=text.encode()).stdout
