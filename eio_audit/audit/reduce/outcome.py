"""How a run of a compiler ended, so that two runs can be compared: without names and numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from eio_audit.audit.bisect.compiler_command import CompilerRun

_ERROR = re.compile(rb"(?m)^.*?\b(?:error|Error|ERROR): (.*)$")
_ASSERTION = re.compile(rb"(?m)^.*(Assertion .* failed.*)$|^.*(\bLLVM ERROR: .*)$|^.*(\bUNREACHABLE .*)$")
_FRAME = re.compile(rb"(?m)^ *#\d+ 0x[0-9a-f]+ ([\w:~<][^(\n]*?)(?:\(|\+0x| /)")
_HANDLERS = re.compile(rb"llvm::sys::|SignalHandler|PrintStackTrace|^(?:abort|raise|gsignal|__)")
_NAMES = re.compile(rb"%[\w$.#-]+|@(?:[\w$.-]+|\"[^\"]*\")|\^[\w$.-]+|0x[0-9a-fA-F]+|-?\d+")


def without_names(text: bytes) -> str:
    """Return a message with a sign for each name of a value, symbol or block, and each number.

    >>> without_names(b"operand #1 of 'a.b' uses %arg3 (@main)")
    "operand #_ of 'a.b' uses _ (_)"
    """
    return _NAMES.sub(b"_", text).decode("utf-8", "replace").strip()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, without names and numbers."""

    kind: str  # `fails`, `crashes`, `hangs`, or `succeeds`
    what: str = ""  # the error, or where it crashed

    def __str__(self) -> str:
        """Return ``crashes: signal 6, Assertion `x' failed``."""
        return f"{self.kind}: {self.what}" if self.what else self.kind


def outcome_of(run: CompilerRun) -> Outcome:
    """Return how a run ended."""
    code = run.exit_code
    text = run.messages_at_ends if code else b""
    if code < 0 or code > 128:
        number = -code if code < 0 else code - 128
        said = _ASSERTION.search(text)
        frames = (frame[1].strip() for frame in _FRAME.finditer(text))
        frame = next((frame for frame in frames if not _HANDLERS.search(frame)), b"")
        where = next(filter(None, said.groups()), b"") if said else frame
        return Outcome("crashes", ", ".join(filter(None, (f"signal {number}", without_names(where)))))
    if code:
        error = _ERROR.search(text)
        return Outcome("fails", without_names(error[1]) if error else f"exit code {code}")
    return Outcome("succeeds")
