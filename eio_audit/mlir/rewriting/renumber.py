"""Names the values of a dump as MLIR's printer would, once its ops stand in another order.

The printer numbers a region at a time, the ops of all its blocks in turn, before any region inside it;
regions beside each other begin with the same numbers, but in generic form, where they go on from one to the
next, the last region first. A value without a name of its own is ``%0``; an argument of an entry block
is ``%arg0``; a value that its op gives a name (``%cst``) keeps it, and where the name is taken, in the region
or around it, ``_`` and the next number of a counter follow (``%cst_3``).

What names ops give is not known here, but the text tells: a name to which the printer would have put that
very number there is taken apart again, and every other name that is no number is one that an op gave.

Source: ``SSANameState`` in mlir/lib/IR/AsmPrinter.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import product

from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import Reader
from eio_audit.mlir.reading.scopes import Mentions
from eio_audit.mlir.source import Source, Span, splice
from eio_audit.mlir.traits import OpTable

_NAME = re.compile(rb"%([\w$.-]+)")
_NUMBER = re.compile(r"[0-9]+")
_ARGUMENT = re.compile(r"arg([0-9]{1,18})")
_NUMBERED = re.compile(r"(.+)_(0|[1-9][0-9]{0,17})")

Orders = Mapping[int, Sequence[int]]


def renumber(source: Source, span: Span, op_table: OpTable, orders: Orders) -> bytes:
    """The dump's text, its ops where they are, with the names that its values have in another order.

    Args:
        source: the file.
        span: where the dump stands in it.
        op_table: what it is read with.
        orders: by block; ``order[k]`` is the textual index, within the block, of the op placed k-th.

    Raises:
        InputError: the dump cannot be read.

    Complexity: linear in the text and in the values, but every line is read by itself.
    """
    mentions = Mentions()
    ir = Reader(source, span, op_table, mentions=mentions).read()
    values = _NamedValues(ir, mentions)
    names = _as_printed(values, orders)
    edits = []
    for start, value in mentions.values.items():
        match = _NAME.match(source.data, start)
        assert match
        name = names.get(values.named_by(value))
        if name is not None:
            edits.append((Span(*match.span()), b"%" + name.encode("ascii")))
    return splice(source.data, span, edits)


class _Kind(Enum):
    """How the printer comes by a name."""

    GIVEN = auto()
    GIVEN_ARGUMENT = auto()
    ARGUMENT = auto()
    NUMBER = auto()


@dataclass(frozen=True, slots=True)
class _Habits:
    """What the printer was told.

    Attributes:
        runs_on: no two values of a dump have one number (generic form, --mlir-print-unique-ssa-ids).
        uses_locations: locations name values (--mlir-use-nameloc-as-prefix); an argument that is named so
            uses a number up all the same.
    """

    runs_on: bool
    uses_locations: bool


@dataclass(frozen=True, slots=True)
class _Counters:
    """The next number for a value, an argument and a name that is taken."""

    value: int = 0
    argument: int = 0
    conflict: int = 0


class _NamedValues:
    """The values that a dump names, region by region; results under one name count as the first."""

    def __init__(self, ir: IR, mentions: Mentions) -> None:
        self._ir = ir
        self._same = mentions.same
        self.names = {
            value: _name_at(ir, offset)
            for value, offset in mentions.definitions.items()
            if value not in mentions.same
        }
        self._defined: dict[int, list[int]] = {}  # by op, or -1 - block
        for value in self.names:
            self._defined.setdefault(ir.value_owner[value], []).append(value)
        self._blocks: dict[int, list[int]] = {}  # by region
        for block, region in enumerate(ir.block_region):
            self._blocks.setdefault(region, []).append(block)
        self._regions: dict[int, list[int]] = {}  # by op
        for region, op in enumerate(ir.region_op):
            self._regions.setdefault(op, []).append(region)

    @property
    def is_generic(self) -> bool:
        """Whether all ops are printed in generic form."""
        return all(self._ir.op_is_generic)

    def named_by(self, value: int) -> int:
        """The value whose name a mention of this one is."""
        while value in self._same:
            value = self._same[value]
        return value

    def regions_inside(self, region: int, orders: Orders) -> list[int]:
        """The regions of the ops in a region."""
        return [r for op in self._ops(region, orders) for r in self._regions.get(op, ())]

    def in_region(self, region: int, orders: Orders, habits: _Habits) -> Iterator[tuple[int, _Kind]]:
        """The values of a region in the order in which the printer names them."""
        blocks = self._blocks.get(region, [])
        given = [v for block in blocks for v in self._arguments(block) if self._is_given(v)]
        if not habits.uses_locations:  # it is the op that names them, all at once
            yield from ((value, self._kind(value)) for value in given)
        for block in blocks:
            for value in self._arguments(block):
                if habits.uses_locations or not self._is_given(value):
                    yield value, self._kind(value)
            for op in self._ops_of(block, orders):
                yield from ((value, self._kind(value)) for value in self._defined.get(op, ()))

    def _ops(self, region: int, orders: Orders) -> Iterator[int]:
        for block in self._blocks.get(region, ()):
            yield from self._ops_of(block, orders)

    def _ops_of(self, block: int, orders: Orders) -> Iterator[int]:
        ops = self._ir.block_ops[block]
        return (ops[k] for k in orders.get(block, range(len(ops))))

    def _arguments(self, block: int) -> list[int]:
        """The arguments; a header may name them in another order than the op has them in, but by number."""
        arguments = self._defined.get(-1 - block, [])
        numbers = [_ARGUMENT.fullmatch(self.names[value]) for value in arguments]
        if not all(numbers):
            return arguments
        return sorted(arguments, key=lambda value: int(self.names[value].removeprefix("arg")))

    def _kind(self, value: int) -> _Kind:
        is_given = self._is_given(value)
        if self._is_entry_argument(value):
            return _Kind.GIVEN_ARGUMENT if is_given else _Kind.ARGUMENT
        return _Kind.GIVEN if is_given else _Kind.NUMBER

    def _is_given(self, value: int) -> bool:
        """Whether an op gave the name, as far as the name tells."""
        name = self.names[value]
        if self._is_entry_argument(value) and _ARGUMENT.fullmatch(name):
            return False
        return _NUMBER.fullmatch(name) is None

    def _is_entry_argument(self, value: int) -> bool:
        block = -1 - self._ir.value_owner[value]
        return block >= 0 and self._blocks[self._ir.block_region[block]][0] == block


def _name_at(ir: IR, offset: int) -> str:
    match = _NAME.match(ir.source.data, offset)
    assert match
    return match[1].decode("ascii")


class _Printer:
    """The state in which the printer names a value: what is taken where it stands, and the counters."""

    def __init__(self, habits: _Habits) -> None:
        self.habits = habits
        self.taken: set[str] = set()
        self.value = self.argument = self.conflict = 0

    def walk(
        self, values: _NamedValues, orders: Orders, name_of: Callable[[int, _Kind], str]
    ) -> dict[int, str]:
        """Names all values, those of a region before those of the regions inside it, the last first."""
        names: dict[int, str] = {}
        pending: list[tuple[int, _Counters] | list[str]] = [(0, _Counters())]
        while pending:
            entry = pending.pop()
            if isinstance(entry, list):  # what a region had taken, behind all regions inside it
                self.taken.difference_update(entry)
                continue
            region, counters = entry
            if not self.habits.runs_on:
                self.value, self.argument, self.conflict = (
                    counters.value,
                    counters.argument,
                    counters.conflict,
                )
            added = []
            for value, kind in values.in_region(region, orders, self.habits):
                names[value] = name = name_of(value, kind)
                if kind is not _Kind.NUMBER and name not in self.taken:
                    self.taken.add(name)
                    added.append(name)
            counters = _Counters(self.value, self.argument, self.conflict)
            pending.append(added)
            pending += [(inside, counters) for inside in values.regions_inside(region, orders)]
        return names

    def unique(self, name: str) -> str:
        """A name as it is, or with a number behind it where it is taken."""
        if name not in self.taken:
            return name
        while True:
            candidate = f"{name}_{self.conflict}"
            self.conflict += 1
            if candidate not in self.taken:
                return candidate

    def without_number(self, name: str) -> str:
        """The name that a number had to be put behind to get this one; this one where none had."""
        numbered = _NUMBERED.fullmatch(name)
        if numbered is None or numbered[1] not in self.taken:
            return name
        before = self.conflict
        if self.unique(numbered[1]) == name:
            return numbered[1]
        self.conflict = before
        return name


def _as_printed(values: _NamedValues, orders: Orders) -> dict[int, str]:
    """By value, its name in the new order, from the habits that explain the names in the old one."""
    for runs_on, uses_locations in product((False, True), repeat=2):
        habits = _Habits(runs_on, uses_locations)
        given = _given_names(values, habits)
        if _printed(values, {}, habits, given) == values.names:
            return _printed(values, orders, habits, given)
    habits = _Habits(runs_on=values.is_generic, uses_locations=False)
    return _printed(values, orders, habits, _given_names(values, habits))


def _given_names(values: _NamedValues, habits: _Habits) -> dict[int, str]:
    """By value, the name that its op gave it, before a number was put behind it."""
    printer, given = _Printer(habits), dict[int, str]()

    def look(value: int, kind: _Kind) -> str:
        name = values.names[value]
        if kind in (_Kind.GIVEN, _Kind.GIVEN_ARGUMENT):
            given[value] = printer.without_number(name)
        return name

    printer.walk(values, {}, look)
    return given


def _printed(
    values: _NamedValues, orders: Orders, habits: _Habits, given: Mapping[int, str]
) -> dict[int, str]:
    """By value, the name that the printer gives it."""
    printer = _Printer(habits)

    def name_of(value: int, kind: _Kind) -> str:
        if kind is _Kind.NUMBER:
            printer.value += 1
            return str(printer.value - 1)
        if kind is _Kind.ARGUMENT or (kind is _Kind.GIVEN_ARGUMENT and habits.uses_locations):
            printer.argument += 1
        return printer.unique(given.get(value, f"arg{printer.argument - 1}"))

    return printer.walk(values, orders, name_of)
