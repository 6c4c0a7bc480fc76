"""Tells values apart that have one name, once ops move.

A value in a nested region may have the name of a value that is defined around that region, but behind it:
the name means nothing else yet. Moved up, the outer definition would clash with it. Where the outer one
stands before it, what the name means depends on what is visible in the region: it is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import Reader
from eio_audit.mlir.reading.scopes import Mentions
from eio_audit.mlir.source import Source, Span, splice
from eio_audit.mlir.traits import UNLISTED, OpTable

_NAME = re.compile(rb"%[\w$.-]+")


def names_apart(source: Source, span: Span, op_table: OpTable) -> bytes:
    r"""The dump's text with ``_`` and a number behind names in regions that are defined behind them too.

    Args:
        source: the file.
        span: where the dump stands in it.
        op_table: what it is read with.

    Raises:
        InputError: the dump cannot be read.

    Complexity: linear in the text, and in the values times how deep they are nested.
    """
    mentions = Mentions()
    ir = Reader(source, span, op_table, mentions=mentions).read()
    names = {value: _name_at(source, offset) for value, offset in mentions.definitions.items()}
    defined: dict[int, dict[bytes, int]] = {}
    for value, name in names.items():
        defined.setdefault(_region_of(ir, value), {})[name] = mentions.definitions[value]
    taken, others = set(names.values()), dict[int, bytes]()
    for value, name in names.items():
        around = [defined.get(region, {}) for region in _regions_around(ir, _region_of(ir, value))]
        outer = [names_there[name] for names_there in around if name in names_there]
        if value not in mentions.same and outer and min(outer) > mentions.definitions[value]:
            candidates = (b"%s_%d" % (name, number) for number in count())
            others[value] = next(candidate for candidate in candidates if candidate not in taken)
            taken.add(others[value])
    edits = [
        (Span(start, start + len(_name_at(source, start))), others[value])
        for start, value in mentions.values.items()
        if value in others
    ]
    return splice(source.data, span, edits)


def _name_at(source: Source, offset: int) -> bytes:
    match = _NAME.match(source.data, offset)
    assert match
    return match[0]


def _region_of(ir: IR, value: int) -> int:
    owner = ir.value_owner[value]
    return ir.block_region[ir.op_block[owner] if owner >= 0 else -1 - owner]


def _regions_around(ir: IR, region: int) -> Iterator[int]:
    """The regions around one whose values are visible in it, innermost first."""
    while (op := ir.region_op[region]) >= 0:
        if "isolated" in ir.op_table.rows.get(ir.name(op), UNLISTED).flags:
            return
        region = ir.block_region[ir.op_block[op]]
        yield region
