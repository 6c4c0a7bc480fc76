"""Ops followed from dump to dump of one program, matched as in ``diff``.

The text of a dump is divided into functions. A function with a followed op is read and matched if its text
has changed since the dump before. If an op is not found in it and another function is new or has changed, the
op may be there, so the whole dumps are matched. Ops outside functions are followed in whole dumps. Memory
holds the last dump that shows each followed op, and the current dump.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from eio_audit.audit.check.keyed_dump import KeyedDump, read_dump
from eio_audit.audit.diff.compared_dump import ComparedDump, compared
from eio_audit.audit.diff.dump_comparison import DumpComparison
from eio_audit.audit.diff.inverse_ops import LayoutChanges
from eio_audit.audit.diff.op_changes import Relation
from eio_audit.audit.functions import function_symbol, only_function
from eio_audit.audit.locations.location_numbers import Interned
from eio_audit.audit.log.modules import Label
from eio_audit.audit.log.walk import ProgramWalk, Shown
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import DumpText, FunctionText
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import InputError

KNOWN_TEXTS = 50_000
"""How many numbers for texts, locations and classes of ops are kept from dump to dump."""

Followed = TypeVar("Followed")
"""The data kept for each followed op."""

OpPlace = tuple[str | None, int]
"""An op's function and its number in it. Outside functions: None and its number in the dump."""


@dataclass(frozen=True, slots=True)
class OpStep:
    """A dump that shows a change, and the pass that made it.

    Attributes:
        dump: the dump.
        pass_name: None for passes that the log does not show.
    """

    dump: Dump
    pass_name: str | None


class DividedDump:
    """A dump with its functions.

    Attributes:
        dump: the dump.
        functions: per symbol, a function that can be found in the text.
        outermost: name and symbol of the outermost op; None if there are several.
        only_function: symbol of the function if the dump shows only that; None for a program.

    Raises:
        InputError: the dump cannot be read.
    """

    def __init__(self, dump: Dump, options: AuditOptions) -> None:
        self.dump = dump
        self._options = options
        self._text = DumpText(dump, options.op_table)
        self.functions = self._text.functions if self._text.aliases.are_unique else {}
        try:
            around = self._text.around
            ir = read_ir(around.source, around.span, options.op_table)
        except InputError:  # the dump as a whole may be valid, or its error has the position
            ir, self.functions = self.whole.ir, {}
        top = ir.block_ops[0] if ir.block_count else []
        self.outermost: Label | None = (ir.name(top[0]), ir.symbol(top[0])) if len(top) == 1 else None
        self.only_function = only_function(ir)

    def read(self, symbol: str | None) -> KeyedDump | None:
        """Read a function, or the whole dump; return None if the function cannot be read on its own."""
        if symbol is None:
            return self.whole
        try:
            return read_dump(self._text.function_dump(self.functions[symbol]), self._options)
        except InputError:
            return None

    @cached_property
    def whole(self) -> KeyedDump:
        """The whole dump, read."""
        return read_dump(self.dump, self._options)

    def place_of(self, op: int) -> OpPlace:
        """Return the place of an op of the whole dump."""
        ir = self.whole.ir
        for around in (op, *ir.enclosing_ops(ir.op_block[op])):
            symbol = function_symbol(ir, around) if around in ir.regions_of else None
            if symbol is not None and symbol in self.functions:
                return symbol, op - around
        return None, op

    def number_of(self, place: OpPlace) -> int:
        """Return the number of an op in the whole dump."""
        symbol, op = place
        if symbol is None:
            return op
        ir = self.whole.ir
        return op + next(around for around in ir.regions_of if function_symbol(ir, around) == symbol)


@dataclass(slots=True)
class Scope(Generic[Followed]):
    """A function with followed ops, or a whole dump for ops outside functions.

    Attributes:
        symbol: the function's symbol; None for a whole dump.
        shown: the last dump that shows it in this state.
        side: its side of a comparison, from this dump or an earlier one with the same text.
        ops: per number of a followed op, its data.
        missing: the step that no longer shows it, but shows what was around it.
    """

    symbol: str | None
    shown: DividedDump
    side: ComparedDump
    ops: dict[int, Followed]
    missing: OpStep | None = None

    def is_shown_by(self, dump: DividedDump) -> bool:
        """Return whether a dump shows it, in this state or another."""
        if self.symbol is not None:
            return self.symbol in dump.functions
        return dump.outermost == self.shown.outermost

    def is_same_in(self, dump: DividedDump) -> bool:
        """Return whether a dump shows it in the same state."""
        if self.symbol is None:
            return dump.dump.has_text(self.shown.dump.text)
        return self.shown.functions[self.symbol].is_same_as(dump.functions[self.symbol])


class Follower(ABC, Generic[Followed]):
    """Follows ops through the dumps of one program, one after the other.

    Args:
        options: the options to read dumps with.

    Attributes:
        scopes: per symbol, a scope with followed ops.
        shown: the dump taken last.
    """

    def __init__(self, options: AuditOptions) -> None:
        self.options = options
        self.scopes: dict[str | None, Scope[Followed]] = {}
        self.shown: DividedDump | None = None
        self._walk = ProgramWalk()
        self._interned = Interned()
        self._sides: dict[str | None, ComparedDump | None] = {}
        self._known: dict[str, FunctionText] = {}
        self._program: DividedDump | None = None
        self._modules: dict[str, Label] = {}

    @abstractmethod
    def stays(self, followed: Followed, comparison: DumpComparison, old: int, new: int, step: OpStep) -> None:
        """Take note that a followed op is in a dump that differs from the dump before."""

    @abstractmethod
    def appears(
        self,
        origin: Followed | None,
        comparison: DumpComparison,
        new: int,
        relation: tuple[int, Relation] | None,
        step: OpStep,
    ) -> Followed | None:
        """Return the data to follow an added op, which comes from ``origin`` if given; None to ignore it."""

    @abstractmethod
    def vanishes(self, followed: Followed, comparison: DumpComparison, old: int, step: OpStep) -> None:
        """Take note that a followed op is gone."""

    def follow(self, place: OpPlace, followed: Followed) -> OpPlace:
        """Follow an op of the dump taken last; return its place, in the whole dump if necessary."""
        assert self.shown is not None
        symbol, op = place
        side = self.side(symbol)
        if side is None:
            return self.follow((None, self.shown.number_of(place)), followed)
        scope = self.scopes.get(symbol)
        if scope is None or scope.shown is not self.shown:
            scope = self.scopes[symbol] = Scope(symbol, self.shown, side, {})
        scope.ops[op] = followed
        return place

    def side(self, symbol: str | None) -> ComparedDump | None:
        """Return a function of the dump taken last, or all of it; None if it cannot be read on its own."""
        if symbol not in self._sides:
            assert self.shown is not None
            read = self.shown.read(symbol)
            self._sides[symbol] = None if read is None else compared(read, self._interned)
        return self._sides[symbol]

    def take(self, dump: Dump) -> None:
        """Follow the ops into a dump.

        Raises:
            InputError: the dump cannot be read.
        """
        before = self.shown
        if before is not None and dump.has_text(before.dump.text):
            before.dump = dump  # all places are the same, except for their lines
            self._steps(before)
            return
        divided = DividedDump(dump, self.options)
        for symbol in divided.functions:
            if symbol not in self.scopes and self._is_new(divided, symbol) and divided.read(symbol) is None:
                _ = divided.whole  # raises, unless the function alone is not all of its text
        self.shown, self._sides = divided, {}
        if len(self._interned) > KNOWN_TEXTS:
            self._interned = Interned()
            for scope in self.scopes.values():
                scope.side = compared(scope.side.dump, self._interned)
        step_of = self._steps(divided)
        arrived: list[tuple[OpPlace, Followed]] = []
        for scope in list(self.scopes.values()):
            if scope.is_shown_by(divided):
                scope.missing = None
                if scope.is_same_in(divided):
                    scope.shown = divided
                else:
                    arrived += self._into(divided, scope, step_of(scope.symbol))
            elif self._has_vanished(scope, divided):
                arrived += self._elsewhere(divided, scope, step_of(scope.symbol))
        for place, followed in arrived:
            self.follow(place, followed)
        self._known |= divided.functions
        if divided.only_function is None:
            self._program = divided
        if divided.only_function is None and divided.outermost is not None:
            self._modules |= dict.fromkeys(divided.functions, divided.outermost)

    def _steps(self, divided: DividedDump) -> Callable[[str | None], OpStep]:
        """Return, per function, the pass charged with what a dump shows; begin or end its own pass."""
        dump = divided.dump
        step = self._walk.step(dump.marker, Shown(divided.only_function, divided.functions, {}, {}))

        def step_of(symbol: str | None) -> OpStep:
            run = step.run_of(symbol)
            return OpStep(dump, run.pass_name if run else None)

        return step_of

    def _has_vanished(self, scope: Scope[Followed], divided: DividedDump) -> bool:
        """Return whether a dump without the function shows the module that it was in."""
        if scope.symbol is None or divided.only_function is not None or scope.missing is not None:
            return False
        return self._modules.get(scope.symbol, divided.outermost) == divided.outermost

    def _into(
        self, divided: DividedDump, scope: Scope[Followed], step: OpStep
    ) -> Iterator[tuple[OpPlace, Followed]]:
        """Follow the ops of a scope that has changed."""
        side = None if scope.symbol is None else self.side(scope.symbol)
        comparison = None if side is None else DumpComparison(scope.side, side)
        is_lost = comparison is None or not scope.ops.keys() <= comparison.became.keys()
        if comparison is None or (is_lost and self._is_more_new(divided, scope.symbol)):
            yield from self._elsewhere(divided, scope, step)
            return
        del self.scopes[scope.symbol]
        for new, followed in self._followed(comparison, scope.ops, step, lambda _: True):
            yield (scope.symbol, new), followed
        for old in scope.ops.keys() - comparison.became.keys():
            self.vanishes(scope.ops[old], comparison, old, step)

    def _is_more_new(self, divided: DividedDump, symbol: str | None) -> bool:
        return symbol is not None and any(
            self._is_new(divided, other) for other in divided.functions if other != symbol
        )

    def _is_new(self, divided: DividedDump, symbol: str | None) -> bool:
        """Return whether a function of a dump is new or has changed."""
        known = self._known.get(symbol) if symbol is not None else None
        return known is None or symbol is None or not known.is_same_as(divided.functions[symbol])

    def _elsewhere(
        self, divided: DividedDump, scope: Scope[Followed], step: OpStep
    ) -> Iterator[tuple[OpPlace, Followed]]:
        """Follow the ops of a function to any place in the program."""
        before = self._whole_of(scope)
        first = before.number_of((scope.symbol, 0))
        ops = {first + op: followed for op, followed in scope.ops.items()}
        sides = (compared(dump.whole, self._interned) for dump in (before, divided))
        comparison = DumpComparison(*sides)

        def is_free(new: int) -> bool:
            symbol, _ = divided.place_of(new)
            is_in_both = symbol == scope.symbol or symbol in before.functions
            return is_in_both or self._is_new(divided, symbol)

        del self.scopes[scope.symbol]
        for new, followed in self._followed(comparison, ops, step, is_free):
            yield divided.place_of(new), followed
        found = {old for old, new in comparison.became.items() if old in ops and is_free(new)}
        lost = {op: followed for op, followed in ops.items() if op not in found}
        if scope.is_shown_by(divided):
            for old, followed in lost.items():
                self.vanishes(followed, comparison, old, step)
        elif lost:
            scope.ops = {op - first: followed for op, followed in lost.items()}
            scope.missing = step
            self.scopes[scope.symbol] = scope

    def _whole_of(self, scope: Scope[Followed]) -> DividedDump:
        """Return the last dump that shows a function in this state, if possible a dump of the program."""
        program = self._program
        is_same = program is not None and scope.is_shown_by(program) and scope.is_same_in(program)
        return program if program is not None and is_same else scope.shown

    def _followed(
        self,
        comparison: DumpComparison,
        ops: Mapping[int, Followed],
        step: OpStep,
        may_be_it: Callable[[int], bool],
    ) -> Iterator[tuple[int, Followed]]:
        """Yield the followed ops in the dump after, and the added ops to follow."""
        for old, followed in ops.items():
            became = comparison.became.get(old)
            if became is not None and may_be_it(became):
                self.stays(followed, comparison, old, became, step)
                yield became, followed
        commuted = LayoutChanges(comparison).came_from if comparison.added else {}
        for new in filter(may_be_it, comparison.added):
            relation = comparison.origin(new, commuted) or comparison.converted_from(new)
            origin = None if relation is None else ops.get(relation[0])
            data = self.appears(origin, comparison, new, relation, step)
            if data is not None:
                yield new, data
