"""NO_COLOR and FORCE_COLOR, as no-color.org and force-color.org have them: no colours, though perhaps bold."""

import os
import pty
import subprocess
import sys

import pytest

from tests.audit.test_fix import SHUFFLED, fixed
from tests.cli.running import SAMPLES, run, run_process

RESNET = SAMPLES / "resnet" / "after_alias.mlir"
RED = b"\x1b[31m"


@pytest.mark.parametrize(
    ("environment", "colored"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"NO_COLOR": "1"}, False),
    ],
)
def test_a_piped_report(environment: dict[str, str], colored: bool) -> None:
    assert (RED in run_process("check", RESNET, **environment).stdout) == colored


@pytest.mark.parametrize(("environment", "colored"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_report_on_a_terminal(environment: dict[str, str], colored: bool) -> None:
    ours, theirs = pty.openpty()
    kept = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR")}
    command = [sys.executable, "-m", "eio_audit", "check", str(RESNET)]
    with subprocess.Popen(command, stdout=theirs, env=kept | {"TERM": "xterm"} | environment) as process:
        process.wait(timeout=60)
    shown = os.read(ours, 1 << 16)
    os.close(ours)
    os.close(theirs)
    assert b"avoidable" in shown
    assert (RED in shown) == colored


def test_ir_is_never_colored() -> None:
    result = run("fix", "-", stdin=SHUFFLED.encode(), FORCE_COLOR="1")
    assert result.stdout.decode() == fixed(SHUFFLED)
    assert run("check", RESNET, "--format", "json", FORCE_COLOR="1").stdout[:1] == b"{"
