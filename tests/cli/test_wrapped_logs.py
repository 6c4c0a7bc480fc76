"""Logs whose lines a terminal has wrapped."""

from pathlib import Path

from tests.cli.running import run

HEAD = "// -----// IR Dump After CSE (cse) //----- //\nmodule {\n"
LONG = '  "a.op"() {{name = "number {}", text = "{}"}} : () -> ()\n'


def wrapped(text: str, width: int) -> str:
    lines = text.split("\n")
    return "\n".join(line[k : k + width] for line in lines for k in range(0, max(len(line), 1), width))


def test_errors_of_a_wrapped_log_name_its_width(tmp_path: Path) -> None:
    ops = "".join(LONG.format(k, "t" * (60 + k)) for k in range(4))
    log = tmp_path / "pasted.log"
    log.write_text(wrapped(2 * (HEAD + ops + "}\n"), 80))
    done = run("trace", log)
    hint = f"{log}: help: its lines seem to be wrapped at 80 columns: write the log to a file"
    assert (done.returncode, done.stderr.decode().splitlines()[-1]) == (2, hint)


def test_a_marker_that_is_cut_off_is_noted(tmp_path: Path) -> None:
    marker = HEAD.replace("CSE (cse)", "LoopInvariantCodeMotion (loop-invariant-code-motion)")
    log = tmp_path / "pasted.log"
    log.write_text(HEAD + "}\n" + wrapped(marker, 80) + "}\n")
    note = f"note: {log}:4: a marker that its line end cuts off: is this log wrapped?"
    assert note in run("trace", log).stderr.decode().splitlines()


def test_of_one_file_the_first_five_errors_are_printed(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(7 * (HEAD + "  ?\n}\n"))
    done = run("check", log)
    errors = done.stderr.decode().splitlines()
    assert sum(": error: " in line for line in errors) == 5
    assert errors[-1] == f"{log}: 2 more errors"
