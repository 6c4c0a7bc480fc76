"""The names of a dump's values in its text, and the text with other names."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import Reader
from eio_audit.mlir.reading.scopes import Mentions
from eio_audit.mlir.source import Source, Span, splice
from eio_audit.mlir.traits import OpTable

_NAME = re.compile(rb"%([\w$.-]+)")


class ValueNames:
    """The named values of a dump. Results under one name count as the first.

    Attributes:
        ir: the dump, as read.
        names: by value, its name without the percent sign.
        definitions: by value, the byte offset where its name is defined.
        same: by header argument that also means an outer value, that value.

    Raises:
        InputError: the dump cannot be read.
    """

    def __init__(self, source: Source, span: Span, op_table: OpTable) -> None:
        self._mentions = Mentions()
        self.ir = Reader(source, span, op_table, mentions=self._mentions).read()
        self.definitions, self.same = self._mentions.definitions, self._mentions.same
        self._offsets = sorted(self._mentions.values)
        self.names: dict[int, str] = {}
        for value, offset in self.definitions.items():
            match = _NAME.match(source.data, offset)
            assert match
            self.names[value] = match[1].decode("ascii")

    def text_with(
        self, names: Mapping[int, str], span: Span | None = None, *, without: Iterable[Span] = ()
    ) -> bytes:
        """Return the text of the dump, or of a span of it, with other names for some values.

        An argument in ``same`` gets the new name of its outer value. The spans in ``without`` are left out.
        """
        offsets, (start, end) = self._offsets, span or self.ir.span
        edits = [(left_out, b"") for left_out in without]
        for offset in offsets[bisect_left(offsets, start) : bisect_left(offsets, end)]:
            value = self._mentions.meaning(offset)
            if value in names:
                old_end = offset + 1 + len(self.names[value])
                edits.append((Span(offset, old_end), b"%" + names[value].encode()))
        return splice(self.ir.source.data, Span(start, end), edits)


def names_apart(values: ValueNames) -> bytes:
    """Return the dump's text with ``_`` and a number after inner names that are also defined later outside.

    Such a name means only the inner value. But if the outer definition moved up, the two would clash. If the
    outer definition comes first, the name depends on what is visible in the region, so it stays.

    Complexity: linear in the text, and in the values times their nesting depth.
    """
    defined: dict[int, dict[str, int]] = {}  # by region and name: the offset
    for value, name in values.names.items():
        defined.setdefault(values.ir.region_of(value), {})[name] = values.definitions[value]
    taken, others = set(values.names.values()), dict[int, str]()
    for value, name in values.names.items():
        around = [
            defined.get(region, {}) for region in _regions_around(values.ir, values.ir.region_of(value))
        ]
        outer = [offset_of[name] for offset_of in around if name in offset_of]
        if value not in values.same and outer and min(outer) > values.definitions[value]:
            candidates = (f"{name}_{number}" for number in count())
            others[value] = next(candidate for candidate in candidates if candidate not in taken)
            taken.add(others[value])
    return values.text_with(others)


def _regions_around(ir: IR, region: int) -> Iterator[int]:
    """Yield the outer regions whose values are visible in a region, innermost first."""
    while (op := ir.region_op[region]) >= 0:
        if "isolated" in ir.op_table.flags(ir.name(op)):
            return
        region = ir.block_region[ir.op_block[op]]
        yield region
