"""The user's own compiler, which reads the result of a fix before it is written.

It gets the text of one dump on standard input, and accepts it with exit code 0. What it prints on standard
output is dropped. Its errors are shown with the ops of the input that they name.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import tempfile
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread

from eio_audit.audit.command import run_command
from eio_audit.audit.fix.verification import Orders, VerificationError, in_new_order
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import InputError, Source

DEFAULT_TIMEOUT = 300.0  # the seconds that a compiler may take to read one text
MAX_ERROR_BYTES = 1 << 16  # how much is read of a compiler's errors

MOST_LINES, LONGEST_LINE = 12, 240
"""How much of a compiler's errors is shown: so many lines, of so many bytes each."""
MOST_PLACES = 5

_PLACE = re.compile(
    rb'(?:<stdin>|/dev/stdin|(?<![\w.-])-):(\d{1,9})(?::(\d{1,9}))?(?=:)|\bloc\(("(?:[^"\\\n]|\\.)*")'
)
"""``<stdin>:3:8:``, or an op's own location as MLIR prints it: ``loc("name")``."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A command that reads IR on standard input, such as ``("mlir-opt", "-")``. No shell runs it."""

    command: Sequence[str]  # the program and its arguments
    timeout: float = DEFAULT_TIMEOUT  # the seconds that it may take to read one dump

    @property
    def name(self) -> str:
        """The command in messages."""
        return f"`{shlex.join(self.command)}`"

    def must_accept(self, old: IR, orders: Orders, text: bytes) -> None:
        """Let the compiler read ``text``, which is ``old`` in other orders, without blank lines above it.

        If it refuses the text, it reads the old one too: the reason may be there already.

        Raises:
            InputError: the compiler cannot be run, or does not read the text to its end.
            VerificationError: it refuses the text, or takes too long. The details are its errors, and the ops
                of ``old`` that they name.
        """
        text, old_text = (given.lstrip(b"\r\n") for given in (text, old.dump_text))
        try:
            if (refusal := self._refusal(text)) is None:
                return
            before = None if refusal.is_late else self._refusal(old_text)
        except OSError as error:
            message = f"cannot run {self.name}: {error.strerror or error}"
            raise InputError(old.source.name, None, message) from error
        except _UnreadError as error:
            message = f"{self.name} ends with exit code 0, but does not read all of its standard input"
            raise InputError(old.source.name, None, message) from error
        read, ops = text, in_new_order(old, orders)[0]
        message = f"{self.name} {refusal.how}"
        if before is not None and not before.is_late:
            message = f"{message}; it refuses the input as well"
            refusal, read, ops = before, old_text, list(range(len(old)))
        new = read_ir(Source(old.source.name, read), None, old.op_table)
        details = [*first_lines(refusal.errors), *lines_of_input(refusal.errors, new, old, ops)]
        raise VerificationError(f"{message}:", "\n".join(details))

    def _refusal(self, text: bytes) -> _Refusal | None:
        """Return why the compiler does not accept a text, or None if it does.

        Raises:
            OSError: it cannot be run.
            _UnreadError: it accepts the text without reading it.
        """
        reading, writing = os.pipe()
        writer = Thread(target=_write, args=(writing, text))
        with os.fdopen(reading, "rb") as stdin, tempfile.TemporaryFile() as stderr:
            writer.start()
            try:
                code = run_command(self.command, self.timeout, stdin=stdin, stderr=stderr)
                is_read = not stdin.read()
            except TimeoutError:
                code = None
            finally:
                stdin.close()  # the writer ends, whether all is read or not
                writer.join()
            stderr.seek(0)
            errors = stderr.read(MAX_ERROR_BYTES)
        if code is None:
            return _Refusal(f"did not read the result within {self.timeout:g} seconds", errors, is_late=True)
        if code < 0:
            return _Refusal(f"dies on the result with {_signal_name(-code)}", errors)
        if code > 0:
            return _Refusal(f"refuses the result with exit code {code}", errors)
        if not is_read:
            raise _UnreadError
        return None


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Why a text was not accepted."""

    how: str
    errors: bytes  # what the compiler printed
    is_late: bool = False  # whether it took too long


class _UnreadError(Exception):
    """The compiler ended with exit code 0, but left a part of the text."""


def _signal_name(number: int) -> str:
    return next((known.name for known in signal.Signals if known == number), f"signal {number}")


def _write(pipe: int, text: bytes) -> None:
    """Write the text and close the pipe, or stop where nobody reads on."""
    with suppress(BrokenPipeError), os.fdopen(pipe, "wb") as file:
        file.write(text)


def first_lines(errors: bytes) -> list[str]:
    """Return the first lines of a compiler's errors. Long lines are cut."""
    lines = errors.decode("utf-8", "replace").rstrip().split("\n")
    shown = [
        line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}..." for line in lines[:MOST_LINES]
    ]
    if len(lines) > MOST_LINES:
        shown.append(f"... ({len(lines) - MOST_LINES:,} more lines)")
    return shown if errors.strip() else ["(it printed no error)"]


def lines_of_input(errors: bytes, new: IR, old: IR, ops: Sequence[int]) -> list[str]:
    """Return which ops of the input the errors name: ``<stdin>:3:8 is my.op, in the input at a.mlir:7``.

    Args:
        errors: what the compiler printed about the text of ``new``.
        new: the text that the compiler read.
        old: the input.
        ops: by op of ``new``, the same op of ``old``.
    """
    found: dict[int, bytes] = {}
    for place in _PLACE.finditer(errors):
        line, column, name = place.groups()
        for op in _ops_called(name, new) if name else _ops_at(int(line), int(column or 1), new):
            found.setdefault(ops[op], place[0].removeprefix(b"loc("))
        if len(found) >= MOST_PLACES:
            break
    return [
        f"{place.decode('utf-8', 'replace')} is {old.name(op)}, in the input at "
        f"{old.source.name}:{old.source.line_at(old.op_start[op])}"
        for op, place in list(found.items())[:MOST_PLACES]
    ]


def _ops_called(name: bytes, ir: IR) -> Iterator[int]:
    """Yield the ops with this name, quotes included, as the outermost of their location."""
    for op in range(len(ir)):
        location = ir.location_text(op) or b""
        if (ir.definition(location) or location).startswith(name):
            yield op


def _ops_at(line: int, column: int, ir: IR) -> Iterator[int]:
    """Yield the op at a place of the text, if there is one: a 1-based line, and a 1-based column in bytes."""
    data, offset = ir.source.data, 0
    for _ in range(line - 1):
        offset = data.find(b"\n", offset) + 1
        if not offset:
            return
    offset += column - 1
    op = bisect_right(ir.op_start, offset) - 1
    while op >= 0 and offset >= ir.op_end[op]:
        op = ir.parent_op(ir.op_block[op])
    if op >= 0:
        yield op
