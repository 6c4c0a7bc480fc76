"""Two logs, or folders of dumps, that are runs of one compiler."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from eio_audit import Dump, find_dump_files, stream
from eio_audit.cli.inputs import max_size


def dumps_of_run(path: str) -> Iterator[Dump]:
    """The dumps of a log or a folder, one after the other."""
    for file in find_dump_files(path):
        program = str(Path(file.path).relative_to(path)) if Path(path).is_dir() else ""
        yield from stream(file.path, program, max_unpacked_bytes=max_size())


def is_run(path: str) -> bool:
    """Whether a path is a folder, or a file of several dumps."""
    return path != "-" and (Path(path).is_dir() or len(list(islice(dumps_of_run(path), 2))) > 1)
