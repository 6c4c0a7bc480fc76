"""The size of a value in bytes, by its type: for a tensor or memref, its shape times the element width.

Layouts, padding, alignment and shared buffers do not count. A value of another type, such as an integer, a
vector or a device, has size 0. The size of a dynamic shape or of an unknown type is unknown.

Generic assembly gives all types. For custom assembly, here is what the printers of custom assembly do, so
that a program has the same sizes in every form.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import NamedTuple

from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.semantics.value_types import (
    Storage,
    block_argument_types,
    dialect_type,
    result_types,
    result_types_in,
)
from eio_audit.mlir.tokens import closing_end, list_parts, match_end, nesting, split_list, without_strings

SHAPED = re.compile(rb"(tensor|memref|vector|tuple|complex)<")
"""The start of a type with brackets of the builtin dialect."""
DIMENSION = re.compile(rb"\s*(\d+|\?|\*|\[\d+\])\s*x")
"""One extent of a shape."""

_NAME = re.compile(rb"!?[\w$.-]+")
_VALUE = re.compile(rb"%[\w$.-]+(?:#\d+)?")
_INITIAL = re.compile(rb"\s*=\s*(?P<value>%)?")
"""What follows the name of an argument that begins with a value or a number."""
_SEPARATOR = re.compile(rb"(?:(?:^|\s):\s|->\s*|\sto\s|\sinto\s)")
_OUTS = re.compile(rb"\bouts\(")
_HAS_NUMBERS = re.compile(
    r"(?:index|smt)\..*|vector\.(?!transfer_write|type_cast|mask|yield).*|(?:memref|tensor)\.(?:dim|rank)"
    r"|memref\.extract_aligned_pointer_as_index"
)
"""Ops whose results are numbers, vectors of numbers or the like."""


def shown_result_types(ir: IR, op: int, count: int) -> list[bytes] | None:
    """Return the types of the ``count`` results of an op in custom assembly, or None if they are not certain.

    They are the types after ``->``, else after the last ``to``, ``into`` or colon. A destination-style op has
    them in ``outs(...)``. An op in ``_HIDDEN`` gets its result's type from the one that it shows. One type
    counts for all results. If operands and results share the last types, there must be one for each result.
    """
    name = ir.name(op)
    if _HAS_NUMBERS.fullmatch(name):
        return [b"index"] * count
    text = _text_with_types(ir, op)
    types, is_result = _last_types(text)
    if not types:  # a listed op omits only types that are fixed, and no shaped type is
        return [b"index"] * count if name in ir.op_table.rows else None
    if hidden := _HIDDEN.get(name):
        return [hidden(ir.expanded(types[0]).strip())] * count
    if len(types) == 1:
        return types * count
    is_certain = len(types) == count and is_result
    return types if is_certain or len(set(types)) == 1 == count else None


def _last_types(text: bytes) -> tuple[list[bytes], bool]:
    """Return the last types of a text, and whether they are after an arrow."""
    bare = _without_brackets(text)
    separators = list(_SEPARATOR.finditer(bare))
    arrows = [match for match in separators if b"->" in match[0]]
    outs = _OUTS.search(bare)
    if outs is not None and not arrows:
        types = text[outs.end() : closing_end(text, outs.end() - 1) - 1].rpartition(b" : ")[2]
    elif separators:
        start = (arrows or separators)[-1].end()
        types = text[start : next((m.start() for m in separators if m.start() > start), len(text))].strip()
    else:
        return [], False
    if types.startswith(b"("):
        types = types[1 : closing_end(types, 0) - 1]
    return list(map(first_type, split_list(types))), bool(arrows)


def _text_with_types(ir: IR, op: int) -> bytes:
    """Return the part of a custom text that may show result types: after its regions or before them."""
    if ir.subtree_end[op] == op + 1:
        return without_strings(ir.bare_text(op))
    tail = without_strings(ir.tail(op).partition(b" loc(")[0])[1:]
    if _SEPARATOR.search(_without_brackets(tail)) or _OUTS.search(tail):
        return tail
    header = ir.source.data[ir.op_start[op] : ir.header_end(op)]
    return without_strings(header).rstrip(b" \t\r\n{")


def first_type(text: bytes) -> bytes:
    """Return the type that a text begins with, without attributes or a location after it."""
    text = text.strip()
    name = _NAME.match(text)
    end = name.end() if name is not None else 0
    return text[: closing_end(text, end) if text[end : end + 1] == b"<" else end]


def _element(shaped: bytes) -> bytes:
    """Return the element type of a shaped type, which memref.load shows instead of its result's."""
    return next(list_parts(_without_dimensions(shaped)), b"")


def _truth(compared: bytes) -> bytes:
    """Return the type of a comparison: ``i1``, in the shape of what is compared."""
    inside = SHAPED.match(compared)
    if inside is None:
        return b"i1"
    element = _without_dimensions(compared)
    first = next(list_parts(element), b"")
    return compared[: len(compared) - len(element) - 1] + b"i1" + element[len(first) :] + b">"


def _without_dimensions(shaped: bytes) -> bytes:
    """Return what a shaped type has between its dimensions and its last bracket."""
    start = shaped.find(b"<") + 1
    while (match := DIMENSION.match(shaped, start)) is not None:
        start = match.end()
    return shaped[start:-1]


def _without_brackets(text: bytes) -> bytes:
    """Return a text of the same length with spaces in its outermost brackets."""
    parts, done, depth_before = list[bytes](), 0, 0
    for token, depth in nesting(text):
        if depth > 0 and not depth_before:
            parts.append(text[done : token.end()])
            done = token.end()
        elif not depth and depth_before:
            parts.append(b" " * (token.start() - done))
            done = token.start()
        depth_before = max(depth, 0)
    return b"".join([*parts, text[done:]])


_HIDDEN: Mapping[str, Callable[[bytes], bytes]] = {
    **dict.fromkeys(("affine.load", "memref.generic_atomic_rmw", "memref.load", "tensor.extract"), _element),
    **dict.fromkeys(("arith.cmpf", "arith.cmpi"), _truth),
}
"""By op whose result has another type than custom assembly shows, the type of the result by the one shown."""


class HeaderArgument(NamedTuple):
    """An argument of a region, without a shown type.

    ``scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<4xf32>) {`` shows no type of ``%i`` and
    ``%a``. But they have the types of ``%c0`` and ``%t``.

    Attributes:
        initial: the value that it begins with, and whose type it has; -1 if the header names none.
        is_number: whether it begins with a number, such as the variable of ``affine.for %i = 0 to 4``.
    """

    initial: int = -1
    is_number: bool = False


def header_arguments(ir: IR, block: int) -> Sequence[HeaderArgument]:
    """Return what the header says of each argument of a block without a label. Empty if it does not fit."""
    parent, arguments = ir.parent_op(block), ir.block_arguments.get(block, [])
    if parent < 0 or not arguments or ir.regions_of[parent][0] != ir.block_region[block]:
        return ()
    start, end = ir.op_start[parent], ir.region_start[ir.block_region[block]]
    names = ir.argument_names[bisect_left(ir.argument_names, start) : bisect_left(ir.argument_names, end)]
    text = without_strings(ir.source.data[start:end], keeps_length=True)
    shown = [start + match.start() for match in _VALUE.finditer(text)][len(ir.results(parent)) :]
    operands = dict(zip([at for at in shown if at not in set(names)], ir.operands_of(parent), strict=False))
    if len(names) != len(arguments):
        return ()
    found = []
    for name in names:
        after = _INITIAL.match(text, match_end(_VALUE, text, name - start))
        initial = operands.get(start + after.start("value"), -1) if after and after["value"] else -1
        found.append(HeaderArgument(initial, is_number=after is not None and not after["value"]))
    return found


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

    def of_each(self, ops: Iterable[int]) -> Iterator[Sequence[ValueSize]]:
        """Yield ``of_results`` for several ops. Most of these have a function type that others have, too."""
        ir, data = self._ir, self._ir.source.data
        known: dict[tuple[int, bytes], Sequence[ValueSize]] = {}
        for op in ops:
            start, end = ir.op_start[op], ir.location_start[op]
            if not ir.op_is_generic[op] or ir.subtree_end[op] > op + 1 or end == NO_OFFSET:
                yield self.of_results(op)
                continue
            key = self._result_counts[op], data[max(data.rfind(b" : (", start, end), start) : end]
            sizes = known.get(key)
            if sizes is None:
                known[key] = sizes = self.of_results(op)
            yield sizes

    @cached_property
    def _result_counts(self) -> Counter[int]:
        """By op, how many results it has."""
        return Counter(self._ir.value_owner)

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
    return NO_SIZE if name is not None and dialect_type(name[0]) is Storage.PLAIN else UNKNOWN_SIZE


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
