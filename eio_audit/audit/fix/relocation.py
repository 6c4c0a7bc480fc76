"""Gives ops other locations, and proves that nothing but these changed."""

from __future__ import annotations

from collections.abc import Mapping

from eio_audit.audit.fix.reading_again import VerificationError, read_same
from eio_audit.mlir.ir import IR
from eio_audit.mlir.rewriting.locations import with_locations
from eio_audit.mlir.source import Span, splice


def relocated(old: IR, locations: Mapping[int, bytes], what: str, alias: bytes) -> IR:
    """The dump read again with other locations of some ops; all else is the same to the byte.

    Args:
        old: the dump.
        locations: by op, what is inside of its ``loc(...)`` then.
        what: how messages call the new text: ``stamped``.
        alias: what new aliases begin with (see ``with_locations``).

    Raises:
        VerificationError: read again, the text has other ops or values, a location is not the one given, or
            with the old locations it is not the old text.
    """
    text, added = with_locations(old, locations, alias)
    new = read_same(old, text, what)
    if any(location not in _locations(new, op) for op, location in locations.items()):
        raise VerificationError("a location is not the one that was to be written")
    edits = []
    for op in locations:
        start, end, own = new.location_start[op], new.op_end[op], old.location_text(op)
        edits.append((Span(start - len(" loc("), end), b"") if own is None else (Span(start, end - 1), own))
    without = splice(text, Span(0, len(text) - len(added)), edits)
    if not text.endswith(added) or without != old.dump_text:
        raise VerificationError("more changed than the locations that were to change")
    return new


def _locations(ir: IR, op: int) -> tuple[bytes | None, bytes | None]:
    """The text of an op's location, and what it is defined as if it is an alias."""
    text = ir.location_text(op)
    definition = ir.aliases.get(text or b"")
    return text, ir.source.data[definition.start : definition.end] if definition else None
