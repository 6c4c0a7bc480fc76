"""Tell which op a dump shows, and which one its pass ran on, without reading the dump."""

from __future__ import annotations

import re
from typing import NamedTuple

from eio_audit.mlir.input.dumps import Dump, start_of_first_op
from eio_audit.mlir.ir import symbol_in
from eio_audit.mlir.source import line_end

_NAME = re.compile(rb'(?:%[^=\n]*+= )?(?:"(?P<generic>[\w$.-]++)"\(|(?P<custom>[A-Za-z_][\w$.]*+))')
_LONGEST_HEADER = 1 << 16
"""How many bytes of an op may hold its symbol, from its start or to its end."""


class ShownOp(NamedTuple):
    """An op of a dump.

    Attributes:
        name: its name (``func.func``); empty if no line begins an op.
        symbol: its symbol (``@main``); None for a module of the builtin dialect or an op without one.
    """

    name: str
    symbol: str | None

    @property
    def label(self) -> str:
        """Its symbol, or its name if it has none. Empty for a module of the builtin dialect."""
        return self.symbol or ("" if self.name == _MODULE else self.name)


_MODULE = "builtin.module"


def shown_op(dump: Dump) -> ShownOp:
    """Return the op that a dump's pass ran on: the one that its marker names, else the outermost one."""
    marker = dump.marker
    if marker is not None and marker.op_name is not None:
        return ShownOp(marker.op_name, None if marker.op_name == _MODULE else marker.symbol)
    return outermost_op(dump)


def outermost_op(dump: Dump) -> ShownOp:
    """Return the first op of a dump's text. In a log of module scope, it is the module."""
    data, end = dump.source.data, dump.span.end
    start = start_of_first_op(dump.source, dump.span)
    match = _NAME.match(data, start, end)
    if match is None:
        return ShownOp("", None)
    header = data[start : min(line_end(data, start, end), start + _LONGEST_HEADER)]
    if match["generic"] is not None:
        name, tail = match["generic"], data[max(data.rfind(b"\n}", start, end), end - _LONGEST_HEADER) : end]
    else:
        name, tail, header = match["custom"], b"", header.partition(b"{")[0]
    text = _MODULE if name == b"module" else name.decode("utf-8", "replace")
    return ShownOp(text, None if text == _MODULE else symbol_in(header, tail))
