import json
from pathlib import Path

import pytest

from tests.audit.test_check import ISSUE
from tests.cli.running import SAMPLES, run

RESNET = SAMPLES / "resnet" / "after_alias.mlir"
LOG = SAMPLES / "resnet" / "all_passes_alias.log"


def test_json_has_the_path_of_a_forced_inversion() -> None:
    document = json.loads(run("explain", RESNET, "%106", "--format", "json").stdout)
    assert (document["schema"], document["command"]) == ("eio-audit/1", "explain")
    [op] = document["ops"]
    assert (op["inversions"], op["kinds"]) == (72, {"forced": 29, "avoidable": 1, "knock-on": 42})
    [step] = op["inverted"][0]["path"]
    assert (step["producer"]["result"], step["user"]["result"], step["kind"]) == ("%106", "%107", "value")


def test_an_answer_exits_0_whatever_it_is() -> None:
    assert run("explain", RESNET, "%106").returncode == 0


def test_a_dump_of_a_log_by_pass_and_by_line() -> None:
    by_pass = run("explain", LOG, "%106", "--pass", "ttir-erase-inverse-ops", "--dump", "last").stdout
    [line] = [line for line in by_pass.decode().splitlines() if "%106 at line" in line]
    by_line = run("explain", LOG, line.partition("at line ")[2].partition(":")[0]).stdout
    assert by_line.partition(b"\nnext:\n")[0] == by_pass.partition(b"\nnext:\n")[0]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((RESNET,), b"OP is missing"),
        ((RESNET, "%9999"), b"did you mean %99 (line 171)"),
        ((LOG, "%106"), b"there are 16 dumps: choose one with --pass and --dump"),
        (("-", "%0"), b"the input is empty"),
    ],
)
def test_what_cannot_be_answered_exits_2(args: tuple[str | Path, ...], message: bytes) -> None:
    result = run("explain", *args)
    assert (result.returncode, result.stdout) == (2, b"")
    assert message in result.stderr


def test_nothing_indexed() -> None:
    result = run("explain", "-", "1", stdin=b'"t.a"() : () -> () loc("add.17")\n')
    assert result.returncode == 2
    assert b"XLA_HLO_DEBUG=1" in result.stderr


def test_a_report_goes_to_a_file(tmp_path: Path) -> None:
    result = run("explain", "-", "%56", "-o", tmp_path / "why.txt", stdin=ISSUE.encode())
    assert result.stdout == b""
    assert "with #18 ttir.reshape %57 (line 5), which depends on it" in (tmp_path / "why.txt").read_text()


def test_the_effects_of_an_op_are_sorted(tmp_path: Path) -> None:
    path = tmp_path / "a.mlir"
    path.write_text('func.func @f() {\n  "unknown.op"() : () -> () loc("1|a")\n  return\n}\n')
    [op] = json.loads(run("explain", path, "2", "--format", "json").stdout)["ops"]
    assert op["effects"]["anywhere"] == ["free", "read", "write"]
