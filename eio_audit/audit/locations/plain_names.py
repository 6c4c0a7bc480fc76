"""The fields of the names that most locations are, read without parsing a location."""

from __future__ import annotations

import re
from array import array

from eio_audit.audit.locations.index_pattern import OPS_AT_ONCE
from eio_audit.mlir.ir import IR

OTHER = -1
"""Stands for the text of an op whose location is no plain name."""

_NAMES = re.compile(
    rb'"(DEBUG\|)?(-?[0-9]{1,9})\|([^"\\\n\0]*)\|[0-9]{1,9}\|[^"|\\\n\0]++"\0|[^\0]*+\0',
)
"""Texts of locations: of a plain name a prefix, the index, and the text up to the line; of others nothing."""


class PlainNames:
    """The names ``index|...|line|op`` of a dump's ops, by column.

    A plain name has all these fields, no child, and nothing around it.

    Attributes:
        texts: what is between the index and the line of the op, each text once.
        text: per op, the number of its text; OTHER if its location is no plain name.
        op_index: per op, its index, which may be negative; 0 for OTHER.
        has_prefix: per op, whether ``DEBUG|`` precedes its index.
    """

    def __init__(self, ir: IR) -> None:
        self.text = array("i")
        self.op_index = array("i")
        self.has_prefix = bytearray()
        numbers = {b"": OTHER}
        for start in range(0, len(ir), OPS_AT_ONCE):
            ops = range(start, min(start + OPS_AT_ONCE, len(ir)))
            found = _NAMES.findall(b"\0".join([*ir.location_texts(ops), b""]))
            if len(found) != len(ops):  # a location contains a zero byte
                found = [(b"", b"", b"")] * len(ops)
            prefixes, indices, texts = zip(*found, strict=True)
            for text in dict.fromkeys(texts):
                numbers.setdefault(text, len(numbers) - 1)
            self.text.extend(map(numbers.__getitem__, texts))
            self.op_index.extend(map(int, indices if all(indices) else [index or 0 for index in indices]))
            self.has_prefix.extend(map(bool, prefixes))
        del numbers[b""]
        self.texts = list(numbers)
