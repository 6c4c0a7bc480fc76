"""``--order-from``: a dump of the input, or another, as the original order."""

import json
from pathlib import Path

import pytest

from tests.cli.running import pipe_of, run

DUMP = """\
// -----// IR Dump After {name} ({name}) //----- //
func.func @f(%a: i32) -> (i32, i32) {{
  %{first} = "t.{first}"(%a) : (i32) -> i32
  %{second} = "t.{second}"(%a) : (i32) -> i32
  return %neg, %abs : i32, i32
}}
"""
LOG = DUMP.format(name="a", first="neg", second="abs") + DUMP.format(name="b", first="abs", second="neg")
PURE = ("--config", "assume-pure=t.*", "--format", "json")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "passes.log"
    path.write_text(LOG)
    return path


def inversions(*args: str | Path, stdin: bytes = b"") -> list[int]:
    document = json.loads(run(*args, *PURE, stdin=stdin).stdout)
    if document["command"] == "trace":
        return [one["inversions"] for one in document["passes"]]
    return [sum(block["inversions"] for block in dump["blocks"]) for dump in document["dumps"]]


def test_the_first_dump_of_the_input(log: Path) -> None:
    assert inversions("check", log, "--order-from", "first") == [0, 1]
    assert inversions("trace", log, "--order-from", "first") == [0, 1]


def test_the_first_dump_whatever_dump_is_chosen(log: Path) -> None:
    assert inversions("check", log, "--dump", "last", "--order-from", "first") == [1]


@pytest.mark.parametrize("command", ["check", "trace"])
def test_standard_input_is_read_twice(command: str) -> None:
    assert inversions(command, "-", "--order-from", "first", stdin=LOG.encode()) == [0, 1]


def test_a_pipe_that_is_a_file_can_be_read_once() -> None:
    with pipe_of(b"my.a\n") as path:
        done = run("check", "--order-from", "first", path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"a pipe can be read once: give it as standard input, -" in done.stderr


def test_a_numbered_dump_of_a_log(log: Path) -> None:
    assert inversions("check", log, "--order-from", f"{log}:2") == [1, 0]


@pytest.mark.parametrize("end", [":1", "first", "1"])
def test_a_dump_of_a_log_as_everywhere(log: Path, end: str) -> None:
    numbered = run("check", log, "--order-from", f"{log}:1").stdout
    assert run("check", log, "--order-from", f"{log}:{end}").stdout == numbered


def test_a_file_whose_name_ends_in_a_number(log: Path) -> None:
    named = log.with_name("before:2")
    named.write_text(DUMP.format(name="a", first="neg", second="abs"))
    assert inversions("check", log, "--order-from", named) == [0, 1]


def test_several_dumps_and_no_number(log: Path) -> None:
    done = run("trace", log, "--order-from", log)
    message = f"{log}: error: there are 2 dumps: choose one, as in --order-from {log}:1\n"
    assert (done.returncode, done.stderr.decode()) == (2, message)


def test_a_number_beyond_the_last(log: Path) -> None:
    done = run("check", log, "--order-from", f"{log}:3")
    assert (done.returncode, done.stderr.decode()) == (
        2,
        f"{log}: error: --order-from: there is no dump 3, only 2\n",
    )


def test_the_first_of_nothing() -> None:
    done = run("check", "-", "--order-from", "first")
    assert (done.returncode, done.stderr) == (2, b"<stdin>:1:1: error: the input is empty\n")
