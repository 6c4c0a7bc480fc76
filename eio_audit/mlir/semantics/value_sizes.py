"""The size of a value in bytes, by its type: for a tensor or memref, its shape times the element width.

Layouts, padding, alignment and shared buffers do not count. A value of another type, such as an integer, a
vector or a device, has size 0. The size of a dynamic shape or of an unknown type is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.shown_types import (
    DIMENSION,
    SHAPED,
    HeaderArgument,
    first_type,
    header_arguments,
    shown_result_types,
)
from eio_audit.mlir.semantics.value_types import block_argument_types, result_types, result_types_in
from eio_audit.mlir.tokens import split_list
from eio_audit.mlir.traits import types_of_kind

_DIALECT_TYPE = re.compile(rb"![\w$.-]+")
_SCALAR = re.compile(rb"(?:[su]?i(?P<bits>\d{1,9})|index|none|(?:b|t)?f(?P<float>\d{1,3})\w*)")
_TILE = re.compile(rb"!ttcore\.tile<(?P<rows>\d{1,9})x(?P<columns>\d{1,9}),\s*(?P<element>\w+)>")
_LOOPS = frozenset(("affine.parallel", "gpu.launch", "scf.forall", "scf.parallel"))
"""Ops whose arguments are indices where the header gives them neither a type nor a value."""
_BLOCK_FLOATS = {b"8": 1088, b"4": 576, b"2": 320}
"""By width in bits, the bytes of 1,024 numbers. Groups of 16 share an exponent of 8 bits."""


@dataclass(frozen=True, slots=True)
class ValueSize:
    """The size of a value: ``bytes``, or None if unknown. ``is_address``: it points there, as a memref."""

    bytes: int | None
    is_address: bool = False


NO_SIZE = ValueSize(0)
UNKNOWN_SIZE = ValueSize(None)


class ValueSizes:
    """The sizes of the values of one dump.

    Complexity: linear in the texts of the ops that are asked for. Each type is parsed once.
    """

    def __init__(self, ir: IR) -> None:
        self._ir = ir
        self._of_type: dict[bytes, ValueSize] = {}
        self._of_block: dict[int, list[ValueSize | HeaderArgument]] = {}
        self._of_signature: dict[bytes, list[ValueSize] | None] = {}

    def of_results(self, op: int) -> Sequence[ValueSize]:
        """Return the size of each result of an op."""
        count = self._ir.result_count(op)
        if not count:
            return ()
        if self._ir.op_is_generic[op]:
            sizes = self._generic(op)
        else:
            sizes = self._sizes(shown_result_types(self._ir, op, count))
        return sizes if sizes is not None and len(sizes) == count else [UNKNOWN_SIZE] * count

    def of_arguments(self, block: int) -> Sequence[ValueSize]:
        """Return the size of each argument of a block: by its type, or by the value that it begins with."""
        return [
            self._of_value(shown.initial) if isinstance(shown, HeaderArgument) else shown
            for shown in self._arguments(block)
        ]

    def _arguments(self, block: int) -> list[ValueSize | HeaderArgument]:
        if block not in self._of_block:
            self._of_block[block] = self._read_arguments(block)
        return self._of_block[block]

    def _read_arguments(self, block: int) -> list[ValueSize | HeaderArgument]:
        types, count = block_argument_types(self._ir, block), len(self._ir.block_arguments.get(block, ()))
        if len(types) == count:
            return [UNKNOWN_SIZE if text is None else self.of_type(first_type(text)) for text in types]
        is_loop = self._ir.name(self._ir.parent_op(block)) in _LOOPS
        shown = header_arguments(self._ir, block) or [HeaderArgument()] * count
        return [
            one if one.initial >= 0 else NO_SIZE if one.is_number or is_loop else UNKNOWN_SIZE
            for one in shown
        ]

    def _of_value(self, value: int) -> ValueSize:
        """Return the size of a value. An argument may begin with an argument of the block around it."""
        ir = self._ir
        while (owner := ir.value_owner[value]) < 0:
            shown = self._arguments(-1 - owner)[value - ir.block_arguments[-1 - owner][0]]
            if not isinstance(shown, HeaderArgument):
                return shown
            value = shown.initial
        return self.of_results(owner)[value - ir.first_result[owner]]

    def of_type(self, text: bytes) -> ValueSize:
        """Return the size of a value whose type has this text."""
        text = text.strip()
        if text not in self._of_type:
            self._of_type[text] = _size(self._ir.expanded(text).strip())
        return self._of_type[text]

    def _generic(self, op: int) -> list[ValueSize] | None:
        ir = self._ir
        if ir.subtree_end[op] > op + 1:
            return self._sizes(result_types(ir, op))
        text = ir.bare_text(op)
        signature = text[max(text.rfind(b" : ("), 0) :]
        if signature not in self._of_signature:
            self._of_signature[signature] = self._sizes(result_types_in(signature))
        return self._of_signature[signature]

    def _sizes(self, types: Sequence[bytes] | None) -> list[ValueSize] | None:
        return None if types is None else list(map(self.of_type, types))


def _size(text: bytes) -> ValueSize:
    """Return the size of a type. Its aliases are expanded, except one that refers to itself."""
    shaped = SHAPED.match(text)
    if shaped is not None and text.endswith(b">"):
        inside = text[shaped.end() : -1]
        if shaped[1] in (b"tensor", b"memref"):
            return ValueSize(_shaped_bytes(inside), is_address=shaped[1] == b"memref")
        if shaped[1] != b"tuple":
            return NO_SIZE
        sizes = [_size(part).bytes for part in split_list(inside)]
        return UNKNOWN_SIZE if None in sizes else ValueSize(sum(filter(None, sizes)))
    if _SCALAR.fullmatch(text):
        return NO_SIZE
    name = _DIALECT_TYPE.match(text)
    is_plain = name is not None and name[0][1:].decode("utf-8", "replace") in types_of_kind("plain")
    return NO_SIZE if is_plain else UNKNOWN_SIZE


def _shaped_bytes(inside: bytes) -> int | None:
    dimensions, offset = list[bytes](), 0
    while (match := DIMENSION.match(inside, offset)) is not None:
        dimensions.append(match[1])
        offset = match.end()
    if not all(map(bytes.isdigit, dimensions)):
        return None
    element, *rest = split_list(inside[offset:]) or [b""]
    return _element_bytes(element, prod(map(int, dimensions)), rest)


def _element_bytes(element: bytes, count: int, rest: Sequence[bytes]) -> int | None:
    """Return the bytes of ``count`` elements. ``rest`` is an encoding or memory space after the element type.

    The shape of a tensor with a ``ttnn_layout`` counts numbers, although its element type is a tile.
    """
    if (tile := _TILE.fullmatch(element)) is not None:
        is_by_number = any(part.startswith(b"#ttnn.ttnn_layout<") for part in rest)
        numbers = count if is_by_number else count * int(tile["rows"]) * int(tile["columns"])
        return _tile_bytes(tile["element"], numbers)
    shaped = SHAPED.match(element)
    if shaped is not None and shaped[1] in (b"vector", b"complex") and element.endswith(b">"):
        inside = element[shaped.end() : -1]
        if shaped[1] == b"complex":
            return _element_bytes(inside.strip(), 2 * count, ())
        of_one = _shaped_bytes(inside)
        return None if of_one is None else count * of_one
    width = _width(element)
    return None if width is None else count * width


def _width(element: bytes) -> int | None:
    """Return the bytes of one number, or None for another type. Fewer than eight bits take a byte."""
    match = _SCALAR.fullmatch(element)
    if match is None or element == b"none":
        return None
    bits = 64 if element == b"index" else int(match["bits"] or match["float"])
    return -(-bits // 8)


def _tile_bytes(element: bytes, numbers: int) -> int | None:
    """Return the bytes of ``numbers`` numbers in tiles. In ``bfp_bf8`` and similar, 16 share an exponent."""
    if element.startswith(b"bfp_"):
        of_1024 = _BLOCK_FLOATS.get(element[-1:])
        return None if of_1024 is None else -(-numbers * of_1024 // 1024)
    width = _width(b"i" + element[1:] if element.startswith(b"u") else element)
    return None if width is None else numbers * width
