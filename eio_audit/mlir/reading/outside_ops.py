"""The text at top level that belongs to no op and to no alias: what of it may have a meaning."""

from __future__ import annotations

import re

from eio_audit.mlir.aliases import without_definitions
from eio_audit.mlir.ir import IR
from eio_audit.mlir.tokens import FILE_METADATA

_UNREAD = re.compile(
    rb"^[ \t]*+(?:(?:[A-Za-z_][\w$]*+\.[\w$.]*+(?=[ \t(<{\[@]|\r?$)|func (?:\w++ )?@)[^\n]*+"
    rb"(?:\n[ \t]++\S[^\n]*+)*|\{-#[^\n]*+(?:\n[^\n]*+)*)",
    re.MULTILINE,
)
"""A line that begins like an op, with indented lines below it, or metadata that is not closed.

A compiler's log has few such lines."""


def meaning_outside_ops(ir: IR) -> list[bytes]:
    """Return the metadata of a dump, and the lines at top level that may be ops which were not read."""
    found = []
    for text in _gaps(ir):
        found += FILE_METADATA.findall(text)
        rest = FILE_METADATA.sub(b"", text)
        if _UNREAD.search(rest):
            found += [line.strip() for line in _UNREAD.findall(without_definitions(rest)[1])]
    return found


def _gaps(ir: IR) -> list[bytes]:
    """Return the texts before, between and after the ops at top level."""
    ops = ir.block_ops[0] if ir.block_count else ()
    starts = [ir.span.start, *(ir.op_end[op] for op in ops)]
    ends = [*(ir.op_start[op] for op in ops), ir.span.end]
    return [ir.source.data[start:end] for start, end in zip(starts, ends, strict=True)]
