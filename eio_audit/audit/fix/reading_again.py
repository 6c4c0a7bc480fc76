"""Every rewrite reads its result again before it is written."""

from __future__ import annotations

from eio_audit.mlir.ir import IR
from eio_audit.mlir.printable import printable
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import InputError, Source


class VerificationError(Exception):
    """A rewrite did not pass its own verification; it must not be written."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


def read_again(old: IR, text: bytes, what: str) -> IR:
    """What is read from the text that a dump has become; messages call it ``what``, as in ``rewritten``.

    Raises:
        VerificationError: it cannot be read.
    """
    try:
        return read_ir(Source(f"{what} {old.source.name}", text), None, old.op_table)
    except InputError as error:
        raise VerificationError(f"the {what} text cannot be read: {error}") from error
