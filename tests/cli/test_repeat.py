"""``eio-audit repeat``, and ``diff`` of two logs."""

import sys
from pathlib import Path

from tests.cli.running import SAMPLES, run

LOG = SAMPLES / "small" / "all_passes_alias.log"
PRINT = [sys.executable, "-c", f"print(open({str(LOG)!r}).read())"]
COUNT = """\
from pathlib import Path
path = Path({!r})
count = len(path.read_text()) if path.exists() else 0
path.write_text("x" * (count + 1))
print("func.func @f() {{\\n  %a = arith.constant", count // 2, ": i32\\n  return\\n}}")
"""


def test_a_compiler_that_always_prints_the_same_is_deterministic() -> None:
    result = run("repeat", "--runs", "2", "--", *PRINT)
    assert (result.returncode, result.stdout) == (0, b"identical: 16 dumps\n")


def test_the_first_run_that_prints_something_else_is_shown(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    program = COUNT.format(str(tmp_path / "count"))
    result = run("repeat", "--runs", "9", "--keep", kept, "--", sys.executable, "-c", program)
    assert (result.returncode, result.stderr) == (1, b"")
    assert result.stdout.decode().splitlines()[:2] == [
        "1 of 1 dump in both runs differ",
        f"first difference: {kept}/run-1.log:1: different: 1 modified",
    ]
    assert sorted(path.name for path in kept.iterdir()) == ["run-1.log", "run-2.log", "run-3.log"]


def test_a_run_that_takes_too_long_is_stopped() -> None:
    result = run("repeat", "--timeout", "0.2", "--", "sleep", "60")
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr == b"sleep 60: error: stopped after 0.2 seconds (--timeout)\n"


def test_a_command_that_cannot_be_started_is_an_error() -> None:
    result = run("repeat", "--", "./no-such-compiler")
    expected = b"./no-such-compiler: error: cannot run: No such file or directory\n"
    assert (result.returncode, result.stderr) == (2, expected)


def test_a_command_that_prints_no_dump_is_an_error() -> None:
    result = run("repeat", "--", "echo", "hello")
    expected = b"echo hello: error: the command printed no dump\n"
    assert (result.returncode, result.stderr) == (2, expected)


def test_runs_without_a_pass_in_common_are_an_error(tmp_path: Path) -> None:
    script = tmp_path / "c.sh"
    script.write_text(
        f"echo x >> {tmp_path}/n\nn=$(wc -l < {tmp_path}/n)\n"
        'printf "// -----// IR Dump After P$n (p$n) //----- //\\nfunc.func @f() {\\n  return\\n}\\n"\n'
    )
    result = run("repeat", "--keep", tmp_path / "runs", "--", "sh", script)
    assert (result.returncode, result.stdout) == (2, b"")
    assert b": error: no pass or stage is in both runs: after p1 (" in result.stderr


def test_two_logs_are_compared_pass_by_pass() -> None:
    result = run("diff", LOG, SAMPLES / "small" / "all_passes_inline.log")
    assert result.returncode == 0
    assert result.stdout.decode().splitlines()[:2] == [
        "14 of 16 dumps in both runs differ",
        f"first difference: {LOG}:1 before canonicalize: same text up to names and locations",
    ]


def test_two_logs_that_differ_in_names_only_are_the_same_but_for_bytes() -> None:
    logs = LOG, SAMPLES / "small" / "all_passes_inline.log"
    assert run("diff", *logs, "--same-as", "names", "-q").returncode == 0
    assert run("diff", *logs, "--same-as", "bytes", "-q").returncode == 1
