"""The functions that code generation makes from a dump: a model of tt-mlir's ``ttnn-recover-structure``.

The pass ignores the order of a block and sorts the ops itself. It stays with the ops of one ``file:line`` of
the model's source as long as it can, and makes each such sequence a function (``order/group_order.py``).
docs/structure.md lists what the model of the pass covers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import groupby
from random import Random

from eio_audit.audit.check.audited_dump import AuditedDump, SharedWork
from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.codegen.code import FunctionCode, caller_code, function_code, interface, values_used
from eio_audit.audit.codegen.codegen_location import (
    FREE,
    CodegenLocation,
    CodegenLocations,
    Reason,
    UnreadableLocation,
    callers,
    codegen_ops,
    common_modules,
    read_name,
)
from eio_audit.audit.dependence import users_of_values
from eio_audit.audit.fix.relabel import RightLabels, right_labels
from eio_audit.audit.fix.verification import in_new_order
from eio_audit.audit.functions import function_symbol
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.ir import IR
from eio_audit.order.group_order import GroupedOps, group_count, order_by_queue, order_by_rule

ModulePath = tuple[str, ...]
"""A module and the modules around it, outermost first; for ops without a module, their source function."""

TIE_BREAKS = 8
"""How many tie breaks are tried."""

TRIED_OPS = 24_000
"""The most ops in all these orders together. Two orders are always tried."""


class Stage(StrEnum):
    """The input of code generation; the values are stable."""

    BEFORE = "before"
    """The dump before a pass."""
    AFTER = "after"
    """The dump after it."""
    NOW = "now"
    """A dump as it is."""
    FIXED = "fixed"
    """The dump after, or as it is, in the order of ``fix``."""
    RELABELLED = "relabelled"
    """The same, with the labels of ``fix --relabel``."""


@dataclass(frozen=True, slots=True)
class CodegenFunction:
    """A function that code generation makes.

    Attributes:
        name: the name that the pass gives it: the class of a module that all its ops share, and its number.
        caller: the function it is cut out of, ``@forward``.
        file: the file and line of the model's source that its ops share, ``model.py:60``.
        function: the source function there.
        modules: the modules that all its ops share, outermost first.
        ops: number of ops.
        inputs: number of arguments.
        outputs: number of results.
        first_index: the smallest op index in it.
        last_index: the largest op index in it.
        line: 1-based line of its first op.
        parts: per innermost module of an op, the number of its ops, in order of appearance.
    """

    name: str
    caller: str
    file: str
    function: str
    modules: tuple[str, ...]
    ops: int
    inputs: int
    outputs: int
    first_index: int
    last_index: int
    line: int
    parts: Mapping[ModulePath, int]


@dataclass(frozen=True, slots=True)
class Prediction:
    """The functions that code generation makes from one dump.

    Attributes:
        callers: the functions that are cut.
        functions: the functions made from them, in call order; ties are broken by index, then textual order.
        fewest, most: the range of the number of functions over all tie breaks tried.
        ops: number of ops that code generation reads.
        left_out: number of these in no function: unreadable ops, and frees of values that no function has.
        unreadable: per reason, the number of locations that it cannot read. Ops whose location is readable
            without its prefix are in functions nevertheless.
        clashes: the source places, ``model.py:60``, for which locations name two functions. The pass fails.
    """

    callers: tuple[str, ...]
    functions: tuple[CodegenFunction, ...]
    fewest: int
    most: int
    ops: int
    left_out: int
    unreadable: Mapping[Reason, int] = field(default_factory=dict)
    clashes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TornModule:
    """The number of functions that have the ops of one innermost module.

    Attributes:
        path: the module and the modules around it, outermost first.
        functions: per stage, the number of functions.
        least: the number necessary at the present stage: one for each ``file:line`` of its ops.
    """

    path: ModulePath
    functions: Mapping[Stage, int]
    least: int


@dataclass(frozen=True, slots=True)
class Structure:
    """The functions that code generation makes from a dump, from its fix, and from an earlier dump if given.

    Attributes:
        dump: the audit of the dump as it is, or after.
        predictions: per stage, its prediction, in order.
        modules: the modules, the most torn first.
        code: the code of the dump as it is: functions, then their callers; empty if there is a dump before.
    """

    dump: DumpAudit
    predictions: Mapping[Stage, Prediction]
    modules: tuple[TornModule, ...]
    code: tuple[FunctionCode, ...] = ()

    @property
    def present(self) -> Stage:
        """The stage of ``dump``."""
        return Stage.NOW if Stage.NOW in self.predictions else Stage.AFTER


def structure(dump: Dump, options: AuditOptions = DEFAULT_OPTIONS) -> Structure:
    """Predict the functions that code generation makes from a dump, as it is and after a fix.

    Complexity: as for ``check``, plus O(n log n) for n ops.

    Raises:
        InputError: the dump cannot be read.
    """
    audited = audit_dump(dump, options, SharedWork(described_ops=0))
    parts = _parts(audited)
    result = _structure(audited, _prediction(parts), Stage.NOW, right_labels(audited), {})
    return replace(result, code=tuple(function for part in parts for function in part.code()))


def structure_change(before: AuditedDump, after: AuditedDump, right: RightLabels) -> Structure:
    """Predict the functions that code generation makes before a pass, after it, and after a fix.

    ``right`` is the result of ``fix --relabel`` on the dump after.
    """
    return _structure(after, predict(after), Stage.AFTER, right, {Stage.BEFORE: predict(before)})


def _structure(
    dump: AuditedDump,
    now: Prediction,
    present: Stage,
    right: RightLabels,
    predictions: dict[Stage, Prediction],
) -> Structure:
    fixed = predict(dump, orders=dump.orders) if dump.orders else now
    relabelled = predict(dump, names=right.names, orders=right.orders) if right.names else fixed
    predictions |= {present: now, Stage.FIXED: fixed, Stage.RELABELLED: relabelled}
    counts = {
        stage: Counter(path for function in prediction.functions for path in function.parts)
        for stage, prediction in predictions.items()
    }
    files: dict[ModulePath, set[str]] = defaultdict(set)
    for function in now.functions:
        for path in function.parts:
            files[path].add(function.file)
    rows = [
        TornModule(path, {stage: count[path] for stage, count in counts.items()}, len(files[path]))
        for path in dict.fromkeys(path for count in counts.values() for path in count)
    ]

    def badly(row: TornModule) -> tuple[int, int]:
        count = row.functions[present]
        return row.functions.get(Stage.BEFORE, row.least) - count, -count

    return Structure(dump.audit, predictions, tuple(sorted(rows, key=badly)))


def predict(
    dump: AuditedDump,
    *,
    names: Mapping[int, str] | None = None,
    orders: Mapping[int, Sequence[int]] | None = None,
) -> Prediction:
    """Predict the functions that code generation makes from a dump.

    Args:
        dump: the dump.
        names: per op with a new name, that name.
        orders: per block with a new order, that order.

    Complexity: O(n log n) for n ops with a bounded number of operands, at most ``TIE_BREAKS`` times.
    """
    return _prediction(_parts(dump, names, orders))


def _prediction(parts: Sequence[_Caller]) -> Prediction:
    sizes = [part.sizes() for part in parts]
    unreadable = Counter(reason for part in parts for reason in part.unreadable)
    return Prediction(
        callers=tuple(part.symbol for part in parts),
        functions=tuple(function for part in parts for function in part.functions),
        fewest=sum(map(min, sizes)),
        most=sum(map(max, sizes)),
        ops=sum(len(part.looked_at) for part in parts),
        left_out=sum(len(part.looked_at) - len(part.order) for part in parts),
        unreadable={reason: unreadable[reason] for reason in Reason if unreadable[reason]},
        clashes=tuple(sorted({clash for part in parts for clash in part.clashes()})),
    )


def _parts(
    dump: AuditedDump,
    names: Mapping[int, str] | None = None,
    orders: Mapping[int, Sequence[int]] | None = None,
) -> list[_Caller]:
    ir, locations = dump.ir, CodegenLocations(dump.indices.parsed.locations)

    def read(op: int) -> CodegenLocation | UnreadableLocation | None:
        return read_name(names[op]) if names and op in names else locations.of(op)

    in_order = in_new_order(ir, orders)[0] if orders else range(len(ir))
    places = sorted(range(len(ir)), key=in_order.__getitem__)
    users = users_of_values(ir)
    return [_Caller(ir, caller, read, places, users) for caller in callers(ir)]


class _Caller:
    """A function that code generation cuts, and the order of its ops.

    Attributes:
        op: the function.
        symbol: its symbol.
        looked_at: the ops that code generation reads.
        unreadable: the reasons why some of their locations cannot be read.
        taken: the ops whose locations can be read; ``read`` has what is read, per op.
        order: the ops in the functions, in order, as positions in ``taken``.
    """

    def __init__(
        self,
        ir: IR,
        caller: int,
        read: Callable[[int], CodegenLocation | UnreadableLocation | None],
        places: Sequence[int],
        users: Mapping[int, Collection[int]],
    ) -> None:
        self.ir = ir
        self._users = users
        self.op = caller
        self.symbol = function_symbol(ir, caller) or ""
        self.looked_at = codegen_ops(ir, caller)
        self.unreadable: list[Reason] = []
        self.taken: list[int] = []
        self.read: list[CodegenLocation] = []
        for op in self.looked_at:
            found = read(op)
            if isinstance(found, UnreadableLocation):
                self.unreadable.append(found.reason)
                found = found.meant
            if found is not None:
                self.taken.append(op)
                self.read.append(found)
        self._used = [values_used(ir, op) for op in self.taken]
        self._grouped = self._group(places)
        self.order = order_by_rule(self._grouped)

    def _group(self, places: Sequence[int]) -> GroupedOps:
        """Return the ops as numbers. Ops of one file and line are a group, and only uses of results count."""
        ir, read = self.ir, self.read
        number = {op: k for k, op in enumerate(self.taken)}
        owners = [dict.fromkeys(map(ir.value_owner.__getitem__, used)) for used in self._used]
        producers = [[number[op] for op in makers if op in number] for makers in owners]
        users: list[list[int]] = [[] for _ in number]
        in_text = sorted(number.values(), key=lambda k: places[self.taken[k]])
        for k in in_text:
            for producer in producers[k]:
                users[producer].append(k)
        in_order = sorted(in_text, key=lambda k: read[k].index)
        groups: dict[str, int] = {}
        return GroupedOps(
            group=[groups.setdefault(one.file, len(groups)) for one in read],
            rank=sorted(number.values(), key=in_order.__getitem__),
            frees=[ir.name(op) == FREE for op in self.taken],
            producers=producers,
            users=users,
        )

    def sizes(self) -> list[int]:
        orders = [
            self.order,
            *(order_by_queue(self._grouped, roots) for roots in _root_orders(self._grouped)),
        ]
        return [group_count(self._grouped, order) for order in orders]

    def clashes(self) -> Iterator[str]:
        """Yield the places of the source for which locations name two functions."""
        names: dict[str, str] = {}
        return (one.file for one in self.read if names.setdefault(one.file, one.function) != one.function)

    def code(self) -> Iterator[FunctionCode]:
        """Yield the code of the functions, then of their caller."""
        functions = []
        for function, members in zip(self.functions, self._members(), strict=True):
            ops = [self.taken[k] for k in members]
            functions.append(function_code(self.ir, function.name, ops, *self._interface(members)))
        yield from functions
        yield caller_code(self.ir, self.op, functions, {self.taken[k] for k in self.order})

    def _members(self) -> Iterator[list[int]]:
        """Yield the ops of each function, in order, as positions in ``taken``."""
        for _, group in groupby(self.order, key=self._grouped.group.__getitem__):
            yield list(group)

    def _interface(self, members: Sequence[int]) -> tuple[list[int], list[int]]:
        return interface(self.ir, {self.taken[k]: self._used[k] for k in members}, self._users)

    @cached_property
    def functions(self) -> list[CodegenFunction]:
        """The functions, in the order in which the pass makes them."""
        return [self._function(number, members) for number, members in enumerate(self._members())]

    def _function(self, number: int, members: Sequence[int]) -> CodegenFunction:
        ir, first = self.ir, self.taken[members[0]]
        read = [self.read[k] for k in members]
        taken, given = self._interface(members)
        indices = [one.index for one in read]
        return CodegenFunction(
            name=f"{_common_class(read)}_{number}_0",
            caller=self.symbol,
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


def _root_orders(ops: GroupedOps) -> Iterator[list[int]]:
    """Yield orders in which the roots may enter the queue: the pass takes them by their addresses."""
    roots = ops.roots
    yield roots
    yield roots[::-1]
    for seed in range(2, min(TIE_BREAKS, TRIED_OPS // max(len(ops.group), 1))):
        shuffled = roots[:]
        Random(seed).shuffle(shuffled)
        yield shuffled


def _common_class(read: Sequence[CodegenLocation]) -> str:
    """Return the innermost class that all ops have at one depth, as the pass does; else ``forward``."""
    columns = zip(*(one.modules for one in read), strict=False)
    classes = [{module.partition("[")[0] for module in column} for column in columns]
    return next((min(names) for names in reversed(classes) if len(names) == 1), "forward")
