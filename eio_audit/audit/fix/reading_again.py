"""Every rewrite reads its result again before it is written."""

from __future__ import annotations

from eio_audit.mlir.ir import IR
from eio_audit.mlir.printable import printable
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import InputError, Source

_STRUCTURE = (
    "op_block",
    "subtree_end",
    "first_result",
    "operand_start",
    "operands",
    "late_operands",
    "value_owner",
    "block_region",
    "region_op",
)
"""What tells two dumps apart but for texts and names."""


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


def read_same(old: IR, text: bytes, what: str) -> IR:
    """The same, where the dump has the same ops in the same blocks, which define and use the same values.

    Raises:
        VerificationError: it cannot be read, or has not.
    """
    new = read_again(old, text, what)
    if any(getattr(new, column) != getattr(old, column) for column in _STRUCTURE):
        raise VerificationError(f"the {what} text has other operations, or they use other values")
    return new
