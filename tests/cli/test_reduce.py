"""``eio-audit reduce`` as a user types it."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from eio_audit.audit.bisect.compiler_command import GENERIC as FLAGS
from eio_audit.audit.bisect.compiler_command import CompilerRuns
from eio_audit.audit.options import DEFAULT_OPTIONS
from eio_audit.audit.reduce.property import Wanted
from eio_audit.audit.reduce.reduce import Job, reduce_program
from tests.cli.running import run
from tests.internals import CompilerCommand
from tests.tools import mlir_tool, needs_mlir_opt

SAMPLES = Path(__file__).parent.parent.parent / "sample_irs"
COMPILER = [sys.executable, str(SAMPLES / "recorded" / "commute_upwards.py"), "--ttir-erase-inverse-ops"]
FLAT = """module {
  func.func @forward(%a: tensor<1x4xf32>, %b: tensor<2x4xf32> {my.kind = "input"}) -> tensor<4x2xf32> {
    // the first layer
    %0 = "ttir.broadcast"(%a) : (tensor<1x4xf32>) -> tensor<2x4xf32> loc("DEBUG|1|one")
    %1 = "ttir.gelu"(%b) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("DEBUG|2|two")
    %2 = "ttir.add"(%0, %1) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> loc("DEBUG|3|three")
    %3 = "ttir.reshape"(%2) : (tensor<2x4xf32>) -> tensor<4x2xf32> loc("DEBUG|4|four")
    return %3 : tensor<4x2xf32>
  }
}
"""
SMALL = """module {
  func.func @forward(%a: tensor<1x4xf32>, %v0: tensor<2x4xf32>) {
    %0 = "ttir.broadcast"(%a) : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %2 = "ttir.add"(%0, %v0) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> loc("DEBUG|3|three")
    %3 = "ttir.reshape"(%2) : (tensor<2x4xf32>) -> tensor<4x2xf32> loc("DEBUG|4|four")
    return
  }
}
"""
ONE_TOO_MANY = SMALL.replace(
    "    %2",
    '    %1 = "ttir.gelu"(%v0) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("DEBUG|2|two")\n    %2',
)
GENERIC = """"a.first"() : () -> ()
"a.second"() : () -> ()
"""


ORDERED = """func.func @forward(%a: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %0 = "ttir.reshape"(%a) : (tensor<2x4xf32>) -> tensor<4x2xf32> loc("1|one")
  %1 = "ttir.gelu"(%0) : (tensor<4x2xf32>) -> tensor<4x2xf32> loc("2|two")
  return %1 : tensor<4x2xf32>
}
"""


@pytest.fixture
def flat(tmp_path: Path) -> Path:
    path = tmp_path / "in.mlir"
    path.write_text(FLAT)
    return path


def test_without_an_output_the_program_is_on_standard_output_and_the_report_on_standard_error(
    flat: Path,
) -> None:
    done = run("reduce", "--jobs", "1", "--", *COMPILER, str(flat))
    assert done.stdout.decode() == SMALL
    assert done.stderr.decode().splitlines()[:1] == ["shuffled: ttir-erase-inverse-ops puts ops out of order"]
    assert done.returncode == 0
    assert flat.read_text() == FLAT


def test_with_an_output_the_report_is_on_standard_output(tmp_path: Path) -> None:
    small, given = tmp_path / "small.mlir", tmp_path / "in.mlir"
    given.write_text(ONE_TOO_MANY)
    command = ["--format", "json", "-o", str(small), "--", *COMPILER, "-o", str(given), str(given)]
    report = json.loads(run("reduce", *command).stdout)
    assert small.read_text() == SMALL
    assert given.read_text() == ONE_TOO_MANY
    assert report["property"] == "shuffled: ttir-erase-inverse-ops puts ops out of order"
    assert report["pass"] == "ttir-erase-inverse-ops"
    assert report["before"] == {"ops": 4, "arguments": 2, "bytes": len(ONE_TOO_MANY)}
    assert report["after"] == {"ops": 3, "arguments": 2, "bytes": len(SMALL)}
    assert report["timeouts"] == 0


def test_a_program_that_cannot_get_smaller_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "small.mlir"
    path.write_text(SMALL)
    done = run("reduce", "--", *COMPILER, str(path))
    assert done.stdout.decode() == SMALL
    assert "nothing could be cut: 3 ops" in done.stderr.decode()


def test_line_ends_and_standard_input_are_kept() -> None:
    done = run(
        "reduce", "-q", "--interesting", "grep -q a.second", "-", stdin=GENERIC.replace("\n", "\r\n").encode()
    )
    assert done.stdout == b'"a.second"() : () -> ()\r\n'
    assert not done.stderr


def test_a_command_of_the_user_decides(tmp_path: Path) -> None:
    path = tmp_path / "in.mlir"
    path.write_text(GENERIC)
    done = run("reduce", "--interesting", "grep -q a.second", str(path), "--lit")
    assert done.stdout.decode() == '// RUN: grep -q a.second %s\n"a.second"() : () -> ()\n'


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--interesting", "false", "in.mlir"], "exits with 1 on the input, and must with 0"),
        (["--interesting", "false", "in.mlir"], "mlir-reduce counts the other way round"),
        (["--interesting", "true", "custom.mlir"], "custom.mlir:1:1: error: expected an op in generic form"),
        (["--printer", "cat", "in.mlir"], "--printer needs --interesting"),
        (["--interesting", "true", "-o", "in.mlir", "in.mlir"], "never overwritten"),
        (["--", "true", "missing.mlir"], "there is no file 'missing.mlir'"),
        (["--", "true"], "name it, or - for standard input"),
        (["--error", "(", "--", "true", "in.mlir"], "is not a regular expression"),
    ],
)
def test_what_cannot_run_is_told(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.mlir").write_text(GENERIC)
    (tmp_path / "custom.mlir").write_text("func.func private @f()\n")
    done = run("reduce", *arguments)
    assert said in done.stderr.decode()
    assert done.returncode == 2


def test_a_property_that_depends_on_chance_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in.mlir").write_text(GENERIC)
    once = tmp_path / "once.sh"
    once.write_text(f"#!/bin/sh\n[ ! -e {tmp_path}/ran ] && touch {tmp_path}/ran\n")
    once.chmod(0o755)
    done = run("reduce", "--interesting", str(once), str(tmp_path / "in.mlir"))
    assert "holds in 1 of 2 runs" in done.stderr.decode()
    assert done.returncode == 2


def test_termination_leaves_the_smallest_program_so_far(tmp_path: Path) -> None:
    (tmp_path / "in.mlir").write_text("".join(f'"a.op{number}"() : () -> ()\n' for number in range(40)))
    slow = tmp_path / "slow.sh"
    slow.write_text('#!/bin/sh\ngrep -q a.op7 "$1" || exit 1\ngrep -q a.op39 "$1" || sleep 0.3\n')
    slow.chmod(0o755)
    small = tmp_path / "small.mlir"
    command = [
        sys.executable,
        "-m",
        "eio_audit",
        "reduce",
        "-j1",
        "-o",
        str(small),
        "--interesting",
        str(slow),
        str(tmp_path / "in.mlir"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        deadline = time.monotonic() + 30
        while not small.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 130
    kept = small.read_text()
    assert '"a.op7"' in kept
    assert 1 <= kept.count("\n") < 40


@pytest.mark.slow
@pytest.mark.parametrize(("model", "before", "after"), [("resnet", 271, 4), ("encoder", 165, 3)])
def test_a_model_is_cut_to_the_ops_of_the_pattern_in_few_runs(
    model: str, before: int, after: int, tmp_path: Path
) -> None:
    path = SAMPLES / model / "before_alias.mlir"
    command = CompilerCommand((*COMPILER, str(path)))
    reader = CompilerCommand((*COMPILER[:2], str(path)))
    job = Job(path.read_bytes(), "in.mlir", command, reader, str(path), Wanted(), DEFAULT_OPTIONS)
    said: list[str] = []
    found = reduce_program(job, CompilerRuns(tmp_path), 1, lambda _: None, said.append)
    assert (found.before.ops, found.after.ops) == (before, after)
    assert found.after.arguments == 2
    minimal = next(text for text in said if text.startswith(f"{before} -> {after} ops, "))
    assert int(minimal.removesuffix(" runs").rpartition(" ")[2]) <= 60
    if model == "resnet":
        ops = [line.strip() for line in found.text.decode().splitlines() if '"ttir.' in line]
        assert "\n".join(ops) in (SAMPLES.parent / "README.md").read_text()


CALLED = """func.func @helper(%a: f32) -> (f32, f32) {
  %0 = math.exp %a : f32
  return %0, %a : f32, f32
}
func.func @main(%x: f32, %m: memref<4xf32>, %i: index) -> f32 {
  %0 = memref.load %m[%i] : memref<4xf32>
  %1:2 = call @helper(%0) : (f32) -> (f32, f32)
  %2 = arith.addf %1#0, %x : f32
  return %2 : f32
}
"""


@needs_mlir_opt
def test_an_error_of_a_pass_stays(tmp_path: Path) -> None:
    path = tmp_path / "in.mlir"
    path.write_text(CALLED)
    done = run("reduce", "--lit", "--", str(mlir_tool("mlir-opt")), "--test-convert-func-op", str(path))
    run_line, check, *program = done.stdout.decode().splitlines()
    assert run_line == f"// RUN: not {mlir_tool('mlir-opt')} --test-convert-func-op %s 2>&1 | FileCheck %s"
    assert check.startswith("// CHECK: error: 'llvm.return' op operand group starting at #{{.*}}")
    assert program == ["func.func @helper(%a: f32) -> (f32, f32) {", "  return %a, %a : f32, f32", "}"]


@needs_mlir_opt
def test_the_part_of_a_split_file_that_fails_is_left(tmp_path: Path) -> None:
    path = tmp_path / "in.mlir"
    path.write_text(f"func.func private @other()\n// -----\n{CALLED}// -----\nfunc.func private @last()\n")
    compiler = [str(mlir_tool("mlir-opt")), "--split-input-file", "--test-convert-func-op"]
    done = run("reduce", "--error", "operand group", "--", *compiler, str(path))
    assert done.stdout.decode().splitlines()[0] == "func.func @helper(%a: f32) -> (f32, f32) {"


@needs_mlir_opt
def test_what_crashes_may_be_an_empty_program(tmp_path: Path) -> None:
    path = tmp_path / "in.mlir"
    path.write_text(CALLED)
    done = run("reduce", "--", str(mlir_tool("mlir-opt")), "--test-pass-crash", str(path))
    assert done.stderr.decode().startswith("crashes: signal 6")
    assert done.stdout.decode() == ""


@needs_mlir_opt
def test_the_aliases_that_are_used_stay(tmp_path: Path) -> None:
    path = tmp_path / "in.mlir"
    path.write_text("""#map = affine_map<(d0) -> (d0 + 1)>
#other = affine_map<(d0) -> (d0)>
func.func @f(%x: index) -> index {
  %0 = affine.apply #map(%x)
  %1 = affine.apply #other(%0)
  return %1 : index
}
""")
    keeps = ["--interesting", "grep -q apply.#map", "--printer", str(mlir_tool("mlir-opt"))]
    assert (
        run("reduce", *keeps, str(path)).stdout.decode()
        == """#map = affine_map<(d0) -> (d0 + 1)>
func.func @f(%x: index) {
  %0 = affine.apply #map(%x)
  return
}
"""
    )


@needs_mlir_opt
def test_a_flag_that_the_compiler_does_not_know_is_no_property(tmp_path: Path) -> None:
    path = tmp_path / "in.mlir"
    path.write_text(CALLED)
    done = run("reduce", "--", str(mlir_tool("mlir-opt")), "--canonicalise", str(path))
    assert "it does not know --canonicalise; did you mean '--canonicalize'?" in done.stderr.decode()
    assert done.returncode == 2


def test_a_compiler_that_does_not_print_generic_form_is_told_with_a_command_to_paste() -> None:
    recording = str(SAMPLES / "recorded" / "erase_inverse_ops.py")
    program = str(SAMPLES / "small" / "before_alias.mlir")
    done = run("reduce", "--", sys.executable, recording, "--ttir-erase-inverse-ops", program)
    why, recorded, by_hand = done.stderr.decode().splitlines()
    assert recorded == "  help: reduce needs a compiler that reads any program: a recording will not do"
    assert why.startswith(
        f"{sys.executable}: error: it reads the input, but does not print it in generic form, as reduce needs it: "
    )
    assert by_hand == f"  help: to see more, run {sys.executable} {recording} {program} {' '.join(FLAGS)}"
    assert done.returncode == 2


@needs_mlir_opt
def test_an_input_that_the_compiler_does_not_read_is_told_with_a_command_to_paste(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.mlir").write_text("func.func @f(%x: f32) {\n  %0 = arith.addf %x %x : f32\n  return\n}\n")
    compiler = str(mlir_tool("mlir-opt"))
    done = run("reduce", "--", compiler, "--cse", "in.mlir")
    assert done.stderr.decode().splitlines() == [
        f"{compiler}: error: it does not read the input without passes: ended with exit code 1: "
        "in.mlir:2:21: error: expected ','",
        f"  help: to see more, run {compiler} in.mlir",
    ]
    assert done.returncode == 2


def test_a_pass_that_changes_nothing_is_said_to_do_so(tmp_path: Path) -> None:
    (tmp_path / "in.mlir").write_text(ORDERED)
    done = run("reduce", "--", *COMPILER, str(tmp_path / "in.mlir"))
    assert done.stderr.decode() == (
        f"{sys.executable}: error: ttir-erase-inverse-ops changes no op of the input: "
        "it puts no pair out of order that fails\n"
    )
    assert done.returncode == 2


def test_of_a_pattern_that_is_not_applied_those_that_do_it_are_named(flat: Path) -> None:
    done = run("reduce", "--pattern", "NoSuch", "--", *COMPILER, str(flat))
    assert done.stderr.decode() == (
        f"{sys.executable}: error: NoSuch is not applied in ttir-erase-inverse-ops; "
        "those that leave pairs out of order: CommuteUpwards\n"
    )
    assert done.returncode == 2


def test_a_pattern_that_does_it_is_kept(tmp_path: Path) -> None:
    (tmp_path / "in.mlir").write_text(ONE_TOO_MANY)
    command = ["--pattern", "CommuteUpwards", "--", *COMPILER, str(tmp_path / "in.mlir")]
    done = run("reduce", "--jobs", "1", *command)
    assert done.stdout.decode() == SMALL
    assert done.stderr.decode().splitlines()[0].endswith("puts ops out of order by CommuteUpwards")


def test_bisect_suggests_no_reduction_of_a_program_of_few_ops(tmp_path: Path) -> None:
    (tmp_path / "small.mlir").write_text(SMALL)
    done = run("bisect", "--", *COMPILER, str(tmp_path / "small.mlir"))
    assert "CommuteUpwards" in done.stdout.decode()
    assert "eio-audit reduce" not in done.stdout.decode()
