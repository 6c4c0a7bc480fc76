"""What only a terminal gets: bars and links."""

import io
from pathlib import Path

import pytest

from eio_audit import check, explain, read, read_text
from eio_audit.report.text.console import Column, print_table
from tests.audit.test_check import ISSUE
from tests.cli.running import run_on_terminal
from tests.internals import Console, rendered
from tests.report.judged import judged
from tests.report.test_text import IN_ORDER, SHUFFLED, log


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class AsciiTerminal(Terminal):
    encoding = "ascii"


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


def printed(path: Path, file: io.StringIO, *, color: bool = False) -> str:
    rendered(judged(read(str(path))), "text", Console(file, color=color, width=100, verbose=True))
    return file.getvalue()


@pytest.fixture
def issue(tmp_path: Path) -> Path:
    path = tmp_path / "after one.mlir"
    path.write_text(ISSUE)
    return path


def test_a_terminal_shows_where_ops_belong(issue: Path) -> None:
    assert "    original place  ▁█▅\n" in printed(issue, Terminal())


@pytest.mark.parametrize("file", [AsciiTerminal(), io.StringIO()], ids=["ascii", "piped"])
def test_bars_only_where_they_can_be_seen(issue: Path, file: io.StringIO) -> None:
    assert "original place" not in printed(issue, file)


def test_a_terminal_links_to_lines(issue: Path) -> None:
    text = printed(issue, Terminal(), color=True)
    assert f";{issue.parent.as_uri()}/after%20one.mlir#2\x1b\\" in text
    assert f";{issue.parent.as_uri()}/after%20one.mlir#5\x1b\\" in text


def test_explanations_link_to_lines(issue: Path) -> None:
    file = Terminal()
    rendered(explain(read(issue), "#18"), "text", Console(file, color=True))
    assert f";{issue.parent.as_uri()}/after%20one.mlir#" in file.getvalue()


def test_traces_link_to_lines(issue: Path) -> None:
    before, after = IN_ORDER.replace("%0 =", "%2 ="), SHUFFLED
    issue.write_text(log(("Before", before), ("After", after)))
    _, shown = run_on_terminal("trace", issue)
    assert f";{issue.parent.as_uri()}/after%20one.mlir#" in shown


def test_no_link_is_piped(issue: Path) -> None:
    assert "\x1b" not in printed(issue, io.StringIO())


def test_standard_input_has_no_address() -> None:
    file = Terminal()
    rendered(judged(read_text(ISSUE, "<stdin>")), "text", Console(file, color=True))
    assert "\x1b[" in file.getvalue()
    assert "\x1b]8;" not in file.getvalue()


def test_the_profile_of_a_block_in_order_is_empty() -> None:
    [dump] = check(read_text(ISSUE.replace("DEBUG|23", "DEBUG|16"))).dumps
    assert dump.blocks[0].profile == ()


def test_a_last_column_that_does_not_fit_is_cut() -> None:
    columns = [Column("left", ["a" * 30]), Column("right", ["b" * 60])]
    file = Terminal()
    print_table(Console(file, color=False, width=50), columns)
    assert file.getvalue().splitlines() == [
        "left                            right",
        f"{'a' * 30}  ...{'b' * 15}",
    ]
