"""The names of a dump's values: in its text, apart from each other, and as MLIR would print them.

MLIR's printer numbers one region at a time: the ops of all its blocks in order, before any region inside it.
Sibling regions start at the same number. In generic form they continue the numbers instead, the last region
first. A value without a name of its own is ``%0``. An argument of an entry block is ``%arg0``. A value that
its op names (``%cst``) keeps that name. If the name is taken in the region or around it, ``_`` and the next
number of a counter follow (``%cst_3``).

The names that ops give are inferred from the text. A number that the printer would add is removed again.
Every other name that is not a number was given by an op.

Source: ``SSANameState`` in mlir/lib/IR/AsmPrinter.cpp.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, product, starmap

from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.reading.scopes import Mentions
from eio_audit.mlir.source import Source, Span, splice
from eio_audit.mlir.tokens import VALUE_NAME
from eio_audit.mlir.traits import OpTable

_NUMBER = re.compile(r"[0-9]+")
_ARGUMENT = re.compile(r"arg([0-9]{1,18})")
_MOST_DIGITS = 18
_NUMBERED = re.compile(r"(.+)_(0|[1-9][0-9]{0,17})")

Orders = Mapping[int, Sequence[int]]


class ValueNames:
    """The named values of a dump. Results under one name count as the first.

    Raises:
        InputError: the dump cannot be read.
    """

    def __init__(self, source: Source, span: Span, op_table: OpTable) -> None:
        self._mentions = Mentions()
        self.ir = read_ir(source, span, op_table, mentions=self._mentions)  # the dump, as read
        self.definitions = self._mentions.definitions  # by value, the byte offset where its name is defined
        self.same = self._mentions.same  # by header argument that also means an outer value, that value
        self._offsets = sorted(self._mentions.values)
        self.names: dict[int, str] = {}  # by value, its name without the percent sign
        for value, offset in self.definitions.items():
            match = VALUE_NAME.match(source.data, offset)
            assert match
            self.names[value] = match[0][1:].decode("ascii")

    def text_with(self, names: Mapping[int, str]) -> bytes:
        """Return the text of the dump with other names for some values.

        An argument in ``same`` gets the new name of its outer value.
        """
        span = self.ir.span
        edits = [(named, b"%" + names[value].encode()) for named, value in self.named_in(span, names)]
        return splice(self.ir.source.data, span, edits)

    def named_in(self, span: Span, names: Collection[int]) -> list[tuple[Span, int]]:
        """Return where a span names some of the values, in textual order, and which.

        An argument in ``same`` counts as its outer value.
        """
        offsets, found = self._offsets, []
        for offset in offsets[bisect_left(offsets, span.start) : bisect_left(offsets, span.end)]:
            value = self._mentions.meaning(offset)
            if value in names:
                found.append((Span(offset, offset + 1 + len(self.names[value])), value))
        return found


def names_apart(values: ValueNames, orders: Orders) -> bytes:
    """Return the dump's text with other names for inner values whose names would be visible in other orders.

    In the text, a region around theirs defines the name again, but after them, where it was free. A number
    becomes the next one that is free. Any other name gets ``_`` and a number. If the outer definition comes
    first in the text already, the name stays: what it means depends on the syntax of the op around it.

    Complexity: linear in the text, and in the values times their nesting depth.
    """
    ir, names = values.ir, values.names
    place = {ir.block_ops[block][k]: new for block, order in orders.items() for new, k in enumerate(order)}
    definers: dict[tuple[int, str], list[int]] = {}  # by block that changes, and name
    for value, name in names.items():
        if (owner := ir.value_owner[value]) in place:
            definers.setdefault((ir.op_block[owner], name), []).append(owner)

    def is_passed(value: int) -> bool:
        return any(
            op < definer and place[definer] < place[op]
            for op in ir.enclosing_ops(ir.block_of(value))
            for definer in definers.get((ir.op_block[op], names[value]), ())
        )

    taken = {name[0][1:].decode("ascii") for name in VALUE_NAME.finditer(ir.dump_text)}
    last = max((int(name) for name in taken if len(name) <= _MOST_DIGITS and name.isdigit()), default=-1)
    numbers, suffixes = map(str, count(last + 1)), dict[str, Iterator[str]]()
    others = dict[int, str]()
    for value, name in names.items():
        if value not in values.same and is_passed(value):
            numbered = suffixes.setdefault(name, map(f"{name}_{{}}".format, count()))
            free = numbers if name.isdigit() else numbered
            others[value] = next(candidate for candidate in free if candidate not in taken)
            taken.add(others[value])
    return values.text_with(others)


def renumber(values: ValueNames, orders: Orders) -> bytes:
    """Return the dump's text with the value names that another order of its ops implies. Ops do not move.

    ``orders`` is by block; ``order[k]`` is the textual index, within the block, of the op placed k-th.

    Complexity: linear in the text and in the values.
    """
    regions = _Regions(values)
    candidates = starmap(_Habits, product((False, True), repeat=2))
    usual = _Habits(runs_on=all(values.ir.op_is_generic), uses_locations=False)
    habits = next((habits for habits in candidates if _printed(regions, {}, habits) == regions.names), usual)
    return values.text_with(_printed(regions, orders, habits))


@dataclass(frozen=True, slots=True)
class _Habits:
    """The options that the printer ran with.

    ``runs_on``: numbers are unique in the whole dump (generic form, --mlir-print-unique-ssa-ids).
    ``uses_locations``: locations name values (--mlir-use-nameloc-as-prefix). An argument with such a name
    uses up a number all the same.
    """

    runs_on: bool
    uses_locations: bool


class _Regions:
    def __init__(self, values: ValueNames) -> None:
        self._ir = values.ir
        self.names = {value: name for value, name in values.names.items() if value not in values.same}
        self._defined: dict[int, list[int]] = {}  # by op, or by -1 - block
        for value in self.names:
            self._defined.setdefault(self._ir.value_owner[value], []).append(value)

    def inside(self, region: int, orders: Orders) -> list[int]:
        ops = (op for block in self._ir.region_blocks[region] for op in self._ops(block, orders))
        return [inner for op in ops for inner in self._ir.regions_of.get(op, ())]

    def values(self, region: int, orders: Orders, habits: _Habits) -> Iterator[int]:
        """Yield the values of a region in the order in which the printer names them."""
        blocks = self._ir.region_blocks[region]
        if not habits.uses_locations:  # the op names all its arguments at once
            yield from (v for block in blocks for v in self._arguments(block) if self.is_given(v))
        for block in blocks:
            for value in self._arguments(block):
                if habits.uses_locations or not self.is_given(value):
                    yield value
            for op in self._ops(block, orders):
                yield from self._defined.get(op, ())

    def is_given(self, value: int) -> bool:
        """Whether the name looks like one that an op gave."""
        name = self.names[value]
        is_counted = self.is_entry_argument(value) and _ARGUMENT.fullmatch(name)
        return not is_counted and _NUMBER.fullmatch(name) is None

    def is_entry_argument(self, value: int) -> bool:
        block = -1 - self._ir.value_owner[value]
        return block >= 0 and self._ir.region_blocks[self._ir.block_region[block]][0] == block

    def _ops(self, block: int, orders: Orders) -> Iterator[int]:
        ops = self._ir.block_ops[block]
        return (ops[k] for k in orders.get(block, range(len(ops))))

    def _arguments(self, block: int) -> list[int]:
        """Return the arguments, by number if all have one: a header may list them in another order."""
        arguments = self._defined.get(-1 - block, [])
        if all(_ARGUMENT.fullmatch(self.names[value]) for value in arguments):
            return sorted(arguments, key=lambda value: int(self.names[value].removeprefix("arg")))
        return arguments


class _Printer:
    """The state of the printer at a value: the names taken there, and the counters."""

    def __init__(self, habits: _Habits) -> None:
        self._habits = habits
        self._taken: set[str] = set()
        self.value = self.argument = self.conflict = 0

    def walk(self, regions: _Regions, orders: Orders, name_of: Callable[[int], str]) -> dict[int, str]:
        """Name all values: those of a region before those of the regions inside it, the last region first."""
        names: dict[int, str] = {}
        pending: list[tuple[int, tuple[int, int, int]] | list[str]] = [(0, (0, 0, 0))]
        while pending:
            entry = pending.pop()
            if isinstance(entry, list):  # the names of a region, after all regions inside it
                self._taken.difference_update(entry)
                continue
            region, counters = entry
            if not self._habits.runs_on:
                self.value, self.argument, self.conflict = counters
            added = []
            for value in regions.values(region, orders, self._habits):
                names[value] = name = name_of(value)
                is_number = not regions.is_given(value) and not regions.is_entry_argument(value)
                if not is_number and name not in self._taken:
                    self._taken.add(name)
                    added.append(name)
            counters = self.value, self.argument, self.conflict
            pending.append(added)
            pending += [(inside, counters) for inside in regions.inside(region, orders)]
        return names

    def unique(self, name: str) -> str:
        """Return a free name: the name itself, or the name with a number if it is taken."""
        if name not in self._taken:
            return name
        while True:
            candidate = f"{name}_{self.conflict}"
            self.conflict += 1
            if candidate not in self._taken:
                return candidate

    def without_number(self, name: str) -> str:
        """Return the name before the printer had to add a number, or the same name if it had not."""
        numbered = _NUMBERED.fullmatch(name)
        if numbered is None or numbered[1] not in self._taken:
            return name
        before = self.conflict
        if self.unique(numbered[1]) == name:
            return numbered[1]
        self.conflict = before
        return name


def _given_names(regions: _Regions, habits: _Habits) -> dict[int, str]:
    """Return, by value, the name that its op gave it, before a number was added."""
    printer, given = _Printer(habits), dict[int, str]()

    def look(value: int) -> str:
        if regions.is_given(value):
            given[value] = printer.without_number(regions.names[value])
        return regions.names[value]

    printer.walk(regions, {}, look)
    return given


def _printed(regions: _Regions, orders: Orders, habits: _Habits) -> dict[int, str]:
    printer, given = _Printer(habits), _given_names(regions, habits)

    def name_of(value: int) -> str:
        is_argument = regions.is_entry_argument(value)
        if value not in given and not is_argument:
            printer.value += 1
            return str(printer.value - 1)
        if is_argument and (value not in given or habits.uses_locations):
            printer.argument += 1
        return printer.unique(given.get(value, f"arg{printer.argument - 1}"))

    return printer.walk(regions, orders, name_of)
