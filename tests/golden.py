"""Expected output in files. ``UPDATE_GOLDENS=1 python -m pytest ...`` writes them; ``git diff`` shows what changed."""

import os
from pathlib import Path


def golden(text: str, path: Path) -> str:
    """Return what a file expects, which is ``text`` itself if it is to be written there."""
    if os.environ.get("UPDATE_GOLDENS"):
        path.write_text(text)
    return path.read_text()
