"""NO_COLOR, FORCE_COLOR and CLICOLOR, as their sites have them: no colours, though perhaps bold."""

import pytest

from tests.audit.test_fix import SHUFFLED, fixed
from tests.cli.running import SAMPLES, run, run_on_terminal

RESNET = SAMPLES / "resnet" / "after_alias.mlir"
RED = b"\x1b[31m"


@pytest.mark.parametrize(
    ("environment", "colored"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"NO_COLOR": "1"}, False),
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"CLICOLOR_FORCE": "0"}, False),
        ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
        ({"CLICOLOR": "1"}, False),
    ],
)
def test_a_piped_report(environment: dict[str, str], colored: bool) -> None:
    assert (RED in run("check", RESNET, **environment).stdout) == colored


@pytest.mark.parametrize(
    ("environment", "colored"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"CLICOLOR": "0"}, False), ({"CLICOLOR": "1"}, True)],
)
def test_a_report_on_a_terminal(environment: dict[str, str], colored: bool) -> None:
    _, shown = run_on_terminal("check", RESNET, **environment)
    assert "22 inversions" in shown
    assert (RED.decode() in shown) == colored


def test_ir_is_never_colored() -> None:
    result = run("fix", "-", stdin=SHUFFLED.encode(), FORCE_COLOR="1")
    assert result.stdout.decode() == fixed(SHUFFLED)
    assert run("check", RESNET, "--format", "json", FORCE_COLOR="1").stdout[:1] == b"{"
