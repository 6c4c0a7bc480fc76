"""``eio-audit bisect`` with the recorded compiler of sample_irs/recorded, and with one that misbehaves."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import eio_audit
from tests.cli.running import SAMPLES, run, run_on_terminal, run_process
from tests.golden import golden
from tests.tools import iree_opt, mlir_tool, needs_mlir_opt

COMPILER = SAMPLES / "recorded" / "erase_inverse_ops.py"
MISBEHAVING = [sys.executable, str(Path(__file__).parent / "misbehaving_compiler.py")]
GOLDENS = Path(__file__).parent.parent / "report" / "goldens"
PASS = "ttir-erase-inverse-ops"
ELEMENTWISE = "TTIRCommuteTmsThroughElementwiseRewriter"


def recorded(sample: str) -> list[str]:
    """The command of the recorded compiler."""
    return [sys.executable, str(COMPILER), f"--{PASS}", str(SAMPLES / sample / "before_alias.mlir")]


SMALL = recorded("small")


@cache
def reports(sample: str) -> dict[str, str]:
    """What a bisection of a sample reports, by format."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / name for name in ("text", "json", "markdown", "log")}
        result = run(
            "bisect", "-q", *(f"-o{name}:{path}" for name, path in paths.items()), "--", *recorded(sample)
        )
        assert (result.returncode, result.stdout, result.stderr) == (1, b"", b"")
        return {name: path.read_text() for name, path in paths.items()}


def document(sample: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(reports(sample)["json"])
    return read


def without_paths(text: str) -> str:
    """The text as it is on a machine where the samples are in the current folder."""
    return text.replace(sys.executable, "python3").replace(str(SAMPLES), "sample_irs")


def lines_of(*args: str | Path, stdin: bytes = b"") -> list[str]:
    """The lines that the command prints, and that it succeeds."""
    result = run(*args, stdin=stdin)
    assert (result.returncode, result.stderr) == (0, b"")
    return without_paths(result.stdout.decode()).splitlines()


def error_of(*args: str | Path) -> str:
    """The message with which the command fails."""
    result = run("bisect", *args)
    assert (result.returncode, result.stdout) == (2, b"")
    return without_paths(result.stderr.decode())


FIGURES = {
    "small": {
        f"{ELEMENTWISE}<PermuteOp, ElementwiseBinary, UPWARDS>": (6, 3),
        f"{ELEMENTWISE}<ReshapeOp, ElementwiseBinary, UPWARDS>": (6, 3),
        f"{ELEMENTWISE}<PermuteOp, ElementwiseUnary, UPWARDS>": (3, 1),
    },
    "encoder": {
        f"{ELEMENTWISE}<PermuteOp, ElementwiseBinary, UPWARDS>": (200, 18),
        f"{ELEMENTWISE}<ReshapeOp, ElementwiseBinary, UPWARDS>": (270, 22),
        f"{ELEMENTWISE}<PermuteOp, ElementwiseBinary, DOWNWARDS>": (358, 20),
        f"{ELEMENTWISE}<ReshapeOp, ElementwiseBinary, DOWNWARDS>": (0, 28),
        "TTIRCommuteReshapeThroughBroadcast<UPWARDS>": (22, 38),
    },
    "resnet": {
        f"{ELEMENTWISE}<PermuteOp, ElementwiseBinary, UPWARDS>": (181, 48),
        f"{ELEMENTWISE}<ReshapeOp, ElementwiseBinary, UPWARDS>": (177, 48),
        f"{ELEMENTWISE}<PermuteOp, ElementwiseUnary, UPWARDS>": (660, 19),
        f"{ELEMENTWISE}<PermuteOp, ElementwiseBinary, DOWNWARDS>": (6, 14),
        f"{ELEMENTWISE}<ReshapeOp, ElementwiseBinary, DOWNWARDS>": (6, 14),
        "TTIRCommuteReshapeThroughBroadcast<UPWARDS>": (0, 52),
    },
}
"""By pattern: the pairs of ops that it put out of order, and its applications."""

TOTALS = {"small": (218, 12, 18), "encoder": (2018, 152, 14), "resnet": (4618, 279, 789)}
"""The attempts, those that changed the IR, and the inversions at the end."""

WORST = {"small": (7, 0, 1), "encoder": (103, 10, 126), "resnet": (227, 36, 67)}
"""The worst application: its attempt, and the inversions before and after it."""


@pytest.mark.parametrize(
    "sample", ["small", *(pytest.param(name, marks=pytest.mark.slow) for name in ("encoder", "resnet"))]
)
def test_the_figures_of_a_recorded_pass(sample: str) -> None:
    found = document(sample)
    steps = found["applications"]
    made = {one["pattern"]: (one["made"], one["applications"]) for one in found["patterns"]}
    assert (found["attempts"], len(steps), found["inversions"]["after"]) == TOTALS[sample]
    assert {name: made[name] for name in FIGURES[sample]} == FIGURES[sample]
    worst = max(steps, key=lambda one: one["made"])
    assert (worst["attempt"], worst["inversions_before"], worst["inversions"]) == WORST[sample]
    total, at_end, before = TOTALS[sample][2], found["inversions"]["after"], found["inversions"]["before"]
    assert at_end - before == total
    assert sum(one["left"] for one in [found["without_patterns"], *steps]) + found["left_before"] == at_end


@pytest.mark.parametrize(("format_", "name"), [("text", "bisect_small.txt"), ("markdown", "bisect_small.md")])
def test_the_report_on_a_recorded_pass(format_: str, name: str) -> None:
    text = without_paths(reports("small")[format_])
    assert text == golden(text, GOLDENS / name)


def test_the_steps_are_the_states_of_the_log_as_trace_reads_it(tmp_path: Path) -> None:
    log = tmp_path / "states.log"
    log.write_text(reports("small")["log"])
    traced = json.loads(run("trace", "--format", "json", log).stdout)["passes"]
    found = document("small")
    steps = [found["without_patterns"], *found["applications"]]
    figures = ("line", "inversions", "avoidable", "made", "undone", "left")
    assert [[row[name] for name in figures] for row in traced] == [
        [one[name] for name in figures] for one in steps
    ]
    changes = ("added", "removed", "modified", "moved")
    assert [[(row["op_changes"] or {}).get(name, 0) for name in changes] for row in traced] == [
        [one["op_changes"][name] for name in changes] for one in steps
    ]


def test_the_answer_names_two_patterns_and_the_table_says_why_that_removes_what_four_left() -> None:
    said = (
        "left counts for the pattern that put the two ops out of order; the change above also removes what others "
        "left, since one pattern goes on with the ops of another"
    )
    assert f"\n  {said}\n" in reports("small")["text"]
    assert f"\n{said}\n" in reports("small")["markdown"]


def test_the_states_in_the_log_are_the_recorded_ones(tmp_path: Path) -> None:
    recording = eio_audit.read_text(reports("small")["log"])
    last = run_process_of(SMALL).strip()
    assert [len(recording), recording[-1].text.strip()] == [14, last]


def run_process_of(command: list[str]) -> bytes:
    return subprocess.run(command, capture_output=True, check=True).stdout


def test_diff_shows_one_application_of_the_log(tmp_path: Path) -> None:
    log = tmp_path / "states.log"
    log.write_text(reports("small")["log"])
    name = f"{ELEMENTWISE}<PermuteOp, ElementwiseBinary, UPWARDS> attempt 22 on #15 ttir.add %5"
    result = run("diff", log, "--pass", name)
    assert (result.returncode, result.stdout.decode().splitlines()[3:5]) == (
        1,
        [
            "ops: 17 unchanged, 0 moved, 2 modified, 2 added, 1 removed",
            "order: 8 -> 12 inversions, 0 -> 0 avoidable, 4 -> 5 wrong indices",
        ],
    )


def test_history_names_the_applications_of_the_log(tmp_path: Path) -> None:
    log = tmp_path / "states.log"
    log.write_text(reports("small")["log"])
    found = "\n".join(lines_of("history", log, "#19"))
    assert f"{ELEMENTWISE}<PermuteOp, ElementwiseUnary, UPWARDS> attempt 7 on #19 ttir.relu %7" in found


@pytest.mark.parametrize(("output", "is_beside"), [("page.html", True), ("report.json", False)])
def test_a_page_in_a_file_comes_with_text(output: str, is_beside: bool, tmp_path: Path) -> None:
    printed = run("bisect", "-o", tmp_path / output, "--", *MISBEHAVING, "nothing").stdout
    assert (b"\nrename: +8 -8 ops\n" in printed, (tmp_path / output).stat().st_size > 0) == (
        is_beside,
        True,
    )
    assert is_beside or not printed


def test_a_log_in_a_file_comes_with_text(tmp_path: Path) -> None:
    log = tmp_path / "states.log"
    assert run("bisect", "-o", log, "--", *MISBEHAVING, "nothing").stdout.decode().splitlines()[2:4] == [
        "rename: +8 -8 ops",
        "8 attempts of patterns, 8 change the IR; the compiler ran 13 times",
    ]
    assert [dump.place.pass_name for dump in eio_audit.read(log)] == [
        "rename",
        "without patterns",
        *(f"Rename attempt {number} on my.old %{number - 1}" for number in range(1, 9)),
    ]


@pytest.mark.slow
def test_python_finds_the_same() -> None:
    found = eio_audit.bisect(SMALL)
    assert (found.attempted, len(found.of_patterns), found.inversions) == (218, 12, (0, 18))
    assert [(one.last, one.inversions_before, one.inversions) for one in found.worst[:2]] == [
        (13, 2, 5),
        (15, 5, 8),
    ]
    assert str(found.worst[0].attempt and found.worst[0].attempt.model) == "/proj/model.py:13"


def test_the_steps_of_one_op() -> None:
    found = lines_of("bisect", "--op", "#15", "--", *SMALL)
    assert found[:2] == [
        "#15 ttir.multiply %4 in @forward: no step moved it",
        "  in 2 inversions at the end: 1 made by attempt 33, 1 made by attempt 31",
    ]
    assert [line.split()[:4] for line in found[3:5]] == [["31", "16", "->", "17"], ["33", "17", "->", "18"]]


@pytest.mark.slow
def test_the_steps_of_one_op_as_json() -> None:
    found = json.loads(run("bisect", "--op", "%7", "--format", "json", "--", *SMALL).stdout)
    assert [found["pass"], found["command"], found["errors"]] == [PASS, "bisect", []]
    assert [step["attempt"] for step in found["ops"][0]["steps"]][:1] == [7]


def test_what_one_attempt_did() -> None:
    found = lines_of("bisect", "--show", "22", "--", *SMALL)
    assert found[:7] == [
        f"attempt 22: {ELEMENTWISE}<PermuteOp, ElementwiseBinary, UPWARDS> on #15 ttir.add %5 (/proj/model.py:12)",
        "",
        "different: 2 modified, 2 added, 1 removed",
        "before  <before attempt 22>:1:1",
        "after   <after attempt 22>:1:1",
        "ops: 17 unchanged, 0 moved, 2 modified, 2 added, 1 removed",
        "order: 8 -> 12 inversions, 0 -> 0 avoidable, 4 -> 5 wrong indices",
    ]
    by_hand = (
        f"  python3 sample_irs/recorded/erase_inverse_ops.py --{PASS} sample_irs/small/before_alias.mlir"
        " --mlir-print-debuginfo --mlir-disable-threading --mlir-debug-counter=apply-pattern-skip=0,apply-pattern-count="
    )
    assert found[-2:] == [f"{by_hand}21  # the IR before attempt 22", f"{by_hand}22  # the IR after it"]


def test_an_attempt_that_did_nothing() -> None:
    assert (
        lines_of("bisect", "--show", "23", "--", *SMALL)[2]
        == "identical; 12 -> 12 inversions, 0 -> 0 avoidable, 5 -> 5 wrong indices"
    )


@pytest.mark.parametrize(
    ("test", "code", "first"),
    [
        ("order", 1, f"order fails first after attempt 7 of {PASS}"),
        ("changed", 1, f"changed fails first after attempt 7 of {PASS}"),
        ("avoidable", 0, "avoidable holds after all passes"),
        (
            "grep -q ttir.permute",
            0,
            "grep -q ttir.permute holds after all passes; a text may be in a debug location, too",
        ),
        ("grep -q tm0_tm0", 2, ""),
        (
            "sh -c '! grep -q tm0_tm0_tm1'",
            1,
            f"sh -c '! grep -q tm0_tm0_tm1' fails first after attempt 22 of {PASS}",
        ),
        (
            "sh -c 'n=$(grep -c ttir.permute); case $n in 4) exit 0;; 5) exit 125;; *) exit 1;; esac'",
            2,
            "",
        ),
    ],
)
def test_the_first_application_after_which_a_test_fails(test: str, code: int, first: str) -> None:
    result = run("bisect", "--test", test, "--", *SMALL)
    assert (result.returncode, result.stdout.decode().partition("\n")[0]) == (code, first)


@pytest.mark.parametrize("how", ["nothing", "knows no counter"])
def test_the_first_pass_after_which_a_test_fails(how: str) -> None:
    test = "sh -c '! grep -q my.new'"
    command = [*MISBEHAVING, how]
    result = run("bisect", "--stop-after-pass", "--test", test, "--", *command)
    shown = result.stdout.decode().splitlines()
    assert (result.returncode, shown[:2]) == (
        1,
        [f"{test} fails first after rename", "the compiler ran 2 times"],
    )
    again, _, effect = shown[-1].partition("  # ")
    assert shlex.split(again) == [
        *["eio-audit", "bisect", "--pass", "rename", "--test", test, "--"],
        *command,
    ]
    assert effect == "which application in it, if it applies patterns"


@needs_mlir_opt
def test_the_ir_around_the_pass_is_printed_as_the_report_says(tmp_path: Path) -> None:
    program = tmp_path / "in.mlir"
    program.write_text('%0 = "arith.constant"() {value = 1 : i32} : () -> i32\n')
    command = [mlir_tool("mlir-opt"), program, "--cse", "--canonicalize"]
    shown = run("bisect", "--stop-after-pass", "--test", "changed", "--", *command).stdout.decode()
    by_hand = shlex.split(shown.splitlines()[3].partition("  # ")[0])
    printed = subprocess.run(by_hand, capture_output=True, check=True).stderr
    assert [dump.marker and dump.marker.when for dump in eio_audit.read_text(printed)] == ["before", "after"]


@needs_mlir_opt
@pytest.mark.parametrize(
    ("how", "said"),
    [
        (["--stop-after-pass"], "fails first after inline"),
        ([], "fails first after inline, even if it applies no pattern"),
    ],
)
def test_a_pass_that_runs_others_inside_may_change_the_program_before_them(
    how: list[str], said: str, tmp_path: Path
) -> None:
    program = tmp_path / "in.mlir"
    program.write_text(
        "func.func @f(%v: f32) -> f32 {\n  %r = arith.mulf %v, %v : f32\n  return %r : f32\n}\n"
        "func.func @main(%x: f32) -> f32 {\n  %y = func.call @f(%x) : (f32) -> f32\n  return %y : f32\n}\n"
    )
    test = "grep -q call.@f"  # the inliner canonicalizes each function that it has changed
    found = run("bisect", *how, "--test", test, "--", mlir_tool("mlir-opt"), program, "--inline")
    assert found.stdout.decode().splitlines()[0] == f"{test} {said}"


def test_states_that_a_test_cannot_judge_are_named() -> None:
    test = "sh -c 'case $(grep -c my.new) in 0|1) exit 0;; [234]) exit 125;; *) exit 1;; esac'"
    result = run("bisect", "--test", test, "--", *MISBEHAVING, "nothing")
    assert (result.returncode, result.stdout.decode().splitlines()) == (
        1,
        [
            f"{test} fails first after one of attempts 2 to 5 of rename: the test cannot judge those between",
            "the compiler ran 15 times",
        ],
    )


def test_the_first_failure_as_json() -> None:
    found = json.loads(run("bisect", "--test", "order", "--format", "json", "--", *SMALL).stdout)
    kept = ("test", "pass", "first", "last", "op", "index", "model_file", "model_line", "one_step")
    assert [found[name] for name in kept] == ["order", PASS, 7, 7, "ttir.relu", 19, "/proj/model.py", 14, ""]


@pytest.mark.parametrize(
    ("test", "message"),
    [
        (
            "sh -c 'exit 125'",
            f"sh -c 'exit 125': error: the test cannot judge the IR before {PASS} (exit code 125)\n",
        ),
        ("false", f"false: error: the test already fails before {PASS}\n"),
        (
            "sh -c 'exit 128'",
            "sh -c 'exit 128': error: the test ended with exit code 128; a test ends with 0 (holds), 1 to 124 (fails)"
            " or 125 (cannot be judged)\n",
        ),
        (
            "sh -c 'kill -9 $$'",
            "sh -c 'kill -9 $$': error: the test was killed by signal 9; a test ends with 0 (holds), 1 to 124 (fails)"
            " or 125 (cannot be judged)\n",
        ),
    ],
)
def test_a_test_that_tells_nothing_is_an_error(test: str, message: str) -> None:
    assert error_of("--test", test, "--", *SMALL) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--test", "no-such-test"], "Error: --test: cannot find the program 'no-such-test'"),
        (["--test", "'a"], 'Error: --test: "\'a" has no closing quotation'),
        (["--stop-after-pass"], "Error: --stop-after-pass needs --test"),
        (["--op", "#1", "--show", "1"], "Error: --op, --show and --test cannot be used together"),
        (["--show", "1", "--format", "html"], "Error: --show is reported as text or json, not as html"),
        (["--op", "%1", "--format", "log"], "Error: --op is reported as text or json, not as log"),
    ],
)
def test_options_that_cannot_be(options: list[str], message: str) -> None:
    assert error_of(*options, "--", *SMALL).splitlines()[-1] == message


def test_the_most_runs_are_not_exceeded_and_what_is_left_is_named() -> None:
    found = lines_of("bisect", "--fail-on", "never", "--jobs", "1", "--config", "max-runs=8", "--", *SMALL)
    assert found[4] == "218 attempts of patterns, 0 change the IR; the compiler ran 8 times"
    start = found.index("3 intervals of attempts are not resolved: max-runs is reached")
    assert found[start + 1 : start + 4] == [
        "  attempts 1 to 27: 16 inversions made, not resolved",
        "  attempts 28 to 54: 2 inversions made, not resolved",
        "  attempts 55 to 109: 0 inversions made, not resolved",
    ]
    assert found[1] == "  what to change is not known, as not all attempts are resolved"
    command = f"python3 sample_irs/recorded/erase_inverse_ops.py --{PASS} sample_irs/small/before_alias.mlir"
    more = f"  eio-audit bisect --pass {PASS} --config max-runs=32 -- {command}  # resolves more"
    assert more in found


def test_keep_has_the_states_and_the_actions(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert run("bisect", "-q", "--keep", kept, "--", *SMALL).returncode == 1
    assert (kept / "states.log").read_text() == reports("small")["log"]
    assert (kept / "actions.log").read_text().count("Action `apply-pattern") == 218
    assert sorted(path.name for path in kept.iterdir()) == ["actions.log", "states.log"]


@pytest.mark.slow
def test_a_pass_cut_out_of_a_pipeline_is_reproduced_from_what_is_kept(tmp_path: Path) -> None:
    program = SAMPLES.parent / "tests" / "data" / "bisected.mlir"
    command = [iree_opt(), "--canonicalize", "--cse", str(program)]
    found = json.loads(run("bisect", "--format", "json", "--", *command).stdout)
    worst = str(found["patterns"][0]["worst"])
    report = run("bisect", "--keep", tmp_path, "--show", worst, "--", *command).stdout.decode()
    commands = report.splitlines()[-2:]
    assert [str(tmp_path / "input.mlir") in shlex.split(one) for one in commands] == [True, True]
    assert [subprocess.run(one, shell=True, capture_output=True, check=True).stderr for one in commands] == [
        b"",
        b"",
    ]
    report = run("bisect", "--format", "markdown", "--", *command).stdout.decode()
    assert "input.mlir" not in report


def test_nothing_is_left_in_the_temporary_folder(tmp_path: Path) -> None:
    result = run_process("bisect", "-q", "--", *MISBEHAVING, "nothing", TMPDIR=str(tmp_path))
    assert (result.returncode, [*tmp_path.iterdir()]) == (0, [])


def test_the_program_may_be_on_standard_input() -> None:
    source = Path(SMALL[-1]).read_bytes()
    found = lines_of(
        "bisect", "--fail-on", "never", "--config", "max-runs=1", "--", *SMALL[:-1], "-", stdin=source
    )
    assert f"{PASS}: 0 -> 18 inversions, 0 avoidable" in found


def test_the_own_output_of_the_command_is_dropped(tmp_path: Path) -> None:
    output = tmp_path / "after.mlir"
    assert run("bisect", "-q", "--config", "max-runs=1", "--", *SMALL, "-o", output).returncode == 1
    assert not output.exists()


@pytest.mark.parametrize(("rule", "code"), [("any", 1), ("shuffled", 1), ("out-of-place", 0), ("never", 0)])
def test_the_gate_is_on_what_is_left_at_the_end(rule: str, code: int) -> None:
    assert run("bisect", "-q", "--config", "max-runs=1", "--fail-on", rule, "--", *SMALL).returncode == code


def test_a_gate_needs_indices() -> None:
    result = run("bisect", "-q", "--fail-on", "any", "--", *MISBEHAVING, "nothing")
    assert result.returncode == 2
    assert (
        b"error: no op carries an op index, so there is no original order to compare with\n" in result.stderr
    )


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            ["sh", "-c", 'echo "sh: Unknown command line argument $0" >&2; exit 1'],
            "sh: error: it does not know --mlir-print-debuginfo; bisect needs a tool with MLIR's options, such as mlir-opt",
        ),
        (
            [*SMALL, "--frob"],
            "python3: error: it does not know --frob",
        ),
        (
            ["sh", "-c", "printf \"sh: Unknown option '--cze'\\nsh: Did you mean '--cse'?\" >&2; exit 1"],
            "sh: error: it does not know --cze; did you mean '--cse'?",
        ),
        (["sh", "-c", "kill -11 $$"], "sh: error: killed by signal 11"),
        (
            ["sh", "-c", 'echo "in.mlir:1:1: error: bad" >&2; exit 1'],
            "sh: error: ended with exit code 1: in.mlir:1:1: error: bad",
        ),
        (["echo", "hello"], "echo: error: it prints no dump after a pass: it runs no pass, or prints no IR"),
        (["./no-such-compiler"], "./no-such-compiler: error: cannot run: No such file or directory"),
        (
            [*SMALL[:-1], "missing.mlir"],
            "python3: error: ended with exit code 1: error: [Errno 2] No such file or directory: 'missing.mlir'",
        ),
        ([*MISBEHAVING, "knows no counter"], "python3: error: it does not know --mlir-debug-counter, so it cannot hold patterns back"),
        (
            [*MISBEHAVING, "tells no count"],
            "python3: error: it does not print how many patterns it attempts (--mlir-print-debug-counter)",
        ),
        (
            [*MISBEHAVING, "counts otherwise"],
            "python3: error: the IR after rename cannot be trusted: with all attempts of patterns allowed, it is not"
            " what the command prints",
        ),
        (
            [*MISBEHAVING, "differs"],
            "python3: error: the IR after rename cannot be trusted: with all attempts of patterns allowed, it is not"
            " what the command prints",
        ),
        (
            [*MISBEHAVING, "differs halfway"],
            "python3: error: the IR after rename cannot be trusted: two runs with 4 attempts of patterns differ;"
            " eio-audit repeat tells from which pass on",
        ),
    ],
)  # fmt: skip
def test_a_compiler_that_cannot_be_bisected_is_an_error(command: list[str], message: str) -> None:
    if message.startswith("sh: error: it does not know"):  # the flags follow the command's own words
        command = [*command[:-1], command[-1], "--mlir-print-debuginfo"]
    assert error_of("--", *command).splitlines()[0] == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pass", "cse"], f"python3: error: no pass 'cse'; the passes are {PASS}\n"),
        (["--pass", PASS, "--dump", "2"], f"python3: error: {PASS} ran once; there is no --dump 2\n"),
        (["--show", "219"], f"python3: error: there is no attempt 219: {PASS} makes attempts 1 to 218\n"),
        (
            ["--config", "max-runs=1", "--op", "#999"],
            "python3: error: no op carries index 999; the nearest: #25 (line 24)\n",
        ),
    ],
)
def test_what_is_asked_for_is_not_there(options: list[str], message: str) -> None:
    assert error_of(*options, "--", *SMALL) == message


def test_a_compiler_that_prints_nothing_in_time_is_an_error() -> None:
    message = "sh: error: stopped after 0.1 seconds (--timeout)\n"
    assert error_of("--timeout", "0.1", "--", "sh", "-c", "sleep 60") == message


def test_that_no_pass_changes_anything_is_a_result() -> None:
    assert lines_of("bisect", "--", *MISBEHAVING, "changes nothing") == [
        "rename changes nothing",
        "",
        "rename: no ops changed",
        "no pass changes the IR; the compiler ran 2 times",
    ]


def test_an_attempt_of_a_pass_that_changes_nothing_is_an_error() -> None:
    said = error_of("--show", "1", "--", *MISBEHAVING, "changes nothing")
    assert said == "python3: error: rename: it changes nothing\n"


@needs_mlir_opt
def test_a_pass_that_changes_nothing_passes_whatever_was_out_of_order_before(tmp_path: Path) -> None:
    program = tmp_path / "in.mlir"
    ops = '  "t.a"() : () -> () loc("2|a")\n  "t.b"() : () -> () loc("1|b")\n'
    program.write_text(f"func.func @f() {{\n{ops}  return\n}}\n")
    command = [mlir_tool("mlir-opt"), "--allow-unregistered-dialect", str(program), "--cse"]
    found = lines_of("bisect", "--", *command)
    assert found == [
        "cse changes nothing; 1 inversion as before it",
        "",
        "cse: 1 -> 1 inversion, 0 avoidable",
        "no pass changes the IR; the compiler ran 1 time",
    ]


def test_a_pass_that_needs_all_its_patterns_is_one_step() -> None:
    found = lines_of("bisect", "--", *MISBEHAVING, "needs all")
    assert found[2:4] == [
        "rename: +8 -8 ops",
        "the pass is one step: it fails when patterns are held back: no dump after rename: ended with exit code 1:"
        " error: failed to legalize operation; the compiler ran 4 times",
    ]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("hangs", "stopped after 1 seconds (--timeout)"),
        ("crashes", "killed by signal 6"),
        ("fails", "ended with exit code 1: error: this is too much"),
    ],
)
def test_the_first_attempt_with_which_a_compiler_fails_is_found(how: str, said: str) -> None:
    command = [*MISBEHAVING, f"{how} at 5"]
    result = run("bisect", "--timeout", "1", "--", *command)
    shown = without_paths(result.stdout.decode()).splitlines()
    assert (result.returncode, shown[:3]) == (
        1,
        [
            f"python3: {said}, first with attempt 5 of rename",
            "Rename on my.old %4 (a.py:5)",
            "the compiler ran 7 times",
        ],
    )
    assert [line.rpartition("apply-pattern-count=")[2] for line in shown[-2:]] == [
        "4  # succeeds, without attempt 5",
        "5  # fails",
    ]


def test_a_compiler_that_applies_patterns_without_end() -> None:
    result = run("bisect", "--timeout", "1", "--", *MISBEHAVING, "never ends")
    assert (result.returncode, without_paths(result.stdout.decode()).splitlines()) == (
        1,
        [
            "python3 applies patterns without end in rename: of the last attempts 1,000 Rename on my.old (stopped"
            " after 1 seconds (--timeout))",
            "the compiler ran 4 times",
        ],
    )


def test_why_a_compiler_fails_as_json() -> None:
    found = json.loads(run("bisect", "--format", "json", "--", *MISBEHAVING, "crashes at 3").stdout)
    kept = ("test", "of_compiler", "pass", "first", "last", "op", "endless")
    assert [found[name] for name in kept] == ["killed by signal 6", True, "rename", 3, 3, "my.old", {}]


def test_a_compiler_that_fails_without_patterns_is_an_error() -> None:
    assert (
        error_of("--", *MISBEHAVING, "crashes at 0").splitlines()[0] == "python3: error: killed by signal 6"
    )


@needs_mlir_opt
@pytest.mark.slow
def test_a_pass_that_hangs_after_its_last_pattern(tmp_path: Path) -> None:
    """MLIR folds an addition in a loop that nothing reaches, until it hangs."""
    program = tmp_path / "in.mlir"
    program.write_text(UNREACHABLE_LOOP)
    result = run("bisect", "--timeout", "1", "--", mlir_tool("mlir-opt"), "--canonicalize", program)
    shown = result.stdout.decode().splitlines()
    assert result.returncode == 1
    assert shown[0].endswith(": stopped after 1 seconds (--timeout), first with attempt 51 of canonicalize")
    assert shown[1] == f"AddIAddConstant on arith.addi %0 ({program}:8)"


UNREACHABLE_LOOP = """func.func @loop(%cond: i1, %init: i32) {
  %true = arith.constant true
  %c1 = arith.constant 1 : i32
  cf.cond_br %true, ^exit, ^header(%init : i32)
^header(%iv: i32):
  cf.cond_br %cond, ^exit, ^latch
^latch:
  %next = arith.addi %iv, %c1 : i32
  cf.br ^header(%next : i32)
^exit:
  return
}
"""


def test_a_run_that_crashes_leaves_its_attempts_unresolved() -> None:
    found = lines_of("bisect", "--", *MISBEHAVING, "crashes")
    start = found.index(
        "1 interval of attempts is not resolved: 1 run failed, first: no dump after rename: killed by signal 6"
    )
    assert found[start + 1].startswith("  attempts 1 to 4: ")


def test_a_run_that_takes_too_long_leaves_its_attempts_unresolved(tmp_path: Path) -> None:
    found = lines_of("bisect", "--timeout", "1", "--", *MISBEHAVING, f"hangs halving {tmp_path / 'pid'}")
    why = "1 interval of attempts is not resolved: 1 run failed, first: stopped after 1 seconds (--timeout)"
    assert why in found
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_a_log_of_actions_that_takes_too_long_costs_the_names_of_patterns(tmp_path: Path) -> None:
    found = lines_of("bisect", "--timeout", "1", "--", *MISBEHAVING, f"hangs logging {tmp_path / 'pid'}")
    assert found[3] == "8 attempts of patterns, 8 change the IR; the compiler ran 13 times"
    assert "1 run failed, first: stopped after 1 seconds (--timeout)" in found
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_without_a_log_of_actions_the_patterns_are_unknown() -> None:
    found = lines_of("bisect", "--", *MISBEHAVING, "logs nothing")
    assert next(line for line in found if "(pattern unknown)" in line).split()[:2] == ["8", "8"]


def is_gone(process: int) -> bool:
    """Whether a process has ended, at once or soon."""
    for _ in range(100):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False


INTERRUPTIBLE = """\
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
runpy.run_module("eio_audit", run_name="__main__", alter_sys=True)
"""
"""Runs the command. Tests that a shell starts in the background ignore interrupts, and those under ``nohup`` hangups."""


def ended(
    signal_: signal.Signals, how: str, hanging: Path, *options: str, times: int = 1
) -> tuple[int, str, str]:
    """The command when a signal comes while a compiler hangs: its exit code and what it prints."""
    command = [sys.executable, "-c", INTERRUPTIBLE, "bisect", "--jobs", "1", *options, "--"]
    with subprocess.Popen(
        [*command, *MISBEHAVING, f"hangs {how} {hanging}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        for _ in range(1000):
            if hanging.exists() and hanging.read_text():
                break
            time.sleep(0.02)
        for _ in range(times):
            os.killpg(process.pid, signal_)
            time.sleep(0.01)
        printed, errors = process.communicate(timeout=20)
    assert is_gone(int(hanging.read_text()))
    return process.returncode, printed, errors


@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_reports_what_is_found(signal_: signal.Signals, tmp_path: Path) -> None:
    code, printed, errors = ended(signal_, "halving", tmp_path / "pid")
    lines = printed.splitlines()
    start = lines.index("2 intervals of attempts are not resolved: interrupted")
    assert (code, errors) == (130, "")
    assert lines[start + 1 : start + 3] == [
        "  attempts 1 to 4: +4 -4 ops, not resolved",
        "  attempts 5 to 8: +4 -4 ops, not resolved",
    ]


def test_a_second_termination_does_not_lose_the_report(tmp_path: Path) -> None:
    """``timeout`` and job schedulers signal the process and its group. The last may end it after the report."""
    _, printed, errors = ended(signal.SIGTERM, "halving", tmp_path / "pid", times=3)
    assert errors == ""
    assert "2 intervals of attempts are not resolved: interrupted" in printed


def test_an_interrupt_while_only_actions_are_logged_reports_all(tmp_path: Path) -> None:
    """The signal comes when all states are found, or before."""
    code, printed, errors = ended(signal.SIGINT, "logging", tmp_path / "pid")
    assert (code, errors) == (130, "")
    assert "\nrename: +8 -8 ops\n" in printed


def test_an_interrupt_of_a_test_reports_what_is_found(tmp_path: Path) -> None:
    """The test fails after 4 attempts, and the compiler hangs at 2."""
    code, printed, errors = ended(signal.SIGINT, "halving", tmp_path / "pid", "--test", "changed")
    assert (code, errors) == (130, "")
    assert (
        printed.splitlines()[0] == "changed fails first after one of attempts 1 to 4 of rename: interrupted"
    )


def test_an_interrupt_of_two_runs_ends_them(tmp_path: Path) -> None:
    code, printed, _ = ended(signal.SIGTERM, "halving", tmp_path / "pid", "--show", "3")
    assert (code, printed) == (130, "")


def test_a_closed_terminal_leaves_no_compiler(tmp_path: Path) -> None:
    code, printed, _ = ended(signal.SIGHUP, "halving", tmp_path / "pid")
    assert (code, printed) == (129, "")


@pytest.mark.slow
def test_a_terminal_shows_the_worst_application_so_far() -> None:
    """The progress of a short search is not shown."""
    code, shown = run_on_terminal("bisect", "--", *recorded("encoder"), columns=200)
    assert code == 1
    assert "worst: attempt 103 (+116 inversions)" in shown


def test_the_advice_as_json() -> None:
    together = [f"{ELEMENTWISE}<{name}, ElementwiseBinary, UPWARDS>" for name in ("PermuteOp", "ReshapeOp")]
    advice = document("small")["advice"]
    assert [advice["now"], advice["together"]] == [
        18,
        {"patterns": together, "inversions": 0, "exact": True},
    ]
    best = advice["best"]
    assert [(one["kind"], one["pattern"], len(one["ops"])) for one in best.pop("changes")] == [
        ("location", together[0], 3),
        ("location", together[1], 3),
    ]
    assert best == {"inversions": 0, "left": 0, "at_most": False}
    made = {"pattern": together[0], "ops": {"ttir.permute": 5}, "carries": "user", "inversions": 12}
    assert advice["alone"][0] == made


FUSED = """func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<8xf32> loc("1|exp")
  %1 = math.tanh %y : tensor<8xf32> loc("2|tanh")
  %2 = arith.mulf %1, %0 : tensor<8xf32> loc("3|mul")
  return %2 : tensor<8xf32> loc("4|return")
}
"""
"""A program whose ops are fused in another order: the ops keep their locations."""


@needs_mlir_opt
def test_where_ops_stand_at_a_wrong_place_the_advice_says_so(tmp_path: Path) -> None:
    """The inliner runs a pass in itself, which changes nothing."""
    program = tmp_path / "in.mlir"
    program.write_text(FUSED)
    flags = ["--convert-elementwise-to-linalg", "--linalg-fuse-elementwise-ops", "--inline"]
    found = run("bisect", "--", mlir_tool("mlir-opt"), program, *flags).stdout.decode().splitlines()
    assert found[:2] == [
        "linalg-fuse-elementwise-ops left 1 of the 1 inversion at the end of the command, first at attempt 47. "
        "With FuseElementwiseOps changed, 1 would become 0",
        "  FuseElementwiseOps: #1 math.exp %3 was moved behind #2 math.tanh %2. Where it stood before, "
        "1 inversion would become 0",
    ]
    assert found[-1].startswith(
        "  eio-audit reduce --pass linalg-fuse-elementwise-ops --pattern FuseElementwiseOps -- "
    )


@needs_mlir_opt
def test_what_a_later_pass_removes_is_made_and_not_left(tmp_path: Path) -> None:
    program = tmp_path / "in.mlir"
    program.write_text(FUSED.replace("@f", "private @f"))
    fusion = "linalg-fuse-elementwise-ops"
    flags = ["--convert-elementwise-to-linalg", f"--{fusion}", "--symbol-dce"]
    command = ["--format", "json", "--pass", fusion, "--", mlir_tool("mlir-opt"), program, *flags]
    steps = json.loads(run("bisect", *command).stdout)["applications"]
    assert [(one["made"], one["left"]) for one in steps if one["made"]] == [(1, 0)]


def test_the_suggested_commands_work() -> None:
    [suggested] = re.findall(
        r"^  eio-audit (bisect .* --show .*?)  # ", reports("small")["text"], re.MULTILINE
    )
    assert lines_of(*shlex.split(suggested))[0].startswith("attempt 13: ")


FOLDED = """func.func @{name}(%x: i32) -> i32 {{
  %c = arith.constant 1 : i32
  %0 = arith.addi %c, %x : i32
  %1 = arith.addi %0, %c : i32
  return %1 : i32
}}
"""


@pytest.mark.parametrize(
    "flag", ["--mlir-print-local-scope", "--mlir-print-debuginfo=false", "--mlir-disable-threading=false"]
)
def test_a_flag_of_the_printer_does_not_matter(tmp_path: Path, flag: str) -> None:
    program = tmp_path / "in.mlir"
    program.write_text(FOLDED.format(name="f"))
    command = [iree_opt(), "--canonicalize", str(program), flag]
    assert lines_of("bisect", "--", *command)[0] == (
        "canonicalize changed 5 ops, first at attempt 6; order not judged: no op carries an op index"
    )


def test_the_program_may_follow_two_dashes(tmp_path: Path) -> None:
    program = tmp_path / "in.mlir"
    program.write_text(FOLDED.format(name="f"))
    assert lines_of("bisect", "--", iree_opt(), "--canonicalize", "--", str(program))[0].startswith("canon")


@pytest.mark.parametrize("number", [1, 2])
def test_of_several_programs_one_runs_alone(number: int, tmp_path: Path) -> None:
    program = tmp_path / "in.mlir"
    program.write_text("// -----\n".join(FOLDED.format(name=name) for name in "fg"))
    command = [iree_opt(), "--canonicalize", "--split-input-file", str(program)]
    found = json.loads(
        run(
            "bisect", "--format", "json", "--pass", "canonicalize", "--dump", str(number), "--", *command
        ).stdout
    )
    assert [found["number"], found["alone"], found["why_not_alone"]] == [number, True, ""]
    assert [step["pattern"] for step in found["applications"]] == ["AddIAddConstant"]


def test_attempts_of_several_programs_are_not_mixed(tmp_path: Path) -> None:
    program, compiler = tmp_path / "in.mlir", tmp_path / "compiler"
    program.write_text("// -----\n".join(FOLDED.format(name=name) for name in "fg"))
    refuses = 'case "$*" in *--pass-pipeline*) echo "error: no pipelines" >&2; exit 1;; esac'
    compiler.write_text(f'#!/bin/sh\n{refuses}\nexec {iree_opt()} "$@"\n')
    compiler.chmod(0o755)
    result = run("bisect", "--", compiler, "--canonicalize", "--split-input-file", program)
    assert result.returncode == 2
    assert b"it compiles 2 programs and counts the attempts of each from 1" in result.stderr


@pytest.mark.parametrize("command", [[], "mlir-opt in.mlir"])
def test_the_command_is_a_list_of_words(command: list[str] | str) -> None:
    with pytest.raises(TypeError, match="expected the compiler and its arguments"):
        eio_audit.bisect(command)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(eio_audit.InputError, match="cannot make the folder: Not a directory"):
        eio_audit.bisect(SMALL, folder=file / "inside")


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ("! grep -q x", "--test: no shell runs it: use sh -c '! grep -q x'"),
        ("grep x | wc -l", "--test: no shell runs it: use sh -c 'grep x | wc -l'"),
        ("nothing-of-this-name '|'", "--test: cannot find the program 'nothing-of-this-name'"),
    ],
)
def test_a_test_that_needs_a_shell_names_the_command_with_one(test: str, message: str) -> None:
    done = run("bisect", "--test", test, "--", "mlir-opt", "a.mlir")
    assert (done.returncode, done.stderr.decode().splitlines()[-1]) == (2, f"Error: {message}")
