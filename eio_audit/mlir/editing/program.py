"""A program as objects that can be cut: ops, blocks and values; and its text.

The objects come from the program in generic assembly, which shows every type. An op that is not edited
is printed as it was: its template is its text, with places for the names of values and for regions. All else
is printed in generic assembly. Functions are the exception: their header and return change with nearly every
step, so ``func.func`` and ``func.return`` are printed as MLIR prints them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count, groupby
from typing import NamedTuple

from eio_audit.mlir.input.function_texts import Aliases
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.tokens import SYMBOL_USE, closing_end, list_parts, nesting

Attributes = dict[bytes, bytes]
"""Attributes by name. A unit has no value."""
Place = tuple[str, int, int]
"""What stands in a template: an operand, an argument of a region's first block, or a region, by numbers."""
Template = tuple[bytes | Place, ...]
_QUOTED_NAME = pattern(rb'"[A-Za-z_][\w$.-]*"')
SOURCE = "builtin.unrealized_conversion_cast"
"""Without operands, an op of any program that gives a value of any type."""
DECLARED = b"eio_audit_use"
"""What the names of functions begin with that keep a value used."""
RETURNING = {"func.func": 1 << 30, "llvm.func": 1}
"""How many values the functions return that may return others than they did."""


@dataclass(slots=True, eq=False)
class Value:
    """A result or an argument."""

    type: bytes
    name: bytes  # without the percent sign: `0`, or `0#1`
    attributes: bytes = b""  # of an argument of a function, in braces


@dataclass(slots=True, eq=False)
class Block:
    """A block."""

    name: bytes  # `^bb1`
    is_labelled: bool  # whether the text shows its label
    arguments: list[Value] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Op:
    """An op. What changes more than the values that it uses must call ``edited``."""

    name: str
    operands: list[Value]
    results: list[Value]
    successors: list[Block]
    properties: Attributes
    attributes: Attributes
    regions: list[list[Block]]
    location: bytes | None = None  # the text in `loc(...)`; None if it is not printed
    template: Template | None = None  # its text as printed; None if it has to be printed in generic form
    is_custom: bool = False  # whether it was printed in custom form
    hides_regions: bool = False  # whether its text as printed shows none of its regions
    is_implied: bool = False  # whether the text shows nothing of it: an elided terminator, or a module
    number: int = -1  # its place in the program, in pre-order

    @property
    def symbol(self) -> bytes | None:
        """The symbol that it defines, with its sign; None if it defines none."""
        name = self.properties.get(b"sym_name") or self.attributes.get(b"sym_name")
        return None if name is None else b"@" + (name.strip(b'"') if _QUOTED_NAME.fullmatch(name) else name)

    @property
    def is_function(self) -> bool:
        """Whether it is a function."""
        return bool(self.regions) and b"function_type" in self.properties and self.symbol is not None

    @property
    def is_module(self) -> bool:
        """Whether it is a module, whose block needs no terminator."""
        return self.name.rpartition(".")[2] == "module"

    @property
    def is_container(self) -> bool:
        """Whether it is a module or defines a symbol."""
        return self.symbol is not None or self.is_module

    @property
    def is_unwanted(self) -> bool:
        """Whether it only keeps the program valid: no step needs to remove it."""
        return self.name == SOURCE and not self.operands

    @property
    def symbols_used(self) -> set[bytes]:
        """The symbols in its attributes, but its own."""
        used = {
            match[0]
            for entries in (self.properties, self.attributes)
            for value in entries.values()
            for match in SYMBOL_USE.finditer(value)
        }
        return used - {self.symbol or b""}

    @property
    def segments(self) -> list[int]:
        """The sizes of the groups of its operands; empty if they are one group."""
        text = self.properties.get(b"operandSegmentSizes", b"").partition(b":")[2]
        return [int(number) for number in text.strip(b"> ").split(b",")] if text else []

    def insert_operand(self, group: int, place: int, value: Value) -> None:
        """Insert an operand into a group, by numbers from 0."""
        self._resize(group, 1)
        self.operands.insert(sum(self.segments[:group]) + place, value)

    def remove_operand(self, group: int, place: int) -> None:
        """Remove an operand of a group, by numbers from 0."""
        self._resize(group, -1)
        del self.operands[sum(self.segments[:group]) + place]

    def _resize(self, group: int, by: int) -> None:
        self.edited()
        if sizes := self.segments:
            sizes[group] += by
            numbers = b", ".join(b"%d" % size for size in sizes)
            self.properties[b"operandSegmentSizes"] = b"array<i32: %s>" % numbers

    def group_of_call(self, count: int) -> int:
        """Return which group a call of a function with so many arguments gives it."""
        sizes = self.segments
        return max((number for number, size in enumerate(sizes) if size == count), default=0)

    def edited(self) -> Op:
        """Say that it is not as printed."""
        self.template = None
        return self

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of its regions that the text shows."""
        if self.template is None or not self.hides_regions:
            for region in self.regions:
                yield from region

    def walk(self) -> Iterator[Op]:
        """Yield it and the ops inside it, in pre-order."""
        yield self
        for block in self.blocks():
            for op in block.ops:
                yield from op.walk()


class ProgramSize(NamedTuple):
    """How large a program is."""

    ops: int  # without modules, functions and terminators
    arguments: int  # of functions
    bytes: int  # of its text


@dataclass(slots=True)
class Program:
    """The top-level op of each part of a file, and what is needed to print them."""

    parts: list[Op]
    aliases: list[tuple[bytes, bytes]]  # names and values, in the order of their definitions
    resources: bytes = b""  # the metadata at the end of the file
    taken: set[bytes] = field(default_factory=set)  # all names of values
    line_end: bytes = b"\n"

    def walk(self) -> Iterator[Op]:
        """Yield all ops, in pre-order."""
        for part in self.parts:
            yield from part.walk()

    def numbered(self) -> Program:
        """Number the ops, for steps to name them."""
        for number, op in enumerate(self.walk()):
            op.number = number
        return self

    def by_number(self) -> dict[int, Op]:
        """Return its ops by number."""
        return {op.number: op for op in self.walk()}

    def copy(self) -> Program:
        """Return a copy that can be edited. Ops keep their numbers."""
        copied = _Copy()
        parts = [copied.op(part) for part in self.parts]
        for op, copy in copied.branching:
            copy.successors = [copied.blocks[id(block)] for block in op.successors]
        taken = {value.name.partition(b"#")[0] for value in copied.values_by_old.values()}
        return Program(parts, self.aliases, self.resources, taken, self.line_end)

    def new_value(self, type_: bytes) -> Value:
        """Return a value with a name that no other has."""
        value = Value(type_, b"")
        self.rename([value])
        return value

    def rename(self, values: Iterable[Value]) -> None:
        """Give values names that no others have."""
        for value in values:
            value.name = next(name for number in count() if (name := b"v%d" % number) not in self.taken)
            self.taken.add(value.name)

    def uses(self) -> Counter[Value]:
        """Return how often each value is used."""
        return Counter(value for op in self.walk() for value in op.operands)

    def replace(self, values: dict[Value, Value]) -> None:
        """Let ops use other values instead of some."""
        for op in self.walk():
            if any(value in values for value in op.operands):
                op.operands = [_last(values, value) for value in op.operands]

    @property
    def op_count(self) -> int:
        """The number of ops, without modules, functions and terminators."""
        return sum(
            not op.is_container
            for parent in self.walk()
            for block in parent.blocks()
            for op in block.ops[: None if parent.is_module else -1]
        )

    def size(self, text: bytes) -> ProgramSize:
        """Return how large it is, with its text."""
        return ProgramSize(self.op_count, self.argument_count, len(text))

    @property
    def argument_count(self) -> int:
        """The number of arguments of functions."""
        return sum(len(op.regions[0][0].arguments) for op in self.walk() if op.is_function and op.regions[0])


def _last(values: dict[Value, Value], value: Value) -> Value:
    seen = set[Value]()
    while value in values and value not in seen:
        seen.add(value)
        value = values[value]
    return value


class _Copy:
    """Copies ops with their values. Each value is copied where it is defined, or first used."""

    def __init__(self) -> None:
        self.blocks: dict[int, Block] = {}
        self.branching: list[tuple[Op, Op]] = []
        self.values_by_old: dict[Value, Value] = {}

    def values(self, values: list[Value]) -> list[Value]:
        known = self.values_by_old
        for value in values:
            if value not in known:
                known[value] = Value(value.type, value.name, value.attributes)
        return [known[value] for value in values]

    def op(self, op: Op) -> Op:
        copy = Op(  # for each candidate of a reduction: `replace` takes twice as long
            op.name,
            self.values(op.operands),
            self.values(op.results),
            [],
            dict(op.properties),
            dict(op.attributes),
            [[self.block(block) for block in region] for region in op.regions],
            op.location,
            op.template,
            op.is_custom,
            op.hides_regions,
            op.is_implied,
            op.number,
        )
        if op.successors:
            self.branching.append((op, copy))
        return copy

    def block(self, block: Block) -> Block:
        copy = Block(block.name, block.is_labelled, self.values(block.arguments))
        copy.ops = [self.op(op) for op in block.ops]
        self.blocks[id(block)] = copy
        return copy


_LLVM = b"!llvm.func<"
_LLVM_TYPE = pattern(rb"(?:ptr|struct|array|func|target|x86_amx|token|metadata|label|ppc_fp128)\b")
_BARE_KEY = pattern(rb"[A-Za-z_][\w$.]*")
_OF_HEADER = frozenset({b"sym_name", b"function_type", b"sym_visibility", b"arg_attrs", b"res_attrs"})


def program_text(program: Program) -> bytes:
    """Return the text of a program, with the aliases that it uses."""
    parts = [b"".join(line + b"\n" for line in _lines(part, 0)) for part in program.parts]
    body = b"// -----\n".join(parts)
    used = {*Aliases(program.aliases).names_in(body)}
    table = b"".join(b"%s = %s\n" % (name, text.strip()) for name, text in program.aliases if name in used)
    resources = program.resources + b"\n" if b"dense_resource<" in body + table else b""
    text = table + body + resources
    return text if program.line_end == b"\n" else text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _lines(op: Op, depth: int) -> Iterator[bytes]:
    """Yield the lines of an op. The lines of a template are not split."""
    if op.is_implied and op.template is not None:  # a module that the text does not show
        yield from _region_lines(op.regions[0], depth - 1, shows_label=False)
        return
    margin = b"  " * depth
    location = b"" if op.location is None else b" loc(%s)" % op.location
    if op.is_custom and op.name == "func.func":
        yield margin + _function_header(op) + (b" {" if op.regions[0] else location)
        if op.regions[0]:
            yield from _region_lines(op.regions[0], depth, shows_label=False)
            yield margin + b"}" + location
    elif op.is_custom and op.name == "func.return":
        yield margin + b"return" + _typed(op.operands) + location
    else:
        pieces = _template_pieces(op, depth) if op.template is not None else _generic_pieces(op, depth)
        yield margin + _results(op.results) + b"".join(pieces) + location


def _template_pieces(op: Op, depth: int) -> Iterator[bytes]:
    assert op.template is not None
    for piece in op.template:
        if isinstance(piece, bytes):
            yield piece
            continue
        kind, number, place = piece
        if kind == "region":
            lines = [*_region_lines(op.regions[number], depth, shows_label=not op.is_custom)]
            yield b"".join(b"\n" + line for line in lines) + (b"\n" + b"  " * depth if lines else b"")
        else:
            value = op.operands[number] if kind == "operand" else op.regions[number][0].arguments[place]
            yield b"%" + value.name


def _generic_pieces(op: Op, depth: int) -> Iterator[bytes]:
    yield b'"%s"(%s)' % (op.name.encode(), _names(op.operands))
    if op.successors:
        yield b"[%s]" % b", ".join(block.name for block in op.successors)
    if op.properties:
        yield b" <{%s}>" % _dictionary(op.properties)
    if op.regions:
        regions = []
        for region in op.regions:
            lines = [*_region_lines(region, depth, shows_label=True)]
            regions.append(b"{%s\n%s}" % (b"".join(b"\n" + line for line in lines), b"  " * depth))
        yield b" (%s)" % b", ".join(regions)
    if op.attributes:
        yield b" {%s}" % _dictionary(op.attributes)
    yield b" : (%s) -> %s" % (_types(op.operands), _result_types(op.results))


def _region_lines(region: list[Block], depth: int, *, shows_label: bool) -> Iterator[bytes]:
    """Yield the lines of a region. The text around it may show the arguments of its first block."""
    for number, block in enumerate(region):
        if number or block.is_labelled or (shows_label and (block.arguments or not block.ops)):
            arguments = b", ".join(b"%%%s: %s" % (one.name, one.type) for one in block.arguments)
            yield b"  " * depth + block.name + (b"(%s):" % arguments if arguments else b":")
        for op in block.ops:
            if shows_label or not op.is_implied or op.operands or number or op.results:
                yield from _lines(op, depth + 1)


def _function_header(op: Op) -> bytes:
    visibility = op.properties.get(b"sym_visibility", b"").strip(b'"')
    inputs, results = signature(op)
    if op.regions[0]:
        arguments = b", ".join(
            b"%%%s: %s" % (one.name, one.type) + (b" " + one.attributes if one.attributes else b"")
            for one in op.regions[0][0].arguments
        )
    else:
        arguments = b", ".join(inputs)
    of_results = list_of_attributes(op.properties.get(b"res_attrs"), len(results))
    typed = [b" ".join(filter(None, pair)) for pair in zip(results, of_results, strict=True)]
    is_alone = len(results) == 1 and not of_results[0] and b"->" not in results[0]
    arrow = b"" if not typed else b" -> " + (typed[0] if is_alone else b"(%s)" % b", ".join(typed))
    others = {key: value for key, value in op.properties.items() if key not in _OF_HEADER} | op.attributes
    return b"func.func %s%s(%s)%s%s" % (
        visibility + b" " if visibility else b"",
        op.symbol or b"",
        arguments,
        arrow,
        b" attributes {%s}" % _dictionary(others) if others else b"",
    )


def signature(op: Op) -> tuple[list[bytes], list[bytes]]:
    """Return the types that a function gets and returns; none of a type of another form."""
    text = op.properties[b"function_type"]
    if text.startswith(_LLVM):
        inner = text[len(_LLVM) : -1]
        opening = next(token.start() for token, depth in nesting(inner) if (token[0], depth) == (b"(", 1))
        result = _llvm_type(inner[:opening].strip())
        arguments = [_llvm_type(part) for part in list_parts(inner, opening + 1)]
        return arguments, [] if result == b"void" else [result]
    return function_type(text) if text.startswith(b"(") else ([], [])


def function_type(text: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the types before and after the arrow of ``(...) -> ...``."""
    rest = text[text.index(b"->", closing_end(text, 0)) + 2 :].strip()
    return [*list_parts(text, 1)], [*list_parts(rest, 1)] if rest.startswith(b"(") else [rest]


def _llvm_type(text: bytes) -> bytes:
    """Return a type in a type of LLVM as it is written elsewhere: ``!llvm.ptr`` for ``ptr``."""
    return b"!llvm." + text if _LLVM_TYPE.match(text) else text


def list_of_attributes(text: bytes | None, count: int) -> list[bytes]:
    """Return the dictionaries of ``arg_attrs`` or ``res_attrs``, each empty if it has no attribute."""
    found = [] if text is None else [b"" if part == b"{}" else part for part in list_parts(text, 1)]
    return found if len(found) == count else [b""] * count


def _results(results: list[Value]) -> bytes:
    """Return ``%0:2, %1 = ``."""
    names = []
    for base, group in groupby(results, lambda value: value.name.partition(b"#")[0]):
        count = len(list(group))
        names.append(b"%" + base + (b":%d" % count if count > 1 else b""))
    return b"%s = " % b", ".join(names) if names else b""


def _typed(values: list[Value]) -> bytes:
    return b" %s : %s" % (_names(values), _types(values)) if values else b""


def _names(values: Iterable[Value]) -> bytes:
    return b", ".join(b"%" + value.name for value in values)


def _types(values: Iterable[Value]) -> bytes:
    return b", ".join(value.type for value in values)


def _result_types(values: list[Value]) -> bytes:
    is_alone = len(values) == 1 and b"->" not in values[0].type
    return values[0].type if is_alone else b"(%s)" % _types(values)


def _dictionary(entries: Attributes) -> bytes:
    return b", ".join(
        (name if _BARE_KEY.fullmatch(name) else b'"%s"' % name) + (b" = " + value if value else b"")
        for name, value in entries.items()
    )
