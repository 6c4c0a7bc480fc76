"""The functions that code generation makes, described only if a report shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain, groupby
from typing import overload

from eio_audit.audit.codegen.code import FunctionCode, caller_code, function_code, interface, values_used
from eio_audit.audit.codegen.prediction import CodegenFunction, ModulePath
from eio_audit.audit.dependence import ValueUsers
from eio_audit.audit.functions import function_symbol
from eio_audit.audit.locations.codegen_location import CodegenPlace, ReadNames, common_modules
from eio_audit.mlir.ir import IR


class MadeFunctions:
    """The functions that an order of a function's ops makes.

    Args:
        ir: the dump.
        users: returns, per value, the ops that use it.
        caller: the function.
        taken: the ops whose names can be read.
        names: what is read from the names of the dump's ops.
        group: per op, a number: ops of a file and line have the same one.
        order: the ops, as positions in ``taken``. Consecutive ones of a group become a function.
    """

    def __init__(
        self,
        ir: IR,
        users: Callable[[], ValueUsers],
        caller: int,
        taken: Sequence[int],
        names: ReadNames,
        group: Sequence[int],
        order: Sequence[int],
    ) -> None:
        self._ir = ir
        self._users = users
        self._caller = caller
        self._symbol = function_symbol(ir, caller) or ""
        self._taken = taken
        self._names = names
        self._group = group
        self._order = order

    def __len__(self) -> int:
        return sum(1 for _ in groupby(self._order, key=self._group.__getitem__))

    @property
    def _members(self) -> Iterator[list[int]]:
        return (list(members) for _, members in groupby(self._order, key=self._group.__getitem__))

    def functions(self) -> Iterator[CodegenFunction]:
        """Yield the functions, in the order in which the pass makes them."""
        return (self._function(number, members) for number, members in enumerate(self._members))

    def code(self) -> Iterator[FunctionCode]:
        """Yield the code of the functions, then of their caller."""
        ir, functions = self._ir, list[FunctionCode]()
        for function, members in zip(self.functions(), self._members, strict=True):
            ops = [self._taken[k] for k in members]
            functions.append(function_code(ir, function.name, ops, *self._interface(members)))
        yield from functions
        inside = {self._taken[k] for k in self._order}
        yield caller_code(ir, self._caller, functions, inside)

    def _interface(self, members: Sequence[int]) -> tuple[list[int], list[int]]:
        used = {self._taken[k]: values_used(self._ir, self._taken[k]) for k in members}
        return interface(self._ir, used, self._users())

    def _function(self, number: int, members: Sequence[int]) -> CodegenFunction:
        ir, first = self._ir, self._taken[members[0]]
        ops, names = [self._taken[k] for k in members], self._names
        taken, given = self._interface(members)
        indices = [names.op_index[op] for op in ops]
        place_numbers = [names.place[op] for op in ops]
        places = [names.places[one] for one in dict.fromkeys(place_numbers)]
        return CodegenFunction(
            name=f"{_common_class(places)}_{number}_0",
            caller=self._symbol,
            file=places[0].file,
            function=places[0].function,
            modules=_common_modules(places),
            ops=len(members),
            inputs=len(taken),
            outputs=len(given),
            first_index=min(indices),
            last_index=max(indices),
            line=ir.source.line_at(ir.op_start[first]),
            parts=Counter(map(self._paths.__getitem__, place_numbers)),
        )

    @cached_property
    def _paths(self) -> list[ModulePath]:
        """By number of a place, its path."""
        return [place.path for place in self._names.places]


def _common_modules(places: Sequence[CodegenPlace]) -> tuple[str, ...]:
    """Return the modules that all places share, as the object of the first place if these are all its own."""
    first = places[0].modules
    common = first if len(places) == 1 else common_modules(one.modules for one in places)
    return first if common == first else common


def _common_class(places: Sequence[CodegenPlace]) -> str:
    """Return the innermost class that all places have at one depth, as the pass does; else ``forward``."""
    columns: list[tuple[str, ...]] = list(zip(*(one.modules for one in places), strict=False))
    for column in reversed(columns):
        names = {module.partition("[")[0] for module in column}
        if len(names) == 1:
            return names.pop()
    return "forward"


class AllFunctions(Sequence[CodegenFunction]):
    """The functions of all callers, in call order. Their number is known before they are described."""

    def __init__(self, made: Sequence[MadeFunctions]) -> None:
        self._made = made

    @cached_property
    def _all(self) -> tuple[CodegenFunction, ...]:
        return tuple(chain.from_iterable(one.functions() for one in self._made))

    def __len__(self) -> int:
        return sum(map(len, self._made))

    @overload
    def __getitem__(self, place: int) -> CodegenFunction: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[CodegenFunction, ...]: ...

    def __getitem__(self, place: int | slice) -> CodegenFunction | tuple[CodegenFunction, ...]:
        return self._all[place]

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._all)
