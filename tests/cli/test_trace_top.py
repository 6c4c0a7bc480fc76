"""``trace --top``, what its ``next:`` names, and the first dump, which nothing is compared with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import SAMPLES, run
from tests.logs import dump, function, module

LOG = SAMPLES / "mlir_opt" / "passes.log"


def state(*ops: str) -> str:
    body = "".join(f'  "t.{op}"() : () -> ()\n' for op in ops)
    return f"func.func @f() {{\n{body}  return\n}}\n"


def passes(*args: str | Path) -> list[str]:
    return [one["pass"] for one in json.loads(run("trace", *args, "--format", "json").stdout)["passes"]]


def test_the_passes_that_changed_most_in_their_order() -> None:
    assert passes(LOG, "--top", "2") == ["one-shot-bufferize", "convert-linalg-to-loops"]


def test_of_indexed_ops_those_that_left_most() -> None:
    log = SAMPLES / "resnet" / "all_passes_alias.log"
    assert passes(log, "--top", "1") == ["ttir-erase-inverse-ops"]


def test_the_top_of_the_chosen() -> None:
    assert passes(LOG, "--pass", "linalg-*", "--top", "5") == ["linalg-fuse-elementwise-ops"]


def test_the_text_says_how_many_are_shown() -> None:
    assert "  2 of 5 passes chosen" in run("trace", LOG, "--top", "2").stdout.decode().splitlines()


def test_the_next_command_names_a_chosen_pass() -> None:
    shown = run("trace", LOG, "--changed-op", "linalg.generic").stdout.decode()
    assert f"eio-audit diff {LOG} --pass one-shot-bufferize --dump 1" not in shown
    assert "--pass convert-linalg-to-loops" in shown
    shown = run("trace", LOG, "--pass", "linalg-*").stdout.decode()
    assert f"  eio-audit diff {LOG} --pass linalg-fuse-elementwise-ops --dump 1  # " in shown


def test_an_adaptor_is_not_the_pass_to_look_at(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    dumps = [dump("After", "a", state("x")), dump("After", "b", state("x", "y"))]
    log.write_text("".join([*dumps, dump("After", "iree-op-pipeline-adaptor", state("u", "v", "w"))]))
    assert f"eio-audit diff {log} --pass b --dump 1  # " in run("trace", log).stdout.decode()
    assert passes(log, "--top", "1") == ["b"]


@pytest.mark.parametrize(
    "name", ["mlir::detail::OpToOpPassAdaptor", "fixed-point-iterator", "'func.func' Pipeline"]
)
def test_a_log_in_which_only_an_adaptor_changed_ops_names_no_pass_to_look_at(
    tmp_path: Path, name: str
) -> None:
    log = tmp_path / "passes.log"
    log.write_text(dump("After", "a", state("x")) + dump("After", name, state("u")))
    shown = run("trace", log).stdout.decode()
    assert f"{name} (runs others)" in shown
    assert "shows the pass that changed most" not in shown
    assert passes(log, "--top", "1") == []


def test_the_first_dump_of_a_log_with_indices_says_that_it_was_not_compared(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(
        dump("After", "a", module(function("f", 1, 2))) + dump("After", "b", module(function("f", 1, 2)))
    )
    assert run("trace", log).stdout.decode().splitlines()[-1] == (
        "passed: no avoidable inversion left at the end of 2 passes; 1 was not compared (the first dump: print with "
        "--mlir-print-ir-before-all)"
    )


def test_the_first_dump_after_a_pass_was_not_judged(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(dump("After", "a", state("x")) + dump("After", "b", state("y")))
    assert run("trace", log).stdout.decode().splitlines()[-4] == (
        "order not judged: no op carries an op index; 1 of 1 pass changed ops; 1 was not compared (the first "
        "dump: print with --mlir-print-ir-before-all)"
    )
