"""What a value is, by its type: plain, the content of a buffer, or the address of memory.

The type is read where the value is defined: in the trailing function type of generic assembly, in a block
label, or in a custom header. Custom assembly does not show which of its types is the result's, so a value may
be of any of them, or of a type inside one: ``memref.load`` shows the memref alone. An op without a row may
hide any type. What the definition leaves open, a use may show: the function type of an op in generic
assembly, or an op on numbers. What nothing shows may be anything, and so may a type of an unknown dialect.
"""

from __future__ import annotations

import re
from enum import IntFlag
from functools import cached_property
from weakref import WeakKeyDictionary

from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import decoded
from eio_audit.mlir.tokens import (
    closing_end,
    generic_attributes,
    list_parts,
    nesting,
    outermost_brackets,
    without_strings,
)
from eio_audit.mlir.traits import UNLISTED, types_of_kind

OPAQUE_CALLS = frozenset(("emitc.call_opaque", "emitpy.call_opaque"))
"""Ops that name what they call in a string."""
_OPAQUE_TENSOR = pattern(
    rb'!emitpy\.opaque<"\[?ttnn\.Tensor\]?">|!emitc\.opaque<"(?:(?:::)?ttnn::Tensor|(?:::)?std::vector<(?:::)?ttnn::Tensor>)">'
)
OPAQUE_DEVICE = pattern(
    rb'!emitpy\.opaque<"ttnn\.(?:Mesh)?Device">|!emitc\.ptr<!emitc\.opaque<"(?:::)?ttnn::distributed::MeshDevice">>'
)
"""The types of tt-metal in Python and C++: a tensor or several, and a device."""
_TYPE = pattern(
    rb"(?<![\w$.@#%!^])(?:(?P<dialect>!(?:[\w$.]|-(?!>))+)|(?P<shaped>tensor|memref|vector|tuple|complex)(?=<)"
    rb"|(?P<plain>(?:[su]?i[0-9]+|index|none|b?f[0-9]\w*|tf32)(?![\w$.])))"
)
_DIALECT_TYPE = pattern(rb"!(?:[\w$.]|-(?!>))+")
_PARENTHESIS = pattern(rb"\s*\(")
_SPACE = pattern(rb"(?<!\s)(?<!\"\")(?:\s|\"\")+<")
"""The parser takes spaces and comments before the bracket of a type. Comments are empty strings here."""
_DIMENSION = pattern(rb"(?<=[0-9?*\]])x")
_ARROW = pattern(rb"\s*->\s*")
_ARGUMENT = pattern(rb"(%[\w$.-]+)(?:#[0-9]+)?(\s*:)?")
_UNNAMED_TYPE = pattern(rb"(?::|->|\bto)\s*<")
"""A type without its name, as in ``emitc.load %p : <i32>``. Only types of pointers are printed like this."""
_UNKNOWN_EXTENT = pattern(rb"\?|<\s*\*\s*x")
_UNKNOWN_ALIAS = pattern(rb"![\w$-]+(?![\w$.<-])")
_ON_NUMBERS = ("arith.", "complex.", "index.", "math.")
"""Dialects whose ops in custom assembly show the type of every operand that is not an index or ``i1``."""
_HIDES_TENSOR = frozenset({"bufferization.to_tensor"})
"""Listed ops whose result is a tensor that custom assembly may hide: MLIR 20 prints the memref alone."""
_INTEGER = rb"(?:index|i([0-9]+))"
_NUMBER = pattern(rb"\s*(-?[0-9]+)\s*:\s*" + _INTEGER + rb"\s*")
_INTEGER_TYPE = pattern(rb"\s*" + _INTEGER + rb"\s*")
_CONSTANT = pattern(
    rb"[^=]*=\s*(?:arith\.constant(?P<arith>\s.*)|llvm\.mlir\.constant\s*\((?P<llvm>[^()]*)\)\s*:(?P<type>.*))",
    re.DOTALL,
)
"""A constant in custom assembly, without its attributes: the literal, and a type if that may be another."""
_SHAPED = pattern(rb"\s*(?:tensor|memref)<((?:(?:[0-9]+|\?)x)*)(?:index|[su]?i[0-9]+|b?f[0-9]\w*)>")
_LIST = rb"\s*\[([0-9,\s]*)\]"
_SLICE = pattern(rb"[^=]*=\s*[\w.]+\s+%[\w$.-]+(?:#[0-9]+)?" + _LIST * 3 + rb"\s*:")
_STATIC = pattern(rb"array<i64:?([0-9,\s]*)>")
_INDEX_WIDTH = 32  # the least that a target may choose
_FALSE = pattern(rb"[^=]*=\s*torch\.constant\.bool\s+false\s*")
_FLOAT = pattern(rb"b?f[0-9]|tf32")
_ELEMENTWISE_KIND = pattern(rb"[^=]*=\s*linalg\.elementwise\s+kind\s*=\s*#linalg\.elementwise_kind<(\w+)>")
_CONSTANTS: WeakKeyDictionary[IR, dict[int, int | None]] = WeakKeyDictionary()
"""By dump, the numbers of its constants that were asked for. Many ops may use one."""
_DIVISION = pattern(r"arith\.(?:ceildiv|div|floordiv|rem)[su]i")


class Storage(IntFlag):
    """The kind of memory that a value may be. An unknown value has both flags."""

    PLAIN = 0
    """No memory: an integer, a float, a vector."""
    CONTENT = 1
    """The content of a buffer: a tensor. Every op that uses the value reads the buffer."""
    ADDRESS = 2
    """The address of memory: a memref, a pointer. Only ops that declare it read the memory."""
    ANYTHING = 3


class ValueTypes:
    """The storage of the values of one dump.

    Complexity: linear in the texts of the ops whose values are asked for. Each text is read once.
    """

    def __init__(self, ir: IR) -> None:
        self._ir = ir
        self._of_owner: dict[int, list[Storage] | Storage] = {}
        self._of_type: dict[tuple[bytes, bool], Storage] = {}
        self._by_uses: dict[int, Storage] = {}

    def of(self, value: int) -> Storage:
        """Return what the value may be."""
        storage = self._by_definition(value)
        if storage is not Storage.ANYTHING:
            return storage
        if value not in self._by_uses:
            self._by_uses[value] = self._shown_by_uses(value)
        return self._by_uses[value]

    def _by_definition(self, value: int) -> Storage:
        owner = self._ir.value_owner[value]
        if owner not in self._of_owner:
            self._of_owner[owner] = self._results(owner) if owner >= 0 else self._arguments(-1 - owner)
        known = self._of_owner[owner]
        if isinstance(known, Storage):
            return known
        first = self._ir.first_result[owner] if owner >= 0 else self._ir.block_arguments[-1 - owner][0]
        return known[value - first] if value - first < len(known) else Storage.ANYTHING

    @cached_property
    def has_unknown_types(self) -> bool:
        """Whether the dump contains a dialect type about which nothing is known."""
        names = set(_DIALECT_TYPE.findall(self._ir.dump_text)) - self._ir.aliases.keys()
        return any(dialect_type(name) is Storage.ANYTHING for name in names)

    def _results(self, op: int) -> list[Storage] | Storage:
        ir = self._ir
        if ir.op_is_generic[op] or ir.name(op) in OPAQUE_CALLS:
            types = result_types(ir, op)
            return Storage.ANYTHING if types is None else list(map(self._of_text, types))
        return self._of_custom(ir.bare_text(op), op)

    def _of_text(self, text: bytes, *, inside: bool = False) -> Storage:
        """Return what the types in a text may be, with ``inside`` those in their brackets as well.

        Strings and comments do not count.
        """
        if (text, inside) not in self._of_type:
            self._of_type[text, inside] = _storage(self._ir.expanded(text), inside=inside)
        return self._of_type[text, inside]

    def _of_custom(self, text: bytes, op: int) -> Storage:
        """Return what a value that a custom text defines may be. A listed op omits only what others fix."""
        name, table = self._ir.name(op), self._ir.op_table
        if table.of(name) is UNLISTED or table.is_own(name):
            return Storage.ANYTHING
        unnamed = Storage.ADDRESS if _UNNAMED_TYPE.search(text) else Storage.PLAIN
        hidden = Storage.CONTENT if name in _HIDES_TENSOR else Storage.PLAIN
        return self._of_text(text, inside=True) | unnamed | hidden

    def _shown_by_uses(self, value: int) -> Storage:
        """Return what the first use that shows the value's type says, or ANYTHING."""
        ir = self._ir
        for op in self._users.get(value, ()):
            operands = list(ir.operands_of(op))
            if ir.op_is_generic[op]:
                types = operand_types(ir, op)
                if types is not None and len(types) == len(operands):
                    return self._of_text(types[operands.index(value)])
            elif ir.name(op).startswith(_ON_NUMBERS) and not self._of_text(ir.bare_text(op)):
                return Storage.PLAIN
        return Storage.ANYTHING

    @cached_property
    def _users(self) -> dict[int, list[int]]:
        """By value, the ops that use it themselves."""
        users: dict[int, list[int]] = {}
        for op in range(len(self._ir)):
            for value in self._ir.operands_of(op):
                users.setdefault(value, []).append(op)
        return users

    def _arguments(self, block: int) -> list[Storage] | Storage:
        """Return the storage of each block argument, or one for all if a header does not give each a type."""
        ir = self._ir
        types = block_argument_types(ir, block)
        is_labelled, parent = ir.block_label[block] != NO_OFFSET, ir.parent_op(block)
        if is_labelled or (len(types) == len(ir.block_arguments.get(block, ())) and all(types)):
            return [self._of_text(text) if text else Storage.ANYTHING for text in types]
        return Storage.ANYTHING if parent < 0 else self._of_custom(block_header_text(ir, block), parent)


def _storage(text: bytes, *, inside: bool) -> Storage:
    """Return what the types in a text may be. A tuple or tensor of what is no number is that as well.

    Args:
        text: the types, without strings and comments.
        inside: whether the types in the brackets of a type count too.
    """
    text = _DIMENSION.sub(b" ", _SPACE.sub(b"<", text))
    storage, offset, has_tuple = Storage.PLAIN, 0, False
    while (match := _TYPE.search(text, offset)) is not None and storage != Storage.ANYTHING:
        offset = match.end()
        if match["dialect"]:
            storage |= dialect_type(match["dialect"])
            if not inside and text[offset : offset + 1] == b"<":
                offset = closing_end(text, offset)
        elif match["shaped"] in (b"tensor", b"memref"):
            storage |= Storage.CONTENT if match["shaped"] == b"tensor" else Storage.ADDRESS
            storage |= _storage(next(list_parts(text, offset + 1), b""), inside=inside)
            offset = closing_end(text, offset)
        has_tuple |= match["shaped"] == b"tuple"
    return storage | Storage.CONTENT if has_tuple and storage else storage


def dialect_type(name: bytes) -> Storage:
    """Return what a value of a dialect's type, such as ``!llvm.ptr``, may be."""
    full = decoded(name[1:])
    kinds = ("plain", "content", "address")
    return next((Storage[kind.upper()] for kind in kinds if full in types_of_kind(kind)), Storage.ANYTHING)


class DynamicShapes:
    """Which ops of one dump have a shape that is known only when the program runs (``?``).

    For an elementwise op, "shape may be dynamic in which case the op's behaviour is undefined" if extents do
    not match (OpDefinition.h), and most other ops promise something about the shapes of their operands too.

    Custom assembly shows as many types as the parser needs to know those of all operands. So an op's own text
    tells its shapes, unless it shows no type at all; then the definitions of its operands do.

    Complexity: linear in the texts of the ops that are asked for and of the definitions of their operands.
    """

    def __init__(self, ir: IR) -> None:
        self._ir = ir
        self._may_be = _is_dynamic(ir.dump_text)
        self._of_owner: dict[int, bool] = {}

    def shown_by(self, op: int) -> bool:
        """Whether the op's operands or results may have a dynamic shape."""
        if not self._may_be:
            return False  # an alias that the dump defines is defined with its extents
        text = self._ir.expanded_text(op)
        if _is_dynamic(text):
            return True
        if self._ir.op_is_generic[op] or _TYPE.search(_without_dictionaries(text)):
            return False
        return any(map(self._is_defined_dynamic, self._ir.operands_of(op)))

    def _is_defined_dynamic(self, value: int) -> bool:
        owner = self._ir.value_owner[value]
        if owner not in self._of_owner:
            ir = self._ir
            text = ir.bare_text(owner) if owner >= 0 else block_header_text(ir, -1 - owner)
            self._of_owner[owner] = _is_dynamic(ir.expanded(text))
        return self._of_owner[owner]


def _is_dynamic(text: bytes) -> bool:
    """Whether a text shows an unknown extent or rank, or an alias of a type that the dump does not define."""
    return _UNKNOWN_EXTENT.search(text) is not None or _UNKNOWN_ALIAS.search(text) is not None


def result_types(ir: IR, op: int) -> list[bytes] | None:
    """Return the result types of an op in generic assembly, or None if it shows no function type.

    A location may follow the types.
    """
    text = _typed_text(ir, op)
    start = _function_type(text)
    if start < 0:
        return None
    arrow = _ARROW.match(text, closing_end(text, start))
    if arrow is None:
        return None
    if text[arrow.end() : arrow.end() + 1] == b"(":
        return [*list_parts(text, arrow.end() + 1)]
    return [text[arrow.end() :].partition(b" loc(")[0]]


def operand_types(ir: IR, op: int) -> list[bytes] | None:
    """Return the operand types of an op in generic assembly, or None if it shows no function type."""
    text = _typed_text(ir, op)
    start = _function_type(text)
    return None if start < 0 else [*list_parts(text, start + 1)]


def _typed_text(ir: IR, op: int) -> bytes:
    """Return the text of an op from its last region on, bare."""
    return _bare(ir.tail(op) if ir.subtree_end[op] > op + 1 else ir.text(op))


def _bare(text: bytes) -> bytes:
    """Return a text without strings. The types of tt-metal, which are strings, become those of ``ttnn``."""
    if b"opaque<" in text:
        text = OPAQUE_DEVICE.sub(b"!ttnn.device", _OPAQUE_TENSOR.sub(b"tensor<*xf32>", text))
    return without_strings(text)


def _function_type(text: bytes) -> int:
    """Return where the parenthesis of the trailing function type opens, or -1."""
    start = -1
    for token, depth in nesting(text):
        if token[0] == b":" and depth <= 0 and (paren := _PARENTHESIS.match(text, token.end())):
            start = paren.end() - 1
    return start


def block_argument_types(ir: IR, block: int) -> list[bytes | None]:
    """Return the types of a block's arguments from its label or the header around it.

    An argument without a type has None. Only for a function need a header name all arguments.
    """
    header = _bare(block_header_text(ir, block))
    types: dict[bytes, bytes | None] = {}
    for match in _ARGUMENT.finditer(header):
        name, is_typed = match.groups()
        types.setdefault(name, next(list_parts(header, match.end()), b"") if is_typed else None)
    return list(types.values())


def block_header_text(ir: IR, block: int) -> bytes:
    """Return a block's label with its arguments, or its op's header. Empty at top level."""
    if ir.block_label[block] != NO_OFFSET:
        return ir.block_header(block)
    parent = ir.parent_op(block)
    if parent < 0:
        return b""
    return ir.source.data[ir.op_start[parent] : ir.region_start[ir.block_region[block]]]


def shown_storage(ir: IR, op: int) -> Storage:
    """Return what the types that the op's text shows may be together. ANYTHING if it shows none."""
    text = ir.expanded_text(op)
    is_clear = _TYPE.search(text) is not None and _UNNAMED_TYPE.search(text) is None
    return _storage(text, inside=True) if is_clear else Storage.ANYTHING


def cannot_trap(ir: IR, op: int, shapes: DynamicShapes) -> bool:
    """Whether the op may run where it was not run before, though others of its name may not.

    The payload of an op of ``linalg`` may be printed without its operands. Such an op may trap.
    """
    name, operands = ir.name(op), ir.operands_of(op)
    if _DIVISION.fullmatch(name):  # by -1 it may overflow
        return len(operands) == 2 and (constant(ir, operands[1]) or 0) > 0
    if name == "scf.for":  # with a step of one it ends, whatever its bounds are
        return len(operands) > 2 and constant(ir, operands[2]) == 1
    if name == "tensor.dim":
        return len(operands) == 2 and constant(ir, operands[1]) in range(len(extents_of(ir, op, 0) or ()))
    if name == "tensor.extract":
        extents, indices = extents_of(ir, op, 0) or (), [constant(ir, value) for value in operands[1:]]
        return len(extents) == len(indices) and all(
            k in range(end) for k, end in zip(indices, extents, strict=True)
        )
    if name in ("memref.subview", "tensor.extract_slice"):
        return len(operands) == 1 and _is_slice_in_bounds(ir, op)
    divides = "divides" in ir.op_table.flags(name)
    if divides and _may_divide_integers(ir, op):
        return False
    if name.startswith("linalg.") and b"memref" in ir.expanded_text(op):
        return False
    is_verified_if_static = name.startswith(("linalg.", "tensor.collapse_shape", "tensor.expand_shape"))
    return (divides or is_verified_if_static) and not shapes.shown_by(op)


def _may_divide_integers(ir: IR, op: int) -> bool:
    """Whether an op that divides elements may get integers. No float traps.

    Generic assembly shows the payload of an op of ``linalg``, which counts for itself.
    """
    if ir.op_is_generic[op] and ir.name(op).startswith("linalg."):
        return False
    text = _DIMENSION.sub(b" ", _SPACE.sub(b"<", ir.expanded_text(op)))
    kind = _ELEMENTWISE_KIND.match(text)
    if kind is not None and not kind[1].startswith(b"div") and b"kind" not in dict(attributes_of(ir, op)):
        return False
    elements = [match for match in _TYPE.finditer(text) if not match["shaped"]]
    are_floats = all(_FLOAT.match(one[0]) or one[0] == b"!ttcore.tile" for one in elements)
    return not elements or not are_floats


def constant(ir: IR, value: int) -> int | None:
    """Return the number that a value is, if its definition shows one, and no negative one as ``255 : i8``.

    It is the literal, or the property ``value``. No other attribute says what it is.
    """
    owner = ir.value_owner[value]
    if owner < 0 or ir.name(owner) not in ("arith.constant", "llvm.mlir.constant"):
        return None
    known = _CONSTANTS.setdefault(ir, {})
    if owner not in known:
        known[owner] = _shown_number(ir, owner)
    return known[owner]


def _shown_number(ir: IR, owner: int) -> int | None:
    literals = [literal for name, literal in attributes_of(ir, owner) if name == b"value"]
    types = result_types(ir, owner) or [] if ir.op_is_generic[owner] else []
    if not ir.op_is_generic[owner] and not literals:
        match = _CONSTANT.fullmatch(_without_dictionaries(ir.expanded_text(owner)))
        literals = [match["arith"] or match["llvm"]] if match else []
        types = [match["type"] or match["arith"].rpartition(b":")[2]] if match else []
    number = _NUMBER.fullmatch(literals[0]) if len(literals) == 1 else None
    of_type = _INTEGER_TYPE.fullmatch(ir.expanded(types[0])) if len(types) == 1 else None
    if number is None or of_type is None:
        return None
    width = min(int(bits or _INDEX_WIDTH) for bits in (number[2], of_type[1]))
    return int(number[1]) if int(number[1]) < 1 << (width - 1) else None


def is_false(ir: IR, value: int) -> bool:
    """Whether the value is the constant false of ``torch``."""
    owner = ir.value_owner[value]
    if owner < 0 or ir.name(owner) != "torch.constant.bool":
        return False
    values = [value for name, value in attributes_of(ir, owner) if name == b"value"]
    if ir.op_is_generic[owner]:
        return values == [b"false"]
    return not values and _FALSE.fullmatch(_without_dictionaries(ir.expanded_text(owner))) is not None


def attributes_of(ir: IR, op: int) -> list[tuple[bytes, bytes]]:
    """Return (name, value) of the properties and attributes of an op.

    In custom assembly these are the ones in braces. MLIR may prefer them to what the text says elsewhere.
    """
    text = ir.alias_texts.expanded(ir.bare_text(op))
    if ir.op_is_generic[op]:
        return generic_attributes(text)
    return generic_attributes(b"()" + text) if b"{" in text else []


def _without_dictionaries(text: bytes) -> bytes:
    """Return the custom text of an op without the attributes in braces that precede its type."""
    if b"{" not in text:
        return text
    kept, offset = list[bytes](), 0
    for start, end, opening in outermost_brackets(text):
        if opening == b"{":
            kept.append(text[offset:start])
            offset = end
    return b" ".join((*kept, text[offset:]))


def extents_of(ir: IR, op: int, number: int) -> list[int] | None:
    """Return the extents of an operand, in custom assembly those of the first type shown. -1 is for ``?``."""
    if ir.op_is_generic[op]:
        types = operand_types(ir, op) or []
        text = ir.expanded(types[number]) if number < len(types) else b""
    else:
        text = ir.expanded_text(op)
        if text.count(b":") > 1:  # a type may have some, too
            colons = [token.start() for token, depth in nesting(text) if token[0] == b":" and not depth]
            text = text[colons[-1] :] if colons else b""
        text = text.partition(b":")[2]
    match = _SHAPED.match(text)
    return [-1 if extent == b"?" else int(extent) for extent in match[1].split(b"x")[:-1]] if match else None


def _is_slice_in_bounds(ir: IR, op: int) -> bool:
    """Whether offsets, sizes and strides are numbers that keep the slice in its source."""
    text, extents = ir.expanded_text(op), extents_of(ir, op, 0)
    attributes = sorted(attributes_of(ir, op))  # offsets, sizes, strides
    shown = [_STATIC.fullmatch(value) for name, value in attributes if name.startswith(b"static_")]
    lists = [match[1] for match in shown if match]
    if not ir.op_is_generic[op] and not shown:
        match = _SLICE.match(_without_dictionaries(text))
        lists = list(match.groups()) if match else []
    numbers = [[int(number) for number in one.replace(b",", b" ").split()] for one in lists]
    if extents is None or [len(one) for one in numbers] != [len(extents)] * 3:
        return False
    sides = zip(*numbers, extents, strict=True)
    return all(size > 0 and offset + (size - 1) * stride < end for offset, size, stride, end in sides)
