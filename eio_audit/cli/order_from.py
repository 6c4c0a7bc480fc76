"""``--order-from``: the dump whose order is the original one."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections import deque
from itertools import islice
from pathlib import Path

import click

from eio_audit import Dump, InputError, source_name
from eio_audit.cli.inputs import NO_IR, dumps_of_run, read_dumps

FIRST = "first"
"""The value for the first dump of the input."""

_NUMBERED = re.compile(r"(?P<log>.+):(?P<number>[1-9][0-9]{0,8})", re.DOTALL)


def original_dump(value: str) -> Dump:
    """Return the dump that a value of ``--order-from`` selects.

    ``first`` is the first dump of the command's own input. ``LOG:3`` is the third of a log or a folder. Any
    other value is a file with one dump.

    Raises:
        InputError: the file cannot be read, has no such dump, or has several and no number is given.
    """
    if value == FIRST:
        return _dump_of(_first_input(), 1)
    numbered = _NUMBERED.fullmatch(value)
    if numbered and not Path(value).exists():
        return _dump_of(numbered["log"], int(numbered["number"]))
    dumps = read_dumps(value, "take the original order from")
    if len(dumps) > 1:
        message = f"there are {len(dumps):,} dumps: choose one, as in --order-from {value}:1"
        raise InputError(source_name(value), None, message)
    return dumps[0]


def _dump_of(path: str, number: int) -> Dump:
    """Return a dump of a file or a folder, counted from 1. Later dumps are not read."""
    last = deque(enumerate(islice(dumps_of_run(path), number), 1), maxlen=1)
    if path == "-":
        sys.stdin.seek(0)
    if not last:
        raise InputError(source_name(path), None, NO_IR)
    [(found, dump)] = last
    if found < number:
        message = f"--order-from: there is no dump {number:,}, only {found:,}"
        raise InputError(source_name(path), None, message)
    return dump


def _first_input() -> str:
    """Return the command's first input. Standard input is saved to a file, so that it can be read twice."""
    values = click.get_current_context().params
    paths = values.get("paths") or [values.get("path") or values.get("before")]
    path: str = paths[0]
    if path == "-" and not sys.stdin.seekable():
        with tempfile.TemporaryFile() as kept:
            shutil.copyfileobj(sys.stdin.buffer, kept)
            kept.seek(0)
            os.dup2(kept.fileno(), sys.stdin.fileno())
        sys.stdin = os.fdopen(sys.stdin.fileno(), closefd=False)
    if Path(path).is_fifo():
        message = (
            "--order-from first reads it twice, and a pipe can be read once: give it as standard input, -"
        )
        raise InputError(source_name(path), None, message)
    return path
