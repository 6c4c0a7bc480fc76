"""Find the model's source files in this repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from eio_audit.mlir.source import InputError

if TYPE_CHECKING:
    from eio_audit.audit.locations.parsed_locations import ModelLine

_SEPARATOR = re.compile(r"[/\\]")


class SourceRoot:
    """The folder of the model's source here. The compiler recorded paths of another machine.

    Raises:
        InputError: there is no such folder.
    """

    def __init__(self, folder: str) -> None:
        self._root = Path(folder)
        self._found: dict[str, str | None] = {}
        if not self._root.is_dir():
            raise InputError(folder, None, "no such folder (--source-root)")

    def path_of(self, line: ModelLine | None) -> str | None:
        """Return the file below the root that shares the longest end with the recorded path.

        ``/build/7/net/model.py`` is ``ROOT/7/net/model.py`` if that exists, else ``ROOT/net/model.py``, else
        ``ROOT/model.py``, else None.
        """
        if line is None:
            return None
        if line.file not in self._found:
            parts = [part for part in _SEPARATOR.split(line.file) if part not in ("", ".")]
            tails = (parts[start:] for start in range(len(parts)) if ".." not in parts[start:])
            files = (self._root.joinpath(*tail) for tail in tails)
            self._found[line.file] = next((file.as_posix() for file in files if _is_file(file)), None)
        return self._found[line.file]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # not a valid file name
        return False
