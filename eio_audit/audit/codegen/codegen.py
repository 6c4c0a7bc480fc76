"""The functions that code generation makes of a dump: a model of tt-mlir's ``ttnn-recover-structure``.

The pass does not read the order of a block. It sorts the ops itself, stays with those of one ``file:line``
of the model's source as long as it can, and makes a function of each stretch (``order/group_order.py``).
docs/structure.md says what of the pass is modelled and what is not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from random import Random
from types import MappingProxyType

from eio_audit.audit.check.check import AuditedDump, audit_dump
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.codegen.codegen_location import CodegenLocation, CodegenLocations, Reason
from eio_audit.audit.codegen.codegen_ops import FREE, callers, codegen_ops
from eio_audit.audit.fix.relabel import RightLabels, right_labels
from eio_audit.audit.functions import function_symbol
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.ir import IR
from eio_audit.order.group_order import GroupedOps, group_count, order_by_queue, order_by_rule

Path = tuple[str, ...]
"""A module with those around it, outermost first; of ops without a module, their source function."""

TIE_BREAKS = 8
"""In how many orders ties are tried."""

TRIED_OPS = 24_000
"""How many ops all these orders may have together; two orders are tried in any case."""

NO_NAMES: Mapping[int, str] = MappingProxyType({})
NO_ORDERS: Mapping[int, Sequence[int]] = MappingProxyType({})


class Stage(StrEnum):
    """What code generation is given; the values are stable."""

    BEFORE = "before"
    """The dump before a pass."""
    AFTER = "after"
    """The dump after it."""
    NOW = "now"
    """A dump as it is."""
    FIXED = "fixed"
    """The dump after, or as it is, in the order that ``fix`` gives it."""
    RELABELLED = "relabelled"
    """The same once ``fix --relabel`` has put labels right as well."""


@dataclass(frozen=True, slots=True)
class CodegenFunction:
    """A function that code generation makes.

    Attributes:
        name: as the pass names it: the class of a module that all its ops share, and its number.
        caller: the function it is cut out of, ``@forward``.
        file: the file and line of the model's source that its ops share, ``model.py:60``.
        function: the source function there.
        modules: the modules that all its ops share, outermost first.
        ops: how many it has.
        inputs: how many values it takes.
        outputs: how many values it gives back.
        first_index: the smallest op index in it.
        last_index: the largest.
        line: 1-based, of the op that it begins with.
        parts: how many of its ops each module has that an op names as its innermost, in order of appearance.
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
    parts: Mapping[Path, int]


@dataclass(frozen=True, slots=True)
class Prediction:
    """What code generation makes of one dump.

    Attributes:
        callers: the functions that are cut.
        functions: what they are cut into, in call order; ties go by index, then by place in the text.
        fewest, most: between these the number of functions lies, whichever way ties go.
        ops: how many ops code generation looks at.
        left_out: how many of them are in no function: unreadable ones, and frees of what no function makes.
        unreadable: how many locations it cannot read, by reason. Ops whose location would be readable without
            its prefix are in functions all the same.
        clashes: places of the source, ``model.py:60``, said to define two functions: the pass gives up.
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
    """In how many functions the ops of a module are that name it as their innermost.

    Attributes:
        path: the module with those around it, outermost first.
        functions: how many there are at each stage.
        least: how many there must be at the present stage: one for each ``file:line`` its ops come from.
    """

    path: Path
    functions: Mapping[Stage, int]
    least: int


@dataclass(frozen=True, slots=True)
class Structure:
    """What code generation makes of a dump as it is and put in order, and of one before it if there is one.

    Attributes:
        dump: the audit of the dump as it is, or after.
        predictions: by stage, in order.
        modules: in how many functions each module is at each stage; the most torn first.
    """

    dump: DumpAudit
    predictions: Mapping[Stage, Prediction]
    modules: tuple[TornModule, ...]

    @property
    def present(self) -> Stage:
        """The stage of ``dump``."""
        return Stage.NOW if Stage.NOW in self.predictions else Stage.AFTER


def structure(dump: Dump, options: AuditOptions = DEFAULT_OPTIONS) -> Structure:
    """The functions that code generation makes of a dump, as it is and after a fix.

    Complexity: as ``check``, and O(n log n) for n ops.

    Raises:
        InputError: the dump cannot be read.
    """
    audited = audit_dump(dump, options, describes_worst=False)
    return _structure(audited.audit, _stages(audited, Stage.NOW, right_labels(audited)))


def structure_change(before: AuditedDump, after: AuditedDump, right: RightLabels) -> Structure:
    """The functions that code generation makes before and after a pass, and of what ``fix`` makes of that.

    Args:
        before: the dump before.
        after: the dump after.
        right: what ``fix --relabel`` makes of that.

    Raises:
        InputError: a location is malformed.
    """
    return _structure(after.audit, {Stage.BEFORE: predict(before), **_stages(after, Stage.AFTER, right)})


def _structure(dump: DumpAudit, predictions: Mapping[Stage, Prediction]) -> Structure:
    present = Stage.NOW if Stage.NOW in predictions else Stage.AFTER
    counts = {stage: _functions_of_modules(prediction) for stage, prediction in predictions.items()}
    files: dict[Path, set[str]] = defaultdict(set)
    for function in predictions[present].functions:
        for path in function.parts:
            files[path].add(function.file)
    paths = dict.fromkeys(path for count in counts.values() for path in count)
    rows = [
        TornModule(path, {stage: count[path] for stage, count in counts.items()}, len(files[path]))
        for path in paths
    ]

    def badly(row: TornModule) -> tuple[int, int]:
        now = row.functions[present]
        return row.functions.get(Stage.BEFORE, row.least) - now, -now

    return Structure(dump, predictions, tuple(sorted(rows, key=badly)))


def _functions_of_modules(prediction: Prediction) -> Counter[Path]:
    return Counter(path for function in prediction.functions for path in function.parts)


def _stages(dump: AuditedDump, present: Stage, right: RightLabels) -> dict[Stage, Prediction]:
    """What code generation makes of a dump, and of what ``fix`` makes of it."""
    now = predict(dump)
    fixed = predict(dump, orders=dump.orders) if dump.orders else now
    relabelled = predict(dump, names=right.names, orders=right.orders) if right.names else fixed
    return {present: now, Stage.FIXED: fixed, Stage.RELABELLED: relabelled}


def predict(
    dump: AuditedDump,
    *,
    names: Mapping[int, str] = NO_NAMES,
    orders: Mapping[int, Iterable[int]] = NO_ORDERS,
) -> Prediction:
    """What code generation makes of a dump.

    Args:
        dump: which.
        names: by op that gets another name, that name.
        orders: by block that stands in another order; ``order[k]`` is the textual index of the op placed
            k-th.

    Complexity: O(n log n) for n ops with a bounded number of operands, ``TIE_BREAKS`` times at the most.

    Raises:
        InputError: a location is malformed.
    """
    ir = dump.ir
    labels = _Labels(dump, names)
    places = _places(ir, orders)
    parts = [_Caller(ir, caller, labels, places) for caller in callers(ir)]
    users = _users_of_values(ir)
    sizes = [part.sizes() for part in parts]
    unreadable: Counter[Reason] = Counter()
    for part in parts:
        unreadable += part.unreadable
    return Prediction(
        callers=tuple(part.symbol for part in parts),
        functions=tuple(function for part in parts for function in part.functions(users)),
        fewest=sum(fewest for fewest, _ in sizes),
        most=sum(most for _, most in sizes),
        ops=sum(len(part.looked_at) for part in parts),
        left_out=sum(len(part.looked_at) - len(part.order) for part in parts),
        unreadable={reason: unreadable[reason] for reason in Reason if unreadable[reason]},
        clashes=tuple(sorted({clash for part in parts for clash in part.clashes()})),
    )


class _Labels:
    """By op, what code generation reads of it: the name that it carries, or that it is to get."""

    def __init__(self, dump: AuditedDump, names: Mapping[int, str]) -> None:
        self._names = names
        self._locations = CodegenLocations(dump.indices.locations)

    def read(self, op: int) -> tuple[CodegenLocation | None, Reason | None]:
        """What is read of an op, or would be without a prefix; and why its name cannot be read, if so."""
        name = self._names.get(op)
        read = self._locations.of(op) if name is None else self._locations.in_name(name)
        if read is None or isinstance(read, CodegenLocation):
            return read, None
        return read.meant, read.reason


def _places(ir: IR, orders: Mapping[int, Iterable[int]]) -> Sequence[int]:
    """By op, its place in the text once the blocks stand in these orders."""
    if not orders:
        return range(len(ir))
    blocks_of: dict[int, list[int]] = defaultdict(list)
    for block in range(ir.block_count):
        blocks_of[ir.parent_op(block)].append(block)
    places = [0] * len(ir)
    pending, place = [-1], 0
    while pending:
        op = pending.pop()
        if op >= 0:
            places[op] = place
            place += 1
        nested: list[int] = []
        for block in blocks_of.get(op, ()):
            ops = ir.block_ops[block]
            nested += [ops[k] for k in orders[block]] if block in orders else ops
        pending += reversed(nested)
    return places


class _Caller:
    """One function, and the order in which code generation takes its ops.

    Attributes:
        symbol: its name.
        looked_at: the ops that code generation looks at.
        unreadable: how many of their locations it cannot read, by reason.
        order: those it takes, in order, as numbers into ``taken``.
    """

    def __init__(self, ir: IR, caller: int, labels: _Labels, places: Sequence[int]) -> None:
        self.ir = ir
        self.symbol = function_symbol(ir, caller) or ""
        self.looked_at = codegen_ops(ir, caller)
        self.unreadable: Counter[Reason] = Counter()
        self.taken: list[int] = []
        self.read: list[CodegenLocation] = []
        for op in self.looked_at:
            read, reason = labels.read(op)
            if reason is not None:
                self.unreadable[reason] += 1
            if read is not None:
                self.taken.append(op)
                self.read.append(read)
        self._used = [_values_used(ir, op) for op in self.taken]
        self._grouped = self._group(places)
        self.order = order_by_rule(self._grouped)

    def _group(self, places: Sequence[int]) -> GroupedOps:
        """The ops as numbers: those of one file and line are a group; only the use of a result holds one."""
        ir, read = self.ir, self.read
        number = {op: k for k, op in enumerate(self.taken)}
        producers: list[list[int]] = [
            [k for v in used if (k := number.get(ir.value_owner[v])) is not None] for used in self._used
        ]
        users: list[list[int]] = [[] for _ in number]
        as_they_stand = sorted(number.values(), key=lambda k: places[self.taken[k]])
        for k in as_they_stand:
            for producer in producers[k]:
                users[producer].append(k)
        in_order = sorted(as_they_stand, key=lambda k: read[k].index)
        rank = [0] * len(in_order)
        for position, k in enumerate(in_order):
            rank[k] = position
        numbers: dict[str, int] = {}
        return GroupedOps(
            group=[numbers.setdefault(one.file, len(numbers)) for one in read],
            rank=rank,
            frees=[ir.name(op) == FREE for op in self.taken],
            producers=producers,
            users=users,
        )

    def sizes(self) -> tuple[int, int]:
        """The fewest and the most functions that the ways to break ties lead to, as far as they are tried."""
        ops = self._grouped
        sizes = [group_count(ops, self.order)]
        sizes += (group_count(ops, order_by_queue(ops, roots)) for roots in _root_orders(ops))
        return min(sizes), max(sizes)

    def clashes(self) -> Iterator[str]:
        """Places of the source that two functions are said to be defined at."""
        names: dict[str, str] = {}
        for one in self.read:
            if names.setdefault(one.file, one.function) != one.function:
                yield one.file

    def functions(self, users: Mapping[int, Collection[int]]) -> Iterator[CodegenFunction]:
        """The functions, in the order in which the pass makes them.

        Args:
            users: by value, the ops that use it.
        """
        stretches = groupby(self.order, key=self._grouped.group.__getitem__)
        for number, (_, stretch) in enumerate(stretches):
            yield self._function(number, list(stretch), users)

    def _function(
        self, number: int, ops: Sequence[int], users: Mapping[int, Collection[int]]
    ) -> CodegenFunction:
        ir = self.ir
        inside = {op for k in ops for op in (self.taken[k], *ir.nested_ops(self.taken[k]))}
        made = {value for k in ops for value in ir.result_values(self.taken[k])}
        used = {value for k in ops for value in self._used[k]}
        read = [self.read[k] for k in ops]
        indices = [one.index for one in read]
        return CodegenFunction(
            name=f"{_shared_class(read)}_{number}_0",
            caller=self.symbol,
            file=read[0].file,
            function=read[0].function,
            modules=_shared_modules(read),
            ops=len(ops),
            inputs=len(used - made),
            outputs=sum(not inside.issuperset(users.get(value, ())) for value in made),
            first_index=min(indices),
            last_index=max(indices),
            line=ir.source.line_at(ir.op_start[self.taken[ops[0]]]),
            parts=Counter(one.path for one in read),
        )


def _users_of_values(ir: IR) -> Mapping[int, Collection[int]]:
    """By value, the ops that use it themselves."""
    users: dict[int, list[int]] = defaultdict(list)
    for op in range(len(ir)):
        for value in ir.operands_of(op):
            users[value].append(op)
    return users


def _values_used(ir: IR, op: int) -> list[int]:
    """The values that an op, or what is nested in it, uses and that are not defined inside it."""
    if not ir.nested_ops(op):
        return list(ir.operands_of(op))
    values = [value for inner in (op, *ir.nested_ops(op)) for value in ir.operands_of(inner)]
    end = ir.subtree_end[op]

    def is_outside(value: int) -> bool:
        owner = ir.value_owner[value]
        owner = owner if owner >= 0 else ir.parent_op(-1 - owner)
        return not op <= owner < end

    return list(filter(is_outside, values))


def _root_orders(ops: GroupedOps) -> Iterator[list[int]]:
    """Orders in which the roots may enter the queue: the pass takes them as they lie in memory."""
    roots = ops.roots
    yield roots
    yield roots[::-1]
    tried = min(TIE_BREAKS, TRIED_OPS // max(len(ops.group), 1))
    for seed in range(2, tried):
        shuffled = roots[:]
        Random(seed).shuffle(shuffled)
        yield shuffled


def _shared_class(read: Sequence[CodegenLocation]) -> str:
    """The innermost class that all ops have at one depth, as the pass names a function; else ``forward``."""
    columns = list(zip(*(one.modules for one in read), strict=False))
    for column in reversed(columns):
        classes = {str(module.partition("[")[0]) for module in column}
        if len(classes) == 1:
            return classes.pop()
    return "forward"


def _shared_modules(read: Sequence[CodegenLocation]) -> tuple[str, ...]:
    """The modules that all ops have in common, from the outermost on."""
    shared: list[str] = []
    for column in zip(*(one.modules for one in read), strict=False):
        if len(set(column)) > 1:
            break
        shared.append(column[0])
    return tuple(shared)
