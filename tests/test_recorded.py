"""The recorded compiler of sample_irs/recorded: it answers what the real pass answered."""

import hashlib
import json
import lzma
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).parent.parent / "sample_irs"
COMPILER = SAMPLES / "recorded" / "erase_inverse_ops.py"
PASS = "--ttir-erase-inverse-ops"
SMALL = SAMPLES / "small" / "before_alias.mlir"
PROGRAMS = {"small": (218, 12), "encoder": (2018, 152), "resnet": (4618, 279)}
"""The attempts and changes of each program."""


def run(*args: str | Path, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, COMPILER, *args]
    return subprocess.run(
        command, input=stdin, capture_output=True, env={**os.environ, **environment}, check=False, timeout=60
    )


def first(patterns: int) -> str:
    return f"--mlir-debug-counter=apply-pattern-skip=0,apply-pattern-count={patterns}"


def recording(program: str) -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads(
        lzma.decompress((COMPILER.parent / f"{program}.json.xz").read_bytes())
    )
    return recorded


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_prints_the_recorded_states(program: str) -> None:
    recorded, source = recording(program), SAMPLES / program / "before_alias.mlir"
    changes, states = recorded["changes"], recorded["states"]
    last = len(changes)
    for patterns, state in (
        (0, 0),
        (changes[0] - 1, 0),
        (changes[0], 1),
        (changes[5], 6),
        (changes[6] - 1, 6),
        (changes[-1] - 1, last - 1),
        (changes[-1], last),
        (recorded["attempts"], last),
        (10**9, last),
    ):
        result = run(PASS, first(patterns), source)
        assert (result.returncode, result.stdout.decode(), result.stderr) == (0, states[state], b"")


@pytest.mark.parametrize("program", PROGRAMS)
def test_without_a_counter_it_prints_the_sample_after_the_pass(program: str) -> None:
    result = run(PASS, SAMPLES / program / "before_alias.mlir")
    assert result.stdout.strip() == (SAMPLES / program / "after_alias.mlir").read_bytes().strip()


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_recording_is_of_the_sample(program: str) -> None:
    recorded, source = recording(program), SAMPLES / program / "before_alias.mlir"
    assert (recorded["attempts"], len(recorded["changes"])) == PROGRAMS[program]
    assert recorded["input_sha256"] == hashlib.sha256(source.read_bytes()).hexdigest()


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_log_has_every_attempt(program: str, tmp_path: Path) -> None:
    log = tmp_path / "actions.log"
    result = run(PASS, f"--log-actions-to={log}", SAMPLES / program / "before_alias.mlir")
    assert (result.returncode, result.stderr) == (0, b"")
    begun = re.findall(r"^\[thread [^]]*\] begins .*Action `apply-pattern", log.read_text(), re.MULTILINE)
    assert len(begun) == PROGRAMS[program][0]


def test_the_log_on_standard_output_comes_first() -> None:
    result = run(PASS, "--log-actions-to=-", SMALL)
    assert result.stdout.decode() == recording("small")["actions"] + recording("small")["states"][-1]


def test_a_log_switches_the_counters_off(tmp_path: Path) -> None:
    result = run(PASS, first(0), f"--log-actions-to={tmp_path / 'log'}", SMALL)
    assert result.stdout == run(PASS, SMALL).stdout
    assert result.stderr.decode() == (
        "error: Debug counters are incompatible with --log-actions-to and --mlir-enable-debugger-hook options"
        " and are disabled\n"
    )
    assert result.returncode == 0


def test_it_prints_the_counters() -> None:
    for given, counters in (([], "{218,0,218}"), ([first(22)], "{218,0,22}"), ([first(999)], "{218,0,218}")):
        errors = run(PASS, *given, "--mlir-print-debug-counter", SMALL).stderr.decode()
        assert errors == f"DebugCounter counters:\napply-pattern                   : {counters}\n"


def test_no_pass_runs() -> None:
    count = "--mlir-debug-counter=pass-execution-skip=0,pass-execution-count=0"
    result = run(PASS, count, "--mlir-print-ir-after-all", SMALL)
    assert (result.stdout, result.stderr) == (SMALL.read_bytes(), b"")


def test_it_prints_the_program_before_and_after_the_pass() -> None:
    errors = run(PASS, "--mlir-print-ir-before-all", "--mlir-print-ir-after-all", SMALL).stderr.decode()
    marker = "// -----// IR Dump {} TTIREraseInverseOps (ttir-erase-inverse-ops) //----- //\n"
    before, after = SMALL.read_text(), recording("small")["states"][-1]
    assert errors == f"{marker.format('Before')}{before}\n\n{marker.format('After')}{after}\n\n"


def test_it_prints_the_pipeline() -> None:
    errors = run(PASS, "--dump-pass-pipeline", SMALL).stderr.decode()
    assert errors == "Pass Manager with 1 passes:\nbuiltin.module(ttir-erase-inverse-ops{})\n\n"


def test_some_flags_change_nothing() -> None:
    flags = ["--mlir-print-debuginfo", "--mlir-disable-threading", "--mlir-print-ir-module-scope"]
    result = run(PASS, *flags, first(7), SMALL)
    assert (result.stdout.decode(), result.stderr) == (recording("small")["states"][1], b"")


def test_it_reads_and_writes_files_and_streams(tmp_path: Path) -> None:
    output = tmp_path / "after.mlir"
    assert run(PASS, SMALL, "-o", output).stdout == b""
    assert output.read_bytes() == run(PASS, "-", stdin=SMALL.read_bytes()).stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--x", "--y=1", SMALL],
            f"erase_inverse_ops.py: Unknown command line argument '--x'.  Try: '{COMPILER} --help'\n"
            f"erase_inverse_ops.py: Unknown command line argument '--y=1'.  Try: '{COMPILER} --help'\n",
        ),
        ([PASS, SMALL, "-o"], "erase_inverse_ops.py: for the -o option: requires a value!\n"),
        ([PASS, SMALL, SMALL], "erase_inverse_ops.py: Too many positional arguments specified!\n"),
        (
            [PASS, COMPILER],
            "error: only before_alias.mlir of small, encoder, resnet is recorded\n",
        ),
        (
            ["--mlir-debug-counter=apply-pattern-skip=1", SMALL],
            "error: the counter apply-pattern-skip=1 is not recorded\n",
        ),
        (
            ["--mlir-debug-counter=apply-pattern-count=many", SMALL],
            "error: expected DebugCounter counter value to be numeric, but got `many`\n",
        ),
        (["missing.mlir"], "error: [Errno 2] No such file or directory: 'missing.mlir'\n"),
    ],
)
def test_it_refuses_what_is_not_recorded(args: list[str | Path], message: str) -> None:
    result = run(*args)
    assert (result.returncode, result.stdout, result.stderr.decode()) == (1, b"", message)


def test_runs_at_the_same_time_may_unpack(tmp_path: Path) -> None:
    command: list[str | Path] = [sys.executable, COMPILER, PASS, SAMPLES / "encoder" / "before_alias.mlir"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) for _ in range(4)]
    last = recording("encoder")["states"][-1].encode()
    assert [one.communicate(timeout=60)[0] == last for one in runs] == [True] * 4
    [folder] = tmp_path.iterdir()
    assert len([*folder.iterdir()]) == 153 + 3


def test_a_text_that_is_gone_is_unpacked_again(tmp_path: Path) -> None:
    expected = run(PASS, first(0), SMALL, TMPDIR=str(tmp_path)).stdout
    [folder] = tmp_path.iterdir()
    (folder / "0").unlink()
    assert run(PASS, first(0), SMALL, TMPDIR=str(tmp_path)).stdout == expected
    assert (folder / "0").read_bytes() == expected


def test_a_folder_that_the_user_did_not_make_is_not_read(tmp_path: Path) -> None:
    expected = run(PASS, first(0), SMALL, TMPDIR=str(tmp_path)).stdout
    [folder] = tmp_path.iterdir()
    folder.rename(tmp_path / "other")
    folder.symlink_to(tmp_path / "other")
    (tmp_path / "other" / "0").write_text("other")
    assert run(PASS, first(0), SMALL, TMPDIR=str(tmp_path)).stdout == expected
    assert (tmp_path / "other" / "0").read_text() == "other"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_folder_of_another_user_is_not_read(tmp_path: Path) -> None:
    expected = run(PASS, first(0), SMALL, TMPDIR=str(tmp_path)).stdout
    [folder] = tmp_path.iterdir()
    (folder / "0").write_text("other")
    os.chown(folder, 65534, 65534)
    assert run(PASS, first(0), SMALL, TMPDIR=str(tmp_path)).stdout == expected


def test_without_a_temporary_folder_it_answers_too() -> None:
    result = run(PASS, first(0), SMALL, TMPDIR="/dev/null")
    assert (result.stdout.decode(), result.stderr) == (recording("small")["states"][0], b"")


def test_it_lists_its_flags() -> None:
    result = run("--help")
    assert result.returncode == 0
    assert b"--mlir-print-debug-counter" in result.stdout
