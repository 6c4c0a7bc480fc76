"""The resources that ops touch: which values may share a buffer, and which ops keep their order.

**Buffers.** An effect on one of several values that may share a buffer is an effect on all. A result may
share the buffer of an operand unless the op's row says ``fresh``. Values also pass along region edges, as
arguments and through terminators, and from block to block. Values joined here need not share a buffer: an
extra dependence is safe, a missing one is not.

A tensor is in memory if it shares its buffer with an address, or is an operand of an unknown op. That op may
keep the tensor, and any later op may change it. There is one exception: in MLIR's own dialects a tensor is a
value that nothing changes. So if all ops of a dump are of these dialects, a tensor that an unknown op got,
such as a call of a function that the dump only declares, is *kept*: other ops may use it without reading
memory.

**Conflicts.** Two ops conflict if they touch one resource and one of them writes or frees it. A resource and
a part of it are one resource here: ``EVERYTHING`` is all memory and all buffers, ``MEMORY`` has the
allocations as parts, and these have their elements. The effects of nested ops count as those of the op.
``conflicts`` yields enough pairs: if two ops of a block conflict, a chain of pairs connects them.

The walk visits the ops in textual order, nested ops included. For each resource it remembers the last op that
changed it and the ops that read it since. So there are a few pairs per touch, and at most ``MANY``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics import forms
from eio_audit.mlir.semantics.accesses import IN_ORDER
from eio_audit.mlir.semantics.calls import OUTSIDE, Calls
from eio_audit.mlir.semantics.value_types import Storage, ValueTypes
from eio_audit.mlir.traits import EVERYTHING, OpTraits

MEMORY = "memory"  # all memory that addresses point to
_KEPT = "kept"
"""The tensors in memory that are still values for all ops but the unknown ones that may keep them."""


def handle(value: int) -> int:
    """Return the resource of a value itself, without others that share its buffer."""
    return -1 - value


def operands_at(ir: IR, op: int, where: str) -> Sequence[int]:
    """Return the operands that ``operand N`` of a row may mean. Empty for another ``where``.

    Generic assembly prints operands in the order of their definition, and so do the ops ``IN_ORDER``. In
    other custom assembly, and where the position varies, it may be any of them.
    """
    kind, _, number = where.partition(" ")
    if kind != "operand":
        return ()
    operands = ir.operands_of(op)
    is_in_order = ir.op_is_generic[op] or IN_ORDER.fullmatch(ir.name(op)) is not None
    is_certain = is_in_order and number.isdigit() and int(number) < len(operands)
    return operands[int(number) : int(number) + 1] if is_certain else operands


class Buffers:
    """The values of one dump, grouped by the buffer they may share.

    ``row_of`` has, by op, the number of its row among ``rows``, the traits; ``calls`` has the calls of known
    functions; ``is_unknown`` tells whether an op may do anything, ``on`` what another one does to its places.

    Complexity: almost linear in ops, operands and values.
    """

    def __init__(
        self,
        ir: IR,
        row_of: Sequence[int],
        rows: Sequence[OpTraits],
        calls: Calls,
        is_unknown: Callable[[int], bool],
        on: Callable[[int], Iterable[Mapping[str, frozenset[str]]]],
    ) -> None:
        self._ir = ir
        self._types = ValueTypes(ir)
        self._on = on
        self._joined_to: dict[int | str, int | str] = {}  # a union-find forest; MEMORY stays a root
        self._declares = [row.is_declaration for row in rows]
        # Where the operands and the results of unknown ops are:
        self._escaped = _KEPT if all(map(ir.op_table.keeps_values, ir.names)) else MEMORY
        for op, row in enumerate(row_of):
            if not self._declares[row]:
                self._join_results(op, rows[row], escapes=is_unknown(op))
        for parent, blocks in self._blocks.items():
            self._join_across_edges(parent, blocks, escapes=parent >= 0 and is_unknown(parent))
        if self._types.has_unknown_types:
            values = range(len(ir.value_owner))
            self._join([value for value in values if self._types.of(value) is Storage.ANYTHING])
        self._join_across_calls(calls)

    def resource(self, value: int) -> int | str | None:
        """Return where the content of a value is, or what the value is the address of.

        Returns:
        ``MEMORY``; a buffer, as a value that represents all that may share it; None for a plain value.
        """
        place = self._place(value)
        return MEMORY if place == _KEPT else place

    def is_address(self, value: int) -> bool:
        """Whether the value may be the address of memory."""
        return bool(self._types.of(value) & Storage.ADDRESS)

    def contents(self, resources: Container[int | str]) -> dict[int, set[int | str]]:
        """Return, by value, the resources among ``resources`` that an op reads when it uses the value."""
        found: dict[int, set[int | str]] = {}
        for value in range(len(self._ir.value_owner)):
            if value in self._joined_to or value in resources or handle(value) in resources:
                touched = (self._place(value), handle(value))
                read = {one for one in touched if one is not None and one in resources}
                if read and self._types.of(value) & Storage.CONTENT:
                    found[value] = read
        return found

    def arguments(self, function: int) -> list[int]:
        """Return the arguments of a function, or of another op's first block."""
        blocks = self._blocks.get(function)
        return self._ir.block_arguments.get(blocks[0][0], []) if blocks else []

    @cached_property
    def _blocks(self) -> dict[int, list[list[int]]]:
        """By op, -1 for the top level, the blocks of each region that is not empty."""
        by_op: dict[int, list[list[int]]] = {}
        for op, blocks in zip(self._ir.region_op, self._ir.region_blocks, strict=True):
            if blocks:
                by_op.setdefault(op, []).append(blocks)
        return by_op

    def _place(self, value: int) -> int | str | None:
        """Return ``MEMORY``, ``_KEPT``, a buffer, or None for a plain value."""
        storage = self._types.of(value)
        if storage is Storage.PLAIN:
            return None
        return MEMORY if storage & Storage.ADDRESS else self._root(value)

    def _join_results(self, op: int, row: OpTraits, *, escapes: bool) -> None:
        """Join the results of an op with its operands. An unknown op puts all of them into memory."""
        ir = self._ir
        if escapes:
            self._join([*ir.operands_of(op), *ir.result_values(op)], self._escaped)
        elif results := ir.result_values(op):
            handed_on = ir.operands_of(op)
            if "fresh" in row.flags:  # only a written operand may be returned as a result
                places = chain.from_iterable(on.items() for on in self._on(op))
                written = [where for where, kinds in places if "write" in kinds]
                handed_on = [value for where in written for value in operands_at(ir, op, where)]
            self._join([*handed_on, *results], MEMORY if "shared" in row.flags else None)

    def _join(self, values: Sequence[int], place: int | str | None = None) -> None:
        """Join values that may share a buffer, or are in a place. With an address, all are in memory."""
        storages = list(map(self._types.of, values))
        roots = [self._root(value) for value, storage in zip(values, storages, strict=True) if storage]
        if not roots:
            return
        if place is not None:
            roots.append(self._root(place))
        if any(storage & Storage.ADDRESS for storage in storages):
            roots.append(MEMORY)
        shared = next((one for one in (MEMORY, _KEPT) if one in roots), roots[0])
        self._joined_to.update((root, shared) for root in roots if root != shared)

    def _root(self, value: int | str) -> int | str:
        joined_to, root = self._joined_to, value
        while (above := joined_to.get(root, root)) != root:
            root = above
        while value != root:
            joined_to[value], value = root, joined_to[value]  # a shorter way for the next search
        return root

    def _join_across_edges(self, parent: int, regions: Sequence[Sequence[int]], *, escapes: bool) -> None:
        """Join block arguments with what terminators pass on. A function's arguments are its own."""
        ir = self._ir
        is_closed = parent < 0 or self._declares[ir.op_name[parent]]
        for blocks in regions:
            if is_closed and len(blocks) == 1:
                continue
            passed = [value for block in blocks for value in self._handed_over(block)]
            for block in blocks[1:] if is_closed else blocks:
                passed += ir.block_arguments.get(block, ())
            if not is_closed:  # operands may become arguments, and what is passed out may be a result
                passed += [*ir.result_values(parent), *ir.operands_of(parent)]
            self._join(passed, self._escaped if escapes else None)

    def _join_across_calls(self, calls: Calls) -> None:
        """Put into the callers' memory what a function puts into memory or returns from there.

        Arguments for which callers pass one buffer share it inside the function. The same holds for memory.
        """
        ir, callee = self._ir, calls.callee
        places: dict[int | None, str | None] = {}  # by function, where it puts its arguments and results
        for function, inside in calls.by_function.items():
            for call in inside:
                if (place := places.get(callee.get(call))) is not None:
                    self._join([*ir.operands_of(call), *ir.result_values(call)], place)
            if function != OUTSIDE:
                places[function] = self._place_in_memory(function)
        # Callers first here: what a function gets, it may pass to its own callees.
        for call in chain.from_iterable(reversed(calls.by_function.values())):
            if call in callee:
                self._pass_arguments(ir.operands_of(call), callee[call])

    def _place_in_memory(self, function: int) -> str | None:
        """Return ``MEMORY`` or ``_KEPT`` if an argument or a result of a function is a tensor there."""
        values = list(self.arguments(function))
        for block in chain.from_iterable(self._blocks.get(function, ())):
            values += self._handed_over(block)
        places = {self._place(value) for value in values if self._types.of(value) & Storage.CONTENT}
        return next((place for place in (MEMORY, _KEPT) if place in places), None)

    def _pass_arguments(self, operands: Sequence[int], function: int) -> None:
        """Join the arguments of a function for which a call passes one buffer, or what is in memory."""
        passed: dict[int | str, list[int]] = {}
        for operand, argument in zip(operands, self.arguments(function), strict=False):
            if (place := self._place(operand)) is not None:
                passed.setdefault(place, []).append(argument)
        for place, arguments in passed.items():
            self._join(arguments, place if isinstance(place, str) else None)

    def _handed_over(self, block: int) -> list[int]:
        """Return the operands of the terminator. If it is unknown, those of all ops that may be it.

        Custom assembly omits a terminator without operands, so the last op need not be one. Which op is last
        must not matter, since a reorder may change it.
        """
        ir, ops = self._ir, self._ir.block_ops[block]
        may_be = [op for op in ops if ir.op_table.may_be_terminator(ir.name(op))]
        if may_be and ir.name(may_be[-1]) in ir.op_table.rows:
            may_be = may_be[-1:]
        return [value for op in may_be for value in ir.operands_of(op)]


CHANGES = frozenset({"write", "free"})  # the kinds that conflict with every other effect on the same resource
Resource = int | str | tuple[int, ...]
"""A buffer or a handle, memory or a state by name, or an allocation by its value, -1 for what is outside the
function, with the indices of an element or the number of a global behind it."""
Touches = Mapping[Resource, frozenset[str]]  # by resource, the kinds of effect on it: `read`, `write`, `free`
_SEEN_OUTSIDE = frozenset(("communication", "files"))
"""States that an effect on no value concerns: a barrier orders what threads print before and behind it."""
MANY = 8  # up to this many ops, each op waits for every earlier one; see ``_Alternation``


def conflicts(
    ir: IR,
    touching: Sequence[int],
    touches: Callable[[int], Touches],
    fences: Collection[int],
    blocks: Collection[int],
) -> Iterator[tuple[int, int, int]]:
    """Yield (block, earlier op, later op) for ops of ``blocks`` that keep their order. Pairs may repeat.

    ``touching`` are the ops that touch anything, ascending; ``touches`` tells what. No op crosses a fence.

    Complexity: O(n log n) for n touches.
    """
    walked = -1
    for block in sorted(blocks, key=lambda block: ir.block_ops[block][0]):
        first, end = ir.block_ops[block][0], ir.subtree_end[ir.block_ops[block][-1]]
        if first < walked:
            continue  # a block nested in a block that has been walked, which yielded its pairs
        walked = end
        walk = _Walk(ir, block)
        for op in touching[bisect_left(touching, first) : bisect_left(touching, end)]:
            for pair in walk.visit(op, touches(op)):
                if pair[0] in blocks:
                    yield pair
    yield from _fenced(ir, sorted(fences), blocks)
    yield from _in_place(ir, blocks)


def _in_place(ir: IR, blocks: Collection[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the pairs that keep ops on their side of one that has a place among them."""
    for op in forms.ops_with_places(ir):
        block = ir.op_block[op]
        others: Sequence[int] = ()
        if forms.must_be_first(ir, op) or forms.must_precede_terminator(ir, op):
            others = ir.block_ops[block]
        elif ir.name(op) == forms.COUNTED:
            others = [other for other in ir.block_ops[block] if ir.name(other) == forms.COUNTED]
        if block in blocks:
            yield from ((block, min(op, other), max(op, other)) for other in others if other != op)


def _fenced(ir: IR, fences: Sequence[int], blocks: Collection[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the pairs that keep every op on its side of a fence, or of an op with a fence inside."""
    for block in blocks if fences else ():
        last, since = -1, list[int]()
        for op in ir.block_ops[block]:
            if last >= 0:
                yield block, last, op
            since.append(op)
            nearest = bisect_left(fences, op)
            if nearest < len(fences) and fences[nearest] < ir.subtree_end[op]:
                yield from ((block, earlier, op) for earlier in since[:-1])
                last, since = op, []


class _Node:
    """A resource, with what has touched it and its parts since the last change of the whole.

    Every change of a resource separates the touches before it from those after it.
    """

    __slots__ = ("changes_of_parts", "last_change", "reads", "touches_of_parts")

    def __init__(self) -> None:
        self.last_change = -1
        self.reads: list[int] = []
        self.touches_of_parts: list[int] = []
        self.changes_of_parts = _Alternation()

    def add(self, op: int, *, changes: bool) -> list[int]:
        """Return the earlier ops that an op must stay after if it touches the resource itself."""
        before = [self.last_change] if self.last_change >= 0 else []
        if not changes:
            self.reads.append(op)
            return before + self.changes_of_parts.add(op, op, is_read=True)
        before += self.reads + self.touches_of_parts
        self.last_change, self.reads, self.touches_of_parts = op, [], []
        self.changes_of_parts = _Alternation()
        return before

    def add_part(self, op: int, part: Resource, *, changes: bool) -> list[int]:
        """Return the same for an op that touches a part of the resource, as far as the whole is concerned."""
        self.touches_of_parts.append(op)
        before = [self.last_change] if self.last_change >= 0 else []
        return before + self.changes_of_parts.add(op, part, is_read=False) if changes else before


class _Alternation:
    """Ops that read a resource, and ops that change a part of it. Each kind conflicts with the other.

    If many ops of one kind precede many of the other, the first of the other waits for all of them, and the
    rest wait for that first one. This is stricter than necessary, but n ops make O(n) pairs, not O(n^2). Of
    the changes of one part only the last counts, since it waits for the others.
    """

    def __init__(self) -> None:
        self._are_reads = False  # what ``_current`` has; ``_previous`` has the other kind
        self._current: dict[Resource, int] = {}
        self._first = -1
        self._previous: list[int] = []

    def add(self, op: int, key: Resource, *, is_read: bool) -> list[int]:
        """Return the ops of the other kind that an op must stay after.

        ``key`` is the part that it changes. A read has a key of its own, since every read counts.
        """
        if is_read != self._are_reads:
            self._are_reads, self._previous, self._current = is_read, [*self._current.values()], {}
        if not self._current:
            self._first = op
        self._current[key] = op
        return self._previous if self._first == op or len(self._previous) <= MANY else [self._first]


def _wholes(resource: Resource) -> tuple[Resource, ...]:
    if isinstance(resource, int) or resource in _SEEN_OUTSIDE:
        return (EVERYTHING,)
    if isinstance(resource, tuple):
        return (resource[:1], MEMORY) if len(resource) > 1 else (MEMORY,)
    return ()


class _Walk:
    def __init__(self, ir: IR, block: int) -> None:
        self._ir = ir
        self._block = block
        self._path: list[int] = []  # the current op and the ops around it, outermost first, from ``block`` on
        self._starts: list[int] = []  # by op of the path, the first op of its block
        self._nodes: dict[Resource, _Node] = {}
        self._parts: dict[Resource, list[Resource]] = {}  # by resource, its parts that have a node

    def visit(self, op: int, touches: Touches) -> Iterator[tuple[int, int, int]]:
        """Yield the pairs of the next op with earlier ones."""
        self._enter(op)
        for resource, kinds in touches.items():
            changes = not kinds.isdisjoint(CHANGES)
            before = self._before(op, resource, changes=changes)
            if resource == EVERYTHING:  # what is in memory is a part of MEMORY only
                before += self._before(op, MEMORY, changes=changes)
            for earlier in before:
                if (pair := self._in_one_block(earlier, op)) is not None:
                    yield pair

    def _before(self, op: int, resource: Resource, *, changes: bool) -> list[int]:
        before = list[int]()
        for whole in _wholes(resource):
            before += self._node(whole).add_part(op, resource, changes=changes)
        if changes:  # later touches of its parts wait for the change of the whole, which separates them
            for part in self._parts.pop(resource, ()):
                self._nodes.pop(part, None)
        return before + self._node(resource).add(op, changes=changes)

    def _node(self, resource: Resource) -> _Node:
        if resource not in self._nodes:
            self._nodes[resource] = _Node()
            for whole in _wholes(resource):
                self._parts.setdefault(whole, []).append(resource)
        return self._nodes[resource]

    def _enter(self, op: int) -> None:
        ir, path = self._ir, self._path
        while path and op >= ir.subtree_end[path[-1]]:
            path.pop()
            self._starts.pop()
        inner, added = op, [op]
        while (
            ir.op_block[inner] != self._block
            and (parent := ir.parent_op(ir.op_block[inner])) not in path[-1:]
        ):
            inner = parent
            added.append(inner)
        for inner in reversed(added):
            path.append(inner)
            self._starts.append(ir.block_ops[ir.op_block[inner]][0])

    def _in_one_block(self, earlier: int, op: int) -> tuple[int, int, int] | None:
        """Return the innermost common block and its ops around both. None if one op contains the other."""
        depth = bisect_right(self._starts, earlier) - 1
        later = self._path[depth]
        block = self._ir.op_block[later]
        ops = self._ir.block_ops[block]
        before = ops[bisect_right(ops, earlier) - 1]
        return (block, before, later) if before != later else None
