"""What code generation reads of a dump, and a function that it cuts into others."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache, cached_property, partial
from itertools import chain

from eio_audit.audit.codegen.code import values_used
from eio_audit.audit.codegen.made_functions import MadeFunctions
from eio_audit.audit.codegen.prediction import ModulePath
from eio_audit.audit.dependence import ValueUsers
from eio_audit.audit.functions import ends_block, function_symbol
from eio_audit.audit.locations.codegen_location import (
    FREE,
    CodegenLocations,
    ReadNames,
    UnreadableLocation,
    callers,
    codegen_ops,
    is_lowered,
    ttnn_ops,
)
from eio_audit.audit.locations.parsed_locations import ParsedLocations
from eio_audit.audit.locations.plain_names import OTHER
from eio_audit.mlir.ir import IR
from eio_audit.order.group_order import GroupedOps, Paths, QueueTries, most_runs, queue_tries


class ReadDump:
    """A dump as code generation reads it. Each op is read once.

    Attributes:
        ir: the dump.
        callers: the functions that are cut into others.
        users: returns, per value, the ops that use it.
    """

    def __init__(self, ir: IR, parsed: ParsedLocations) -> None:
        self.ir = ir
        self.callers = callers(ir)
        self.users: Callable[[], ValueUsers] = cache(partial(ValueUsers, ir))
        self._locations = CodegenLocations(parsed)
        self._ops: dict[int, array[int]] = {}
        self._uses: dict[int, Uses] = {}

    @cached_property
    def names(self) -> ReadNames:
        """What is read from the names of the ops."""
        return self._locations.all()

    def ops(self, caller: int) -> array[int]:
        """Return the ops of a function that code generation reads."""
        if caller not in self._ops:
            self._ops[caller] = codegen_ops(self.ir, caller)
        return self._ops[caller]

    def uses(self, caller: int, taken: Sequence[int]) -> Uses:
        """Return the uses of results among some ops of a function."""
        known = self._uses.get(caller)
        if known is None or known.ops != taken:
            known = self._uses[caller] = Uses(self.ir, taken)
        return known

    @cached_property
    def refused(self) -> dict[int, str]:
        """Per op whose location is refused, why."""
        names = self.names
        if OTHER not in names.place:
            return {}
        unnamed = {op for op, place in enumerate(names.place) if place == OTHER} - names.unreadable.keys()
        found = ((op, self._locations.refusal(op)) for op in self._simplified() if op in unnamed)
        return {op: why for op, why in found if why is not None}

    def _simplified(self) -> Iterable[int]:
        """Return the ops whose locations ``ttnn-simplify-locs-for-codegen`` reads, in textual order.

        These are the TTNN ops of all functions. Before the lowering to TTNN, they are the ops that code
        generation reads.
        """
        return ttnn_ops(self.ir) if is_lowered(self.ir) else chain.from_iterable(map(self.ops, self.callers))


class Uses:
    """The uses of results among some ops, which are numbered from 0.

    Attributes:
        ops: the ops.
        producers: per op, the ops whose results it and its nested ops use, each once.
        frees: per op, whether it only frees results of other ops.
    """

    def __init__(self, ir: IR, ops: Sequence[int]) -> None:
        self.ops = ops
        is_free = [name == FREE for name in ir.names]
        self.frees = [is_free[ir.op_name[op]] for op in ops]
        self._ir = ir
        number = array("i", [OTHER]) * (len(ir) + ir.block_count)  # -1 - block is the owner of an argument
        for k, op in enumerate(ops):
            number[op] = k
        maker = array("i", map(number.__getitem__, ir.value_owner))
        self.producers: list[Sequence[int]] = [()] * len(ops)
        # By value, the ops that use it, if it is a result. The last in the text is the first.
        self._users_of: list[list[int] | None] = [None] * len(maker)
        starts, nested_end, operands = ir.operand_start, ir.subtree_end, ir.operands
        for k in range(len(ops) - 1, -1, -1):
            op = ops[k]
            is_plain = nested_end[op] == op + 1 and op not in ir.late_operands
            values = operands[starts[op] : starts[op + 1]] if is_plain else values_used(ir, op)
            if not values:
                continue
            producers: dict[int, None] = {}
            for value in dict.fromkeys(values) if len(values) > 1 else values:
                if (producer := maker[value]) != OTHER:
                    producers[producer] = None
                    if (users := self._users_of[value]) is None:
                        self._users_of[value] = [k]
                    else:
                        users.append(k)
            if producers:
                self.producers[k] = tuple(producers)
        first, counts = ir.first_result, ir.result_counts
        self._in_text: list[Sequence[int]] = [
            self._users_of[first[op]] or () if counts[op] == 1 else _merged(self._lists(op)) for op in ops
        ]

    def _lists(self, op: int) -> Sequence[Sequence[int]]:
        """Return the users of an op, by result that is used."""
        first, count = self._ir.first_result[op], self._ir.result_counts[op]
        return [users for users in self._users_of[first : first + count] if users is not None]

    def users(self, places: Sequence[int]) -> list[Sequence[int]]:
        """Return per op the ops that use its results, each once, in the order of MLIR's lists.

        That is result by result, for each the last user in the text first.

        Args:
            places: per op of the dump, its place in the text.
        """
        if isinstance(places, range):
            return self._in_text
        ops = self.ops
        return [
            _merged([sorted(one, key=lambda k: -places[ops[k]]) for one in self._lists(ops[k])])
            if len(users) > 1
            else users
            for k, users in enumerate(self._in_text)
        ]


def _merged(lists: Sequence[Sequence[int]]) -> Sequence[int]:
    """Return the users of all results, each once."""
    if len(lists) < 2:
        return lists[0] if lists else ()
    return list(dict.fromkeys(chain.from_iterable(lists)))


class CutFunction:
    """A function that code generation cuts, and the order of its ops.

    Args:
        dump: the dump.
        caller: the function.
        names: what is read from the names of the dump's ops.
        in_text: per op, its place in the order of the text.

    Attributes:
        op: the function.
        symbol: its symbol.
        looked_at: the ops that code generation reads.
        unreadable: the ops whose names cannot be read, and why.
        taken: the ops whose names can be read, with a prefix or without.
    """

    def __init__(self, dump: ReadDump, caller: int, names: ReadNames, in_text: Sequence[int]) -> None:
        self._dump = dump
        self.ir = ir = dump.ir
        self.op = caller
        self.symbol = function_symbol(ir, caller) or ""
        self.looked_at = dump.ops(caller)
        self._names = names
        self.unreadable: dict[int, UnreadableLocation] = {
            op: names.unreadable[op] for op in self.looked_at if op in names.unreadable
        }
        self.taken = self.looked_at
        if OTHER in names.place:
            self.taken = array("i", [op for op in self.looked_at if names.place[op] != OTHER])
        self._places = names.places
        self._place_of = array("i", map(names.place.__getitem__, self.taken))
        self._grouped = self._group(in_text)

    def in_order(self, in_text: Sequence[int]) -> CutFunction:
        """Return the function with its text in another order. That is this one if its queue is the same."""
        ordered = CutFunction(self._dump, self.op, self._names, in_text)
        was, now = self._grouped, ordered._grouped
        return self if was.roots == now.roots and was.users == now.users else ordered

    def _group(self, in_text: Sequence[int]) -> GroupedOps:
        """Return the ops as numbers. Ops of one file and line are a group, and only uses of results count."""
        taken, uses = self.taken, self._dump.uses(self.op, self.taken)
        by_text: Sequence[int] = range(len(taken))
        if not isinstance(in_text, range):
            by_text = sorted(by_text, key=[in_text[op] for op in taken].__getitem__)
        index = self._names.op_index
        by_index = sorted(by_text, key=[index[op] for op in taken].__getitem__)
        rank = array("i", bytes(4 * len(taken)))
        for number, k in enumerate(by_index):
            rank[k] = number
        return GroupedOps(
            group=self._per_op(_numbered(place.file for place in self._places)),
            rank=rank,
            frees=uses.frees,
            producers=uses.producers,
            users=uses.users(in_text),
        )

    def _per_op(self, numbers: Sequence[int]) -> list[int]:
        """Return per op the number of its place."""
        return list(map(numbers.__getitem__, self._place_of))

    @property
    def prefixed(self) -> list[int]:
        """The ops whose names can be read but for a prefix."""
        has_prefix = self._names.has_prefix
        return [op for op in self.taken if has_prefix[op]]

    @cached_property
    def tries(self) -> QueueTries:
        """What the pass makes of some orders of the first ops."""
        return queue_tries(self._grouped)

    @property
    def order(self) -> list[int]:
        """The ops in the functions, in the order of the try that is shown, as positions in ``taken``."""
        return self.tries.orders[self.tries.best]

    @cached_property
    def bounds(self) -> tuple[int, int]:
        """The fewest and the most functions, whatever the order of first ops and of users."""
        return self._paths.fewest_runs(), most_runs(self._grouped, self.order)

    @cached_property
    def _paths(self) -> Paths:
        return Paths(self._grouped, self.order)

    def fewest_tried(self) -> dict[ModulePath, int]:
        """Return per innermost module the fewest functions with its ops in a try."""
        module, group = self._per_op(self._modules), self._grouped.group
        fewest = [len(self.taken)] * (max(self._modules, default=-1) + 1)
        for order in self.tries.orders:
            found, last_run = [0] * len(fewest), [0] * len(fewest)
            run, current = 0, -1
            for number, now in zip(
                map(module.__getitem__, order), map(group.__getitem__, order), strict=True
            ):
                if now != current:
                    run, current = run + 1, now
                if last_run[number] != run:
                    last_run[number] = run
                    found[number] += 1
            fewest = list(map(min, fewest, found))
        by_path = {path: fewest[number] for path, number in zip(self._paths_of, self._modules, strict=True)}
        return {path: by_path[path] for path in self.sources}

    @cached_property
    def _paths_of(self) -> list[ModulePath]:
        """By place, its innermost module."""
        return [place.path for place in self._places]

    @cached_property
    def _modules(self) -> list[int]:
        """By place, the number of its innermost module."""
        return _numbered(self._paths_of)

    @cached_property
    def sources(self) -> dict[ModulePath, dict[str, list[int]]]:
        """Per module that is the innermost of an op in a function, and per file and line, these ops."""
        by_source: dict[int, list[int]] = defaultdict(list)
        files = [place.file for place in self._places]
        source = self._per_op(_numbered(zip(self._modules, files, strict=True)))
        for k, number in zip(self.order, map(source.__getitem__, self.order), strict=True):
            by_source[number].append(k)
        found: dict[ModulePath, dict[str, list[int]]] = {}
        for ops in by_source.values():
            place = self._place_of[ops[0]]
            found.setdefault(self._paths_of[place], {})[files[place]] = ops
        return found

    @cached_property
    def returns(self) -> dict[ModulePath, list[tuple[int, int]]]:
        """Per module, the ops where a path leaves a ``file:line`` of it and comes back: in every run.

        The first op is of another line. The second is of the module, in a later function than the ops before.
        """
        paths, taken = self._paths, self.taken
        return {
            path: [(taken[one.via], taken[one.op]) for ops in files.values() for one in paths.returns(ops)]
            for path, files in self.sources.items()
        }

    def clashes(self) -> Iterator[str]:
        """Yield the places of the source for which locations name two functions."""
        names: dict[str, str] = {}
        places = map(self._places.__getitem__, dict.fromkeys(self._place_of))
        return (one.file for one in places if names.setdefault(one.file, one.function) != one.function)

    @cached_property
    def between(self) -> list[int]:
        """The ops outside the functions that use results of functions and give results to functions.

        Code generation makes all calls in one place, so no such op can stay. Only ops of the first block
        count, and none before the lowering to TTNN.
        """
        ir = self.ir
        blocks = [block for region in ir.regions_of[self.op] for block in ir.region_blocks[region]]
        if not is_lowered(ir) or not blocks:
            return []
        inside = {self.taken[k] for k in self.order}
        stopping = {op for op, one in self.unreadable.items() if not one.is_left} | set(self.prefixed)
        outside = [
            op
            for op in ir.block_ops[blocks[0]]
            if op not in stopping and not ends_block(ir, op) and inside.isdisjoint((op, *ir.nested_ops(op)))
        ]
        makers = {op: {ir.value_owner[value] for value in values_used(ir, op)} for op in outside}
        fed: set[int] = set()
        for op in outside:
            if not (inside | fed).isdisjoint(makers[op]):
                fed.add(op)
        wanted = {ir.value_owner[value] for k in self.order for value in values_used(ir, self.taken[k])}
        for op in reversed(outside):
            if op in wanted:
                wanted |= makers[op]
        return [op for op in outside if op in fed and op in wanted]

    def made(self) -> MadeFunctions:
        """Return the functions of the try that is shown."""
        dump, group, order = self._dump, array("i", self._grouped.group), array("i", self.order)
        return MadeFunctions(dump.ir, dump.users, self.op, self.taken, self._names, group, order)


def _numbered(keys: Iterable[Hashable]) -> list[int]:
    """Return a number per key, from 0 on. Equal keys have the same."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]
