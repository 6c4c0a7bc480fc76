"""``--order-from``: the dump whose order is the original one."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import click

from eio_audit.cli.dump_choice import FIRST, DumpChoice
from eio_audit.cli.inputs import NO_IR, dumps_of_run, is_one_file, read_dumps
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.folders import find_dump_files
from eio_audit.mlir.source import InputError, source_name

_NUMBERED = re.compile(r"(?P<log>.+):(?P<number>[1-9][0-9]{0,8})", re.DOTALL)


def original_dump(value: str) -> Dump:
    """Return the dump that a value of ``--order-from`` selects.

    ``first`` is the first dump of the command's own input. ``LOG:3`` is the third of a log or a folder. Any
    other value is a file with one dump.

    Raises:
        InputError: the file cannot be read, has no such dump, or has several and no number is given.
    """
    original = _original_dump(value)
    _expect_another_dump(original, is_first=value == FIRST)
    return original


def _original_dump(value: str) -> Dump:
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


def _expect_another_dump(original: Dump, *, is_first: bool) -> None:
    """Check that the input is not the original order alone: compared with itself, it is always in order.

    Raises:
        InputError: it is.
    """
    some = False
    try:
        for dump in _input_dumps(reads_stdin=is_first):
            some = True
            if dump.line != original.line or not is_one_file(dump.source.name, original.source.name):
                return
    except InputError:  # the command says so
        return
    if some:
        message = (
            "--order-from: this dump would be compared with itself; give the input a dump after it, or take "
            "the order from a dump before it"
        )
        raise InputError(original.source.name, None, message)


def _input_dumps(*, reads_stdin: bool) -> Iterator[Dump]:
    """Yield the dumps of the command's input, one by one. Standard input is read again if it was saved."""
    values = click.get_current_context().params
    paths = values.get("paths") or filter(None, map(values.get, ("path", "before", "after", "log")))
    choice = DumpChoice(values.get("pass_name"), values.get("dump"))
    is_pair = "before" in values and not values.get("after")  # --pass names the pass between two dumps
    for path in paths:
        if path == "-" and not reads_stdin:
            raise InputError(source_name(path), None, "it can be read once")
        try:
            if choice.is_made and not is_pair:
                for file in find_dump_files(path):
                    yield from choice.of(read_dumps(file.path))
            else:
                yield from dumps_of_run(path)
        finally:
            if path == "-":
                sys.stdin.seek(0)


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
    if paths[0] is None:
        why = "this command reads no file; name the compiler's input, as in --order-from in.mlir"
        raise click.UsageError(f"--order-from first: {why}")
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
