"""The user's own compiler, which reads the result of a fix before it is written.

It gets the text of one dump on standard input, and accepts it with exit code 0. What it prints on standard
output is dropped.
"""

from __future__ import annotations

import os
import shlex
import signal
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread

from eio_audit.audit.command import run_command
from eio_audit.audit.fix.error_places import lines_of_input, shortened
from eio_audit.audit.fix.reading_again import VerificationError
from eio_audit.audit.fix.verification import Orders, in_new_order
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import InputError, Source

DEFAULT_TIMEOUT = 300.0
"""The seconds that a compiler may take to read one text."""

MAX_ERROR_BYTES = 1 << 16
"""How much is read of a compiler's errors."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A command that reads IR on standard input, such as ``("mlir-opt", "-")``. No shell runs it.

    Attributes:
        command: the program and its arguments.
        timeout: the seconds that it may take to read one dump.
    """

    command: Sequence[str]
    timeout: float = DEFAULT_TIMEOUT

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
        details = [*shortened(refusal.errors), *lines_of_input(refusal.errors, new, old, ops)]
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
    """Why a text was not accepted, and what the compiler printed. ``is_late``: it took too long."""

    how: str
    errors: bytes
    is_late: bool = False


class _UnreadError(Exception):
    """The compiler ended with exit code 0, but left a part of the text."""


def _signal_name(number: int) -> str:
    return next((known.name for known in signal.Signals if known == number), f"signal {number}")


def _write(pipe: int, text: bytes) -> None:
    """Write the text and close the pipe, or stop where nobody reads on."""
    with suppress(BrokenPipeError), os.fdopen(pipe, "wb") as file:
        file.write(text)
