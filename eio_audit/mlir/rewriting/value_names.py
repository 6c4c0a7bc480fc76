"""The names that a dump's values have in its text, and the text with other ones."""

from __future__ import annotations

import re
from collections.abc import Mapping

from eio_audit.mlir.reading.reader import Reader
from eio_audit.mlir.reading.scopes import Mentions
from eio_audit.mlir.source import Source, Span, splice
from eio_audit.mlir.traits import OpTable

_NAME = re.compile(rb"%([\w$.-]+)")


class ValueNames:
    """The values that a dump names; results under one name count as the first.

    Args:
        source: the file.
        span: where the dump is in it.
        op_table: what it is read with.

    Raises:
        InputError: the dump cannot be read.

    Attributes:
        ir: what is read.
        names: by value its name, without the percent sign.
        definitions: by value the byte offset where its name is defined.
        same: by an argument that an op's header names like a value outside, that value.
    """

    def __init__(self, source: Source, span: Span, op_table: OpTable) -> None:
        self._mentions = Mentions()
        self.ir = Reader(source, span, op_table, mentions=self._mentions).read()
        self.definitions, self.same = self._mentions.definitions, self._mentions.same
        self.names: dict[int, str] = {}
        for value, offset in self.definitions.items():
            match = _NAME.match(source.data, offset)
            assert match
            self.names[value] = match[1].decode("ascii")

    def text_with(self, names: Mapping[int, str]) -> bytes:
        """The dump's text with other names of some values; what is named like a value outside follows it."""
        edits = []
        for start, mentioned in self._mentions.values.items():
            value = mentioned
            while value in self.same:
                value = self.same[value]
            if value in names:
                old_end = start + 1 + len(self.names[value])
                edits.append((Span(start, old_end), b"%" + names[value].encode("ascii")))
        return splice(self.ir.source.data, self.ir.span, edits)
