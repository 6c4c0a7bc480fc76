"""Run the commands of the documentation as a user's shell does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.tools import iree_opt

ROOT = Path(__file__).parent.parent


def install_tools(folder: Path) -> None:
    """Put ``eio-audit``, ``mlir-opt`` and ``python3`` into a new folder."""
    folder.mkdir()
    for name, command in (
        ("eio-audit", f"{sys.executable} -m eio_audit"),
        ("mlir-opt", iree_opt()),
        ("python3", sys.executable),
    ):
        (folder / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (folder / name).chmod(0o755)


def run_script(
    script: str, folder: Path, tools: Path, *, options: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a bash script in a folder. Standard output and error are merged, as on a terminal."""
    kept = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR", "COLUMNS")}
    path = f"{tools}:{kept['PATH']}"
    return subprocess.run(
        ["bash", *options.split(), "-c", script],
        cwd=folder,
        env={**kept, "PATH": path, "PYTHONPATH": str(ROOT), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=600,  # a loaded machine is slow; only what hangs takes so long
    )
