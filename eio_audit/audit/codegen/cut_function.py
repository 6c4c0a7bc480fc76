"""A function that code generation cuts into others: its ops as the pass reads and orders them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, groupby

from eio_audit.audit.codegen.code import values_used
from eio_audit.audit.codegen.made_functions import MadeFunctions
from eio_audit.audit.codegen.prediction import ModulePath
from eio_audit.audit.codegen.read_dump import ReadDump
from eio_audit.audit.functions import ends_block, function_symbol
from eio_audit.audit.locations.codegen_location import (
    FREE,
    CodegenLocation,
    UnreadableLocation,
    is_lowered,
    read_name,
)
from eio_audit.order.group_bounds import Paths, most_runs
from eio_audit.order.group_order import GroupedOps, QueueTries, queue_tries


class CutFunction:
    """A function that code generation cuts, and the order of its ops.

    Args:
        dump: the dump.
        caller: the function.
        names: per op with a new name, that name.
        places: per op, its place in the order of the text.

    Attributes:
        op: the function.
        symbol: its symbol.
        looked_at: the ops that code generation reads.
        unreadable: the ops whose names cannot be read, and why.
        taken: the ops whose names can be read; ``read`` has what is read, per op.
    """

    def __init__(
        self,
        dump: ReadDump,
        caller: int,
        names: Mapping[int, str],
        places: Sequence[int],
    ) -> None:
        self._dump = dump
        self.ir = ir = dump.ir
        self.op = caller
        self.symbol = function_symbol(ir, caller) or ""
        self.looked_at = dump.ops(caller)
        self.unreadable: dict[int, UnreadableLocation] = {}
        self.taken: list[int] = []
        self.read: list[CodegenLocation] = []
        for op in self.looked_at:
            found = read_name(names[op]) if op in names else dump.location(op)
            if isinstance(found, UnreadableLocation):
                self.unreadable[op] = found
                found = found.meant
            if found is not None:
                self.taken.append(op)
                self.read.append(found)
        self._used = [*map(dump.values_used, self.taken)]
        self._grouped = self._group(places)

    def _group(self, places: Sequence[int]) -> GroupedOps:
        """Return the ops as numbers. Ops of one file and line are a group, and only uses of results count.

        Users are in the order of MLIR's lists: result by result, for each the last user in the text first.
        """
        ir, read = self.ir, self.read
        producers = self._dump.producers(self.op, self.taken)
        numbers = range(len(self.taken))
        in_text = sorted(numbers, key=[places[op] for op in self.taken].__getitem__)
        users_of: dict[int, list[int]] = defaultdict(list)
        for k in reversed(in_text):
            for value in self._used[k]:
                users_of[value].append(k)
        users = [
            list(
                dict.fromkeys(
                    chain.from_iterable([users_of.get(value, ()) for value in ir.result_values(op)])
                )
            )
            for op in self.taken
        ]
        in_order = sorted(in_text, key=[one.index for one in read].__getitem__)
        groups: dict[str, int] = {}
        return GroupedOps(
            group=[groups.setdefault(one.file, len(groups)) for one in read],
            rank=sorted(numbers, key=in_order.__getitem__),
            frees=[ir.name(op) == FREE for op in self.taken],
            producers=producers,
            users=users,
        )

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
        numbers = {path: number for number, path in enumerate(self.sources)}
        module = [numbers.get(one.path, 0) for one in self.read]
        fewest = [len(self.read)] * len(numbers)
        for order in self.tries.orders:
            found = [0] * len(numbers)
            for members in self._members(order):
                for number in {module[k] for k in members}:
                    found[number] += 1
            fewest = list(map(min, fewest, found))
        return dict(zip(numbers, fewest, strict=True))

    @cached_property
    def sources(self) -> dict[ModulePath, dict[str, list[int]]]:
        """Per module that is the innermost of an op in a function, and per file and line, these ops."""
        found: dict[ModulePath, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for k in self.order:
            found[self.read[k].path][self.read[k].file].append(k)
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
        return (one.file for one in self.read if names.setdefault(one.file, one.function) != one.function)

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
        stopping = {op for op, one in self.unreadable.items() if not one.is_left}
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
        wanted = {ir.value_owner[value] for k in self.order for value in self._used[k]}
        for op in reversed(outside):
            if op in wanted:
                wanted |= makers[op]
        return [op for op in outside if op in fed and op in wanted]

    def _members(self, order: Sequence[int]) -> Iterator[list[int]]:
        """Yield the ops of each function that an order makes, in order, as positions in ``taken``."""
        for _, group in groupby(order, key=self._grouped.group.__getitem__):
            yield list(group)

    def made(self) -> MadeFunctions:
        """Return the functions of the try that is shown."""
        members = list(self._members(self.order))
        return MadeFunctions(self._dump, self.op, self.taken, self.read, members)
