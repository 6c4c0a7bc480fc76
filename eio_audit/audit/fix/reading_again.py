"""Read the result of a rewrite again before it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.rewriting.writer import with_locations
from eio_audit.mlir.source import InputError, Source, Span, printable, printable_lines, splice
from eio_audit.mlir.traits import OpTable

Reader = Callable[[Source, None, OpTable], IR]
"""What reads a text that was written: ``read_ir``. Only tests pass another one."""

_STRUCTURE = (
    *("op_block", "subtree_end", "first_result"),
    *("operand_start", "operands", "late_operands"),
    *("value_owner", "block_region", "region_op"),
)
"""The fields that define a dump's structure, without texts and names."""


class VerificationError(Exception):
    """A rewrite failed its verification. It must not be written.

    Attributes:
        message: what is wrong, one line.
        details: the errors of a compiler that refused it, in several lines. Empty without one.
    """

    def __init__(self, message: str, details: str = "") -> None:
        self.message = printable(message)
        self.details = printable_lines(details)
        super().__init__("\n".join(filter(None, [self.message, self.details])))

    def __reduce__(self) -> tuple[object, ...]:
        """All that it was made of, for another process."""
        return VerificationError, (self.message, self.details)


def read_again(old: IR, text: bytes, what: str, read: Reader = read_ir) -> IR:
    """Return the IR read from the new text of a dump. Messages describe the text as ``what`` (``rewritten``).

    Raises:
        VerificationError: the text cannot be read.
    """
    try:
        return read(Source(f"{what} {old.source.name}", text), None, old.op_table)
    except InputError as error:
        raise VerificationError(f"the {what} text cannot be read: {error}") from error


def read_same(old: IR, text: bytes, what: str) -> IR:
    """Return the IR, which must have the same ops in the same blocks, defining and using the same values.

    Raises:
        VerificationError: the text cannot be read, or the structure differs.
    """
    new = read_again(old, text, what)
    if any(getattr(new, column) != getattr(old, column) for column in _STRUCTURE):
        raise VerificationError(f"the {what} text has different operations or uses different values")
    return new


def relocated(old: IR, locations: Mapping[int, bytes], what: str, alias: bytes) -> IR:
    """Return the dump, read again with new locations for some ops. All else is the same to the byte.

    Args:
        old: the dump.
        locations: by op, the new text inside its ``loc(...)``.
        what: how messages describe the new text: ``stamped``.
        alias: the prefix of new aliases (see ``with_locations``).

    Raises:
        VerificationError: as for ``read_relocated``.
    """
    return read_relocated(old, locations, what, *with_locations(old, locations, alias))


def read_relocated(old: IR, locations: Mapping[int, bytes], what: str, text: bytes, added: bytes) -> IR:
    """Return the IR read from a text that must be the dump with new locations, and the text ``added`` below.

    Raises:
        VerificationError: the new text has other ops or values or an unexpected location, or is not the old
            text with the old locations.
    """
    new = read_same(old, text, what)
    written = ((location, new.location_text(op) or b"") for op, location in locations.items())
    if any(location not in (own, new.definition(own)) for location, own in written):
        raise VerificationError("a location is not the intended one")
    edits = []
    for op in locations:
        start, end, own = new.location_start[op], new.op_end[op], old.location_text(op)
        edits.append((Span(start - len(" loc("), end), b"") if own is None else (Span(start, end - 1), own))
    without = splice(text, Span(0, len(text) - len(added)), edits)
    if not text.endswith(added) or without != old.dump_text:
        raise VerificationError("more than the intended locations changed")
    return new
