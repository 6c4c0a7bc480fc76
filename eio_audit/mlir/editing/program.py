"""A program as objects that can be cut: ops, blocks and values.

The objects come from the program in generic assembly, which shows every type. An op that is not edited
is printed as it was: its template is its text, with places for the names of values and for regions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.tokens import SYMBOL_USE

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
        return None if name is None else b"@" + (name.strip(b'"') if _is_bare(name) else name)

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


def _is_bare(name: bytes) -> bool:
    return _QUOTED_NAME.fullmatch(name) is not None


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
        name = next(name for number in count() if (name := b"v%d" % number) not in self.taken)
        self.taken.add(name)
        return Value(type_, name)

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
        copy = Op(
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
