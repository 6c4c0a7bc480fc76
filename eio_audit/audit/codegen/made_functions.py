"""The functions that code generation makes of one function, described only if a report shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from eio_audit.audit.codegen.code import FunctionCode, caller_code, function_code, interface
from eio_audit.audit.codegen.prediction import CodegenFunction
from eio_audit.audit.codegen.read_dump import ReadDump
from eio_audit.audit.functions import function_symbol
from eio_audit.audit.locations.codegen_location import CodegenLocation, common_modules


class MadeFunctions:
    """The functions that an order of a function's ops makes.

    Args:
        dump: the dump.
        caller: the function.
        taken: the ops whose names can be read.
        read: what is read from their names.
        members: per function, its ops in order, as positions in ``taken``.
    """

    def __init__(
        self,
        dump: ReadDump,
        caller: int,
        taken: Sequence[int],
        read: Sequence[CodegenLocation],
        members: Sequence[Sequence[int]],
    ) -> None:
        self._dump = dump
        self._caller = caller
        self._symbol = function_symbol(dump.ir, caller) or ""
        self._taken = taken
        self._read = read
        self._members = members

    def __len__(self) -> int:
        return len(self._members)

    def functions(self) -> Iterator[CodegenFunction]:
        """Yield the functions, in the order in which the pass makes them."""
        return (self._function(number, members) for number, members in enumerate(self._members))

    def code(self) -> Iterator[FunctionCode]:
        """Yield the code of the functions, then of their caller."""
        ir, functions = self._dump.ir, list[FunctionCode]()
        for function, members in zip(self.functions(), self._members, strict=True):
            ops = [self._taken[k] for k in members]
            functions.append(function_code(ir, function.name, ops, *self._interface(members)))
        yield from functions
        inside = {self._taken[k] for members in self._members for k in members}
        yield caller_code(ir, self._caller, functions, inside)

    def _interface(self, members: Sequence[int]) -> tuple[list[int], list[int]]:
        used = {self._taken[k]: self._dump.values_used(self._taken[k]) for k in members}
        return interface(self._dump.ir, used, self._dump.users)

    def _function(self, number: int, members: Sequence[int]) -> CodegenFunction:
        ir, first = self._dump.ir, self._taken[members[0]]
        read = [self._read[k] for k in members]
        taken, given = self._interface(members)
        indices = [one.index for one in read]
        return CodegenFunction(
            name=f"{_common_class(read)}_{number}_0",
            caller=self._symbol,
            file=read[0].file,
            function=read[0].function,
            modules=common_modules(one.modules for one in read),
            ops=len(members),
            inputs=len(taken),
            outputs=len(given),
            first_index=min(indices),
            last_index=max(indices),
            line=ir.source.line_at(ir.op_start[first]),
            parts=Counter(one.path for one in read),
        )


def _common_class(read: Sequence[CodegenLocation]) -> str:
    """Return the innermost class that all ops have at one depth, as the pass does; else ``forward``."""
    columns = zip(*(one.modules for one in read), strict=False)
    classes = [{module.partition("[")[0] for module in column} for column in columns]
    return next((min(names) for names in reversed(classes) if len(names) == 1), "forward")
