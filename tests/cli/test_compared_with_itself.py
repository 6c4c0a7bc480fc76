"""An order from the dump itself, or numbers for the end of a log, would always pass: both are errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from eio_audit import InputError, read_text, stamp
from tests.cli.running import run, run_process
from tests.logs import dump, function

ONE = function("f", 1, 2)
LOG = dump("After", "a", ONE) + dump("After", "b", function("f", 2, 1))
ITSELF = b"error: --order-from: this dump would be compared with itself"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.mlir").write_text(ONE)
    Path("b.mlir").write_text(function("f", 2, 1))
    Path("passes.log").write_text(LOG)
    Path("link.mlir").symlink_to("a.mlir")
    return tmp_path


@pytest.mark.parametrize(
    "args",
    [
        ("check", "a.mlir", "--order-from", "first"),
        ("check", "a.mlir", "--order-from", "./a.mlir"),
        ("check", "link.mlir", "--order-from", "a.mlir"),
        ("check", "a.mlir", "--order-from", "a.mlir:1"),
        ("check", "passes.log", "--order-from", "first", "--dump", "1"),
        ("check", "passes.log", "--order-from", "passes.log:2", "--pass", "b"),
        ("fix", "a.mlir", "--order-from", "first"),
        ("diff", "a.mlir", "a.mlir", "--order-from", "first"),
    ],
)
def test_an_order_from_the_only_dump_is_an_error(args: tuple[str, ...]) -> None:
    done = run(*args)
    assert (done.returncode, done.stdout, ITSELF in done.stderr) == (2, b"", True)


@pytest.mark.parametrize(
    "args",
    [
        ("check", "a.mlir", "b.mlir", "--order-from", "first"),
        ("check", "b.mlir", "--order-from", "a.mlir"),
        ("check", "passes.log", "--order-from", "first"),
        ("check", "passes.log", "--order-from", "passes.log:2"),
        ("diff", "a.mlir", "b.mlir", "--order-from", "first"),
        ("diff", "passes.log", "--pass", "b", "--order-from", "first"),
    ],
)
def test_another_dump_in_the_input_is_compared(args: tuple[str, ...]) -> None:
    assert run(*args).returncode in (0, 1)


def test_standard_input_may_have_one_dump_or_several() -> None:
    one = run_process("check", "-", "--order-from", "first", stdin=ONE.encode())
    several = run_process("check", "-", "--order-from", "first", stdin=LOG.encode())
    assert (one.returncode, ITSELF in one.stderr) == (2, True)
    assert (several.returncode, several.stdout[:7]) == (1, b"<stdin>")


def test_a_file_is_the_same_as_itself() -> None:
    done = run("diff", "a.mlir", "link.mlir")
    assert (done.returncode, done.stdout) == (0, b"identical\n")


def test_the_order_of_a_file_is_judged_even_beside_itself() -> None:
    codes = [run("diff", name, name, "--fail-on", "any").returncode for name in ("a.mlir", "b.mlir")]
    assert codes == [0, 1]


def test_without_a_gate_the_diff_says_that_they_are_identical() -> None:
    done = run("diff", "a.mlir", "a.mlir")
    assert (done.returncode, done.stdout) == (0, b"identical\n")


def test_a_gate_on_a_dump_without_an_index_could_not_run() -> None:
    Path("lost.mlir").write_text(function("f", None, None))
    assert run("diff", "a.mlir", "lost.mlir").returncode == 0
    assert run("diff", "a.mlir", "lost.mlir", "--fail-on", "never").returncode == 0
    done = run("diff", "a.mlir", "lost.mlir", "--fail-on", "shuffled")
    assert (done.returncode, b"lost.mlir: error: no op carries an op index" in done.stderr) == (2, True)


def test_a_log_is_not_stamped() -> None:
    done = run("stamp", "passes.log", "-o", "out.mlir")
    said = b"passes.log: error: this is a log of passes: stamp the compiler's input, then run the passes\n"
    assert (done.returncode, done.stderr, Path("out.mlir").exists()) == (2, said, False)
    with pytest.raises(InputError, match="stamp the compiler's input"):
        stamp(read_text(LOG))


def test_the_pieces_of_a_split_file_are_stamped() -> None:
    text = '"t.a"() : () -> ()\n// -----\n"t.b"() : () -> ()\n'
    assert run("stamp", "-", stdin=text.encode()).stdout.count(b'loc("DEBUG|0|') == 2
