import io
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from eio_audit import read_text
from eio_audit.cli.output import write_folder
from eio_audit.report.text import progress as shown
from tests.internals import read_ir


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def wait_for(self, text: str) -> None:
        deadline = time.monotonic() + 20
        while text not in self.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert text in self.getvalue()


def terminal(monkeypatch: pytest.MonkeyPatch, *, shown_after: float = 0.0, term: str = "xterm") -> Terminal:
    """Standard error as a terminal; for the body of a test, since pytest captures anew for each phase of it."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": term, "COLUMNS": "80", "LINES": "24"}.items():
        monkeypatch.setenv(name, value)
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(shown, "SHOWN_AFTER_SECONDS", shown_after)
    return stderr


def test_work_of_less_than_a_second_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = terminal(monkeypatch, shown_after=1.0)
    with shown.progress(100, "checking") as advance:
        advance(100)
    assert stderr.getvalue() == ""


def test_it_shows_how_far_the_work_is_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = terminal(monkeypatch)
    with shown.progress(1_000, "checking [red]") as advance:
        advance(250)
        stderr.wait_for("checking [red] ")
        advance(500)
        stderr.wait_for("0.8/1.0 kB")
    assert stderr.getvalue().endswith("\x1b[2K")  # the line is erased


def test_input_that_is_read_twice_is_never_more_than_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = terminal(monkeypatch)
    with shown.progress(1_000, "following") as advance:
        advance(1_700)
        stderr.wait_for("1.0/1.0 kB")
    assert "1.7" not in stderr.getvalue()


def test_the_time_runs_on_when_all_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = terminal(monkeypatch)
    with shown.progress(1_000, "reading", then="ordering") as advance:
        advance(1_000)
        stderr.wait_for("ordering ")
        stderr.wait_for("0:00:01")
    assert "?" not in stderr.getvalue().replace("\x1b[?25", "")


def test_work_of_unknown_length_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = terminal(monkeypatch)
    with shown.status("comparing the dumps"):
        stderr.wait_for("comparing the dumps")
    assert stderr.getvalue().endswith("\x1b[2K")


def test_of_several_files_it_shows_how_many_are_done_and_which_is_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stderr = terminal(monkeypatch)
    with shown.progress(9_000_000, "checking", files=2_000) as advance:
        advance.waits_for("model_7/3_cse\x1b[1m.mlir")
        advance(1_000_000)
        for _ in range(1_203):
            advance.file_done()
        stderr.wait_for("1,203/2,000 files")
        stderr.wait_for("1.0/9.0 MB")
        stderr.wait_for("model_7/3")
    assert "cse\x1b[1m" not in stderr.getvalue()


def test_it_is_away_while_something_else_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = terminal(monkeypatch)
    with shown.progress(1_000, "fixing") as advance:
        stderr.wait_for("fixing")
        with advance.aside():
            assert stderr.getvalue().endswith("\x1b[2K")
            stderr.write("a.mlir: fixed\n")
        advance(500)
        stderr.wait_for("0.5/1.0 kB")
    before, _, after = stderr.getvalue().partition("a.mlir: fixed\n")
    assert before.endswith("\x1b[2K")
    assert "fixing" in after


def test_without_a_total_it_shows_the_bytes_done(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = terminal(monkeypatch)
    with shown.progress(None, "checking") as advance:
        advance(2_000_000)
        stderr.wait_for("2.0 MB")


def test_an_error_takes_it_away(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = terminal(monkeypatch)
    with pytest.raises(ValueError, match="broken"), shown.progress(1000, "checking"):
        stderr.wait_for("checking")
        raise ValueError("broken")
    assert stderr.getvalue().endswith("\x1b[2K")


def test_a_terminal_that_cannot_erase_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = terminal(monkeypatch, term="dumb")
    with shown.progress(1000, "checking"):
        time.sleep(0.3)
    assert stderr.getvalue() == ""


def test_where_there_is_no_terminal_nothing_is_imported_for_it() -> None:
    script = """import sys
from eio_audit.report.text.progress import advancing, progress
with progress(None, "checking") as advance:
    advance(1)
sys.exit("rich" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_packed_file_counts_as_its_size_on_disk() -> None:
    dumps = read_text("func.func @f() {\n}\n// -----\nfunc.func @g() {\n}\n")
    done: list[int] = []
    assert list(shown.advancing(dumps, done.append, 20)) == dumps
    assert done == [9, 11]  # the second begins with the line end behind the separator


@pytest.mark.parametrize("line", ["my.op loc(unknown)", '"t.a"() : () -> () loc(unknown)'])
def test_a_large_dump_counts_while_it_is_read(line: str) -> None:
    text = "func.func @f() {\n" + f"{line}\n" * (2_000_000 // len(line)) + "}"
    done: list[int] = []
    for dump in shown.advancing(read_text(text), done.append, 0):
        read_ir(dump.source, dump.span)
    assert len(done) > 3
    assert sum(done) == len(text)


def test_what_comes_from_a_pipe_counts_as_its_length() -> None:
    dumps = read_text("func.func @f() {\n}\n")
    done: list[int] = []
    assert list(shown.advancing(dumps, done.append, 0)) == dumps
    assert done == [19]


def test_a_folder_of_pages_shows_what_is_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stderr = terminal(monkeypatch)

    def pages() -> Iterator[tuple[str, bytes]]:
        yield "a.html", b"a" * 1_500_000
        stderr.wait_for("writing pages")
        yield "b.html", b"b" * 1_500_000
        stderr.wait_for("3.0 MB")

    write_folder(str(tmp_path), pages(), "writing pages")
    assert stderr.getvalue().endswith("\x1b[2K")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "b.html"]
