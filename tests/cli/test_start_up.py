"""What a command imports: users wait for it each time."""

import subprocess
import sys
from pathlib import Path

import pytest

IN_ORDER = """func.func @f(%a: i32) {
  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|0|a")
  %1 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|1|b")
  return
}
"""
SCRIPT = """import sys
before = set(sys.modules)
from eio_audit.cli.main import main
try:
    main()
finally:
    print(*sorted(set(sys.modules) - before), file=sys.stderr)
"""


def imported(*args: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", SCRIPT, *args], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "room",
    [
        "rich",
        "networkx",
        "regex",
        "difflib",
        "gzip",
        "click.shell_completion",
        "eio_audit.mlir.location",
        "eio_audit.order.best_order",
        "eio_audit.audit.fix",
        "eio_audit.report.table",
    ],
)
def test_a_dump_in_order_is_checked_without(room: str, tmp_path: Path) -> None:
    file = tmp_path / "f.mlir"
    file.write_text(IN_ORDER)
    assert room not in imported("check", str(file))


def test_the_version_needs_the_package_alone() -> None:
    """Without the site, which may have imported anything."""
    command = [sys.executable, "-S", "-X", "importtime", "-m", "eio_audit", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "eio_audit.cli.main" in imported
    assert imported.isdisjoint({"typing", "re", "dataclasses", "pathlib", "click"})
