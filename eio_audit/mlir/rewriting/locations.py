"""Write new locations for some ops of a dump. Everything else stays the same, to the byte."""

from __future__ import annotations

from collections.abc import Mapping

from eio_audit.mlir.ir import IR
from eio_audit.mlir.source import Span, splice


def with_locations(ir: IR, locations: Mapping[int, bytes], alias: bytes) -> tuple[bytes, bytes]:
    """Return the dump's text with new locations for some ops, and its end, which defines new aliases.

    ``locations`` has, by op, the text inside its ``loc(...)``. MLIR prints aliases below their uses, but the
    child of a name must be defined above it, unlike an op's own location. So a name around such an alias
    becomes an alias at the end of the dump: ``#stamp7 = loc("DEBUG|7|..."(#loc))``. The names of new aliases
    begin with ``alias``, and underscores if others begin with that.
    """
    while any(other.startswith(alias) for other in ir.aliases):
        alias += b"_"
    edits: list[tuple[Span, bytes]] = []
    definitions: list[bytes] = []
    for op, location in locations.items():
        end, own = ir.op_end[op], ir.location_text(op)
        if own is None:
            edits.append((Span(end, end), b" loc(%s)" % location))
            continue
        definition = ir.aliases.get(own.strip())
        if definition and definition.start > end and location.endswith(b"(%s)" % own):
            name = b"%s%d" % (alias, len(definitions))
            definitions.append(b"%s = loc(%s)" % (name, location))
        else:
            name = location
        edits.append((Span(ir.location_start[op], end - 1), name))
    added = _lines(ir, definitions) if definitions else b""
    return splice(ir.source.data, ir.span, edits) + added, added


def _lines(ir: IR, definitions: list[bytes]) -> bytes:
    data, span = ir.source.data, ir.span
    first_end = data.find(b"\n", span.start, span.end)
    line_end = b"\r\n" if data[first_end - 1 : first_end] == b"\r" else b"\n"
    is_whole = data[max(span.start, span.end - 1) : span.end] == b"\n"
    return (b"" if is_whole else line_end) + b"".join(line + line_end for line in definitions)
