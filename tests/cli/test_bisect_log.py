"""``bisect --test CMD LOG``: the first dump of a log on which a test fails."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.running import SAMPLES, run
from tests.cli.test_show import compile_with
from tests.logs import dump, function, module
from tests.tools import mlir_tool, needs_mlir_opt

LOG = SAMPLES / "mlir_opt" / "passes.log"
F, G = function("f", 1, 2), function("g", 1, 2)
M, N = module(F), module(function("f", 3, 4).replace("@f", "@h"))


def found(test: str, log: str | Path, stdin: bytes = b"") -> Any:
    return json.loads(run("bisect", "--test", test, log, "--format", "json", stdin=stdin).stdout)


def ends(test: str, log: str | Path) -> tuple[int, int]:
    result = found(test, log)
    return result["good"]["number"], result["bad"]["number"]


def test_the_pass_that_removed_an_op() -> None:
    done = run("bisect", "--test", "grep -q linalg.matmul", LOG)
    assert (done.returncode, done.stdout.decode()) == (
        1,
        "grep -q linalg.matmul fails first after convert-linalg-to-loops; it holds in "
        f"{LOG}:108 and fails in {LOG}:128\n"
        "the test ran on 5 dumps of 10; no compiler ran\n"
        "next:\n"
        f"  eio-audit diff {LOG}:7 {LOG}:8  # shows what the pass did\n"
        f"  eio-audit show {LOG}:7 --whole -o in.mlir  # writes its input\n",
    )


def test_a_pass_that_runs_others_inside_changed_the_program_before_one(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(
        dump("Before", "outer", M)
        + dump("Before", "inner", M)
        + dump("After", "inner", M)
        + dump("Before", "inner", N)
        + dump("After", "inner", N)
        + dump("After", "outer", N)
    )
    result = found("grep -q @f", log)
    assert (result["pass"], result["good"]["number"], result["bad"]["number"]) == ("outer", 3, 4)


def test_a_property_that_holds_at_the_end() -> None:
    done = run("bisect", "--test", "grep -q func.func", LOG)
    assert (done.returncode, done.stdout.decode().splitlines()[0]) == (
        0,
        "grep -q func.func holds in the whole log",
    )


def test_a_property_that_fails_from_the_start() -> None:
    done = run("bisect", "--test", "grep -q scf.for", LOG)
    message = f"the test already fails at {LOG}:1, before convert-elementwise-to-linalg"
    assert (done.returncode, done.stderr.decode()) == (2, f"grep -q scf.for: error: {message}\n")


def test_standard_input() -> None:
    assert found("grep -q linalg.matmul", "-", LOG.read_bytes())["pass"] == "convert-linalg-to-loops"


def test_of_dumps_before_passes_the_pass_of_the_last_good_dump(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(dump("Before", "a", M) + dump("Before", "b", M) + dump("Before", "c", N))
    assert found("grep -q @f", log)["pass"] == "b"


def test_between_the_dump_after_a_pass_and_the_one_before_the_next(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(dump("After", "a", M) + dump("Before", "b", N))
    assert (
        "fails first after a pass between after a and before b;"
        in run("bisect", "--test", "grep -q @f", log).stdout.decode()
    )


@needs_mlir_opt
def test_the_test_gets_the_whole_program_of_a_log_of_functions(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_bytes(compile_with(str(mlir_tool("mlir-opt")), tmp_path, "--mlir-print-ir-before-all"))
    assert found("grep -q callee", log)["bad"] is None
    log.write_text(dump("After", "a", module(F, G)) + dump("After", "b", F) + dump("After", "c", module(F)))
    assert ends("grep -q @g", log) == (2, 3)


def test_a_built_in_test() -> None:
    assert ends("changed", LOG) == (1, 2)


def test_dumps_that_cannot_be_judged_lie_between(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text("".join(dump("After", name, module(function(name, 1))) for name in "abc"))
    script = tmp_path / "judge.sh"
    script.write_text("#!/bin/sh\ntext=$(cat)\ncase $text in *@a*) exit 0;; *@b*) exit 125;; esac\nexit 1\n")
    script.chmod(0o755)
    result = found(str(script), log)
    assert (result["good"]["number"], result["bad"]["number"], result["pass"]) == (1, 3, None)


def test_what_a_log_has_no_use_for() -> None:
    done = run("bisect", "--test", "true", "--pass", "cse", LOG)
    assert (done.returncode, b"--pass, --dump and --keep need a compiler, not a log" in done.stderr) == (
        2,
        True,
    )


@given(st.integers(1, 30), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_first_dump_that_lost_the_property(tmp_path: Path, good: int, data: st.DataObject) -> None:
    bad = data.draw(st.integers(1, 5))
    log = tmp_path / "passes.log"
    log.write_text("".join(dump("After", f"p{n}", module(F if n < good else G)) for n in range(good + bad)))
    result = found(shlex.join(["grep", "-q", "@f"]), log)
    assert (result["good"]["number"], result["bad"]["number"], result["pass"]) == (good, good + 1, f"p{good}")
    assert result["tests"] <= 2 + (good + bad - 1).bit_length()
