"""Puts names around the locations of ops: ``loc("name"(...))``, everything else being left to the byte."""

from __future__ import annotations

from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.source import Span, splice

_PRINTED_AS_IS = frozenset(range(0x20, 0x7F)) - frozenset(b'"\\')


def quoted(text: str) -> bytes:
    r"""A string literal as MLIR prints it: what is not printable ASCII as its bytes in hexadecimal.

    >>> quoted('a"b')
    b'"a\\22b"'
    """
    raw = text.encode("utf-8", "surrogateescape")
    return b'"%s"' % b"".join(b"%c" % byte if byte in _PRINTED_AS_IS else b"\\%02X" % byte for byte in raw)


class NamedLocations:
    """Names to be put around locations of one dump's ops.

    A name's child must be defined above it, unlike an op's own location, and MLIR prints aliases below their
    uses. So the name around such an alias becomes an alias too, at the end of the dump:
    ``#stamp7 = loc("DEBUG|7|..."(#loc))``.

    Args:
        ir: the dump.
        alias: what the new aliases begin with (``#stamp``); with underscores where others begin so.
    """

    def __init__(self, ir: IR, alias: bytes) -> None:
        self._ir = ir
        self._prefix = alias
        while any(other.startswith(self._prefix) for other in ir.aliases):
            self._prefix += b"_"
        self._edits: list[tuple[Span, bytes]] = []
        self._definitions: list[bytes] = []

    def add(self, op: int, name: bytes, child: bytes | None = None) -> None:
        """Names an op's location.

        Args:
            op: which.
            name: a string literal.
            child: what stands inside the name if the op was printed without a location.
        """
        ir, end = self._ir, self._ir.op_end[op]
        location = ir.location_text(op)
        if location is None:
            inside = b"" if child is None else b"(%s)" % child
            self._edits.append((Span(end, end), b" loc(%s%s)" % (name, inside)))
        elif self._is_defined_below(location, end):
            alias = b"%s%d" % (self._prefix, len(self._definitions))
            self._edits.append((Span(ir.location_start[op], end - 1), alias))
            self._definitions.append(b"%s = loc(%s(%s))" % (alias, name, location))
        else:
            start = ir.location_start[op]
            self._edits += [(Span(start, start), name + b"("), (Span(end - 1, end - 1), b")")]

    def replace(self, op: int, name: bytes) -> None:
        """Gives an op a name for a location, in place of the one that it was printed with."""
        start = self._ir.location_start[op]
        assert start != NO_OFFSET
        self._edits.append((Span(start, self._ir.op_end[op] - 1), name))

    def text(self) -> bytes:
        """The dump's text with these locations."""
        data, span = self._ir.source.data, self._ir.span
        edits = self._edits[:]
        if self._definitions:
            edits.append((Span(span.end, span.end), self.definitions()))
        return splice(data, span, edits)

    def definitions(self) -> bytes:
        """What stands behind the dump's own text: the new aliases, a line each; nothing without any."""
        if not self._definitions:
            return b""
        data, span = self._ir.source.data, self._ir.span
        first_end = data.find(b"\n", span.start, span.end)
        line_end = b"\r\n" if data[first_end - 1 : first_end] == b"\r" else b"\n"
        is_whole = data[max(span.start, span.end - 1) : span.end] == b"\n"
        return (b"" if is_whole else line_end) + b"".join(d + line_end for d in self._definitions)

    def _is_defined_below(self, location: bytes, offset: int) -> bool:
        definition = self._ir.aliases.get(location.strip())
        return definition is not None and definition.start > offset
