"""What a command imports: users wait for it each time."""

import subprocess
import sys

import pytest

from tests.cli.running import SAMPLES
from tests.internals import COMMANDS

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


def imported_by(*arguments: str) -> set[str]:
    command = [sys.executable, "-c", SCRIPT, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """What ``check`` imports for a dump in order."""
    file = tmp_path_factory.mktemp("dump") / "f.mlir"
    file.write_text(IN_ORDER)
    return imported_by("check", str(file))


def test_a_command_imports_its_module(imported: set[str]) -> None:
    assert "eio_audit.cli.commands.check" in imported


SLOW = [
    "rich",
    "networkx",
    "regex",
    "difflib",
    "hashlib",
    "shutil",
    "subprocess",
    "random",
    "eio_audit.audit.fix.fix",
    "eio_audit.audit.log.program_log",
    "eio_audit.mlir.location",
    "eio_audit.mlir.semantics.calls",
    "eio_audit.mlir.semantics.effects",
    "eio_audit.order.linear_extension",
]


@pytest.mark.parametrize("slow", SLOW)
def test_a_dump_in_order_is_checked_without(slow: str, imported: set[str]) -> None:
    assert slow not in imported


def test_a_report_that_suggests_commands_is_plain_without_rich() -> None:
    """rich ends the program with 1 where nobody reads the output, and its import takes long."""
    shuffled = SAMPLES / "small" / "after_alias.mlir"
    assert "rich" not in imported_by("check", "--fail-on", "never", str(shuffled))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_help_page_reads_and_orders_nothing(command: str) -> None:
    rooms = ("eio_audit.mlir.reading.", "eio_audit.order.", "eio_audit.audit.check.")
    assert [module for module in imported_by(command, "--help") if module.startswith(rooms)] == []


def test_the_version_needs_the_package_alone() -> None:
    """Without the site, which may have imported anything."""
    command = [sys.executable, "-S", "-X", "importtime", "-m", "eio_audit", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "eio_audit.cli.main" in imported
    assert imported.isdisjoint({"typing", "re", "dataclasses", "pathlib", "click"})
