"""The ops whose location is a name that code generation cannot read."""

from __future__ import annotations

from collections.abc import Iterator

from eio_audit.audit.check.check import AuditedDump
from eio_audit.audit.codegen.codegen_location import CodegenLocations, UnreadableLocation
from eio_audit.audit.codegen.codegen_ops import callers, codegen_ops


def unreadable_locations(dump: AuditedDump) -> Iterator[tuple[int, UnreadableLocation]]:
    """The ops, in textual order, of those that code generation makes functions of.

    Raises:
        InputError: a location is malformed.
    """
    locations = CodegenLocations(dump.indices.locations)
    for caller in callers(dump.ir):
        for op in codegen_ops(dump.ir, caller):
            read = locations.of(op)
            if isinstance(read, UnreadableLocation):
                yield op, read
