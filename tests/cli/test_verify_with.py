"""``fix --verify-with``: nothing is written that the user's compiler does not accept."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.audit.test_fix import SHUFFLED, fixed
from tests.cli.running import SAMPLES, run
from tests.tools import iree_opt

READ = "import sys; text = sys.stdin.read(); "
ORDERED = fixed(SHUFFLED)
REFUSED = "the compiler says no"


def command(program: str, *args: str) -> str:
    return shlex.join([sys.executable, "-c", program, *args])


REFUSING = command(READ + f"sys.exit('{REFUSED}' if text.index('abs') < text.index('neg') else 0)")
ACCEPTING = command(READ)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with one file that changes and one that does not."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.mlir").write_text(SHUFFLED)
    (tmp_path / "b.mlir").write_text(ORDERED)
    return tmp_path


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.rglob("*.mlir")}


@pytest.mark.parametrize(
    "args",
    [
        ["a.mlir"],
        ["a.mlir", "-o", "out.mlir"],
        ["a.mlir", "--in-place", "--relabel"],
        ["a.mlir", "--in-place", "--config", "timeout=60"],
        ["a.mlir", "--check"],
        ["a.mlir", "--diff"],
        ["a.mlir", "b.mlir", "--check", "--diff"],
        [".", "-o", "out"],
        [".", "--in-place", "--config", "jobs=2"],
    ],
    ids=" ".join,
)
def test_a_refused_result_is_written_nowhere(args: list[str], folder: Path) -> None:
    before = contents(folder)
    result = run("fix", *args, "--quiet", "--verify-with", REFUSING)
    assert (result.returncode, result.stdout) == (3, b"")
    head, *details = result.stderr.decode().splitlines()
    assert head.startswith("a.mlir: error: nothing was written: `")
    assert head.endswith("refuses the result with exit code 1:")
    assert details == [REFUSED]
    assert {name: text for name, text in contents(folder).items() if name != "b.mlir"} == {
        "a.mlir": before["a.mlir"]
    }


def test_a_filter_of_an_accepted_text() -> None:
    result = run("fix", "-", "--verify-with", ACCEPTING, stdin=SHUFFLED.encode())
    assert (result.returncode, result.stdout.decode()) == (0, ORDERED)


def test_the_other_files_are_written(folder: Path) -> None:
    (folder / "c.mlir").write_text(SHUFFLED.replace("@f", "@accepted"))
    program = READ + "sys.exit('@accepted' not in text)"
    result = run("fix", ".", "--in-place", "--config", "jobs=2", "--verify-with", command(program))
    assert result.returncode == 3
    assert "it refuses the input as well:\n(it printed no error)\n" in result.stderr.decode()
    assert result.stderr.endswith(b"3 files: 1 changed, 1 unchanged, 1 failed\n")
    assert contents(folder) == {
        "a.mlir": SHUFFLED,
        "b.mlir": ORDERED,
        "c.mlir": ORDERED.replace("@f", "@accepted"),
    }


def test_a_file_that_does_not_change_needs_no_compiler(folder: Path) -> None:
    assert run("fix", "b.mlir", "-i", "--verify-with", command("exit(1)")).returncode == 0
    assert contents(folder)["b.mlir"] == ORDERED


def test_real_dumps_are_accepted(tmp_path: Path) -> None:
    compiler = shlex.join([iree_opt(), "--allow-unregistered-dialect", "-"])
    log = SAMPLES / "small" / "all_passes_alias.log"
    arguments = ("fix", "--relabel", log, "-o", tmp_path / "out.log", "--verify-with", compiler)
    assert run(*arguments).returncode == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "--verify-with: cannot find the program ''"),
        ("mlir-opt '-", '"mlir-opt \'-" has no closing quotation'),
        ("./no-such-compiler -", "--verify-with: cannot find the program './no-such-compiler'"),
        ("a.mlir -", "--verify-with: cannot find the program 'a.mlir'"),
    ],
)
def test_commands_that_cannot_run(text: str, message: str, folder: Path) -> None:
    result = run("fix", "a.mlir", "-i", "--verify-with", text)
    assert (result.returncode, result.stdout) == (2, b"")
    assert message in result.stderr.decode()
    assert contents(folder)["a.mlir"] == SHUFFLED


def test_a_program_of_no_kind_that_the_system_runs(folder: Path) -> None:
    (folder / "compiler").write_bytes(b"\x00\x01")
    (folder / "compiler").chmod(0o755)
    result = run("fix", "a.mlir", "-i", "--verify-with", "./compiler -")
    assert result.returncode == 2
    assert result.stderr == b"a.mlir: error: cannot run `./compiler -`: Exec format error\n"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_compiler_that_takes_too_long(jobs: str, folder: Path) -> None:
    limits = ("--config", "timeout=0.5", "--config", f"jobs={jobs}")
    result = run("fix", "a.mlir", "-i", *limits, "--verify-with", command("import time; time.sleep(60)"))
    assert result.returncode == 3
    assert b"did not read the result within 0.5 seconds:\n" in result.stderr
    assert contents(folder)["a.mlir"] == SHUFFLED


def test_a_command_without_standard_input_is_no_proof(folder: Path) -> None:
    result = run("fix", "a.mlir", "-i", "--verify-with", command("pass"))
    assert result.returncode == 2
    assert b"ends with exit code 0, but does not read all of its standard input\n" in result.stderr
    assert contents(folder)["a.mlir"] == SHUFFLED


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_ends_the_compilers(jobs: str, folder: Path) -> None:
    (folder / "c.mlir").write_text(SHUFFLED)
    program = "import os, sys, time; open(f'{os.getpid()}.pid', 'w').close(); time.sleep(60)"
    arguments = ["fix", ".", "-i", "--config", f"jobs={jobs}", "--verify-with", command(program)]
    start = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # a background job ignores it
    program = f"{start}; from eio_audit.cli.main import main; main()"
    with subprocess.Popen([sys.executable, "-P", "-c", program, *arguments], stderr=subprocess.PIPE) as fix:
        latest = time.monotonic() + 30
        while len(started := list(folder.glob("*.pid"))) < int(jobs) and time.monotonic() < latest:
            time.sleep(0.01)
        fix.send_signal(signal.SIGINT)
    assert fix.returncode == 130
    for path in started:
        with pytest.raises(ProcessLookupError):
            for _ in range(100):  # until it is reaped
                os.kill(int(path.stem), 0)
                time.sleep(0.05)


def test_the_configuration_cannot_name_a_command(folder: Path) -> None:
    (folder / "eio-audit.toml").write_text("verify-with = 'true'\n")
    result = run("fix", "a.mlir")
    assert result.returncode == 2
    assert b"unknown key 'verify-with'" in result.stderr
