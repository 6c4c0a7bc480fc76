"""Runs the command as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SAMPLES = Path(__file__).parent.parent.parent / "sample_irs"


def run(*args: str | Path, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    kept = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR", "COLUMNS")}
    return subprocess.run(
        [sys.executable, "-m", "eio_audit", *map(str, args)],
        input=stdin,
        capture_output=True,
        env=kept | environment,
        check=False,
        timeout=60,
    )
