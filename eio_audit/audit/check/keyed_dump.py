"""A dump that has been read, with the keys of its ops, and with its audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import compress, count, islice, repeat
from operator import eq, ne
from typing import Any, NamedTuple

from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.dependence import Dependences
from eio_audit.audit.locations.original_index import OpLabel, OriginalIndices, label
from eio_audit.audit.options import AuditOptions, Follow
from eio_audit.mlir.input.dumps import Dump, expect_dump, without_ops
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.semantics.functions import functions_around, outermost_functions, runs_ahead
from eio_audit.mlir.traits import UNLISTED, OpTraits
from eio_audit.order.effort import Effort


class OrderKeys:
    """The keys of one dump's ops."""

    def __init__(self, ir: IR, indices: OriginalIndices, options: AuditOptions) -> None:
        self.indices = indices  # the op indices of all ops, followed or not
        self._ir = ir
        self._follow = options.follow
        self._assume_pure = options.assume_pure
        self.comparisons: dict[int, Any] = {}  # what is known of its blocks, for ``KeyedBlock``

    @cached_property
    def by_op(self) -> list[int | None]:
        """Per op, its key; None for an op that does not count in inversions, as all of an invalid dump."""
        if self._ir.faults:
            return [None] * len(self._ir)
        keys = self.indices.by_op
        followers = [flags for follow in self._follow if 1 in (flags := self.flags(Follow(follow)))]
        if followers:
            keys = keys[:]
            for flags in followers:
                for op in compress(range(len(keys)), flags):
                    keys[op] = None
        return keys

    def follows(self, op: int) -> Follow | None:
        """Return why an op with an index follows another; None if it does not."""
        if self.indices.index(op) is None:
            return None
        sorts = (Follow.FREES, Follow.DERIVED, Follow.CONSTANTS, Follow.SPLITS, Follow.AHEAD)
        return next((sort for sort in sorts if sort in self._follow and self.flags(sort)[op]), None)

    def flags(self, follow: Follow) -> bytearray:
        """Return, per op, 1 if ``follow`` names its kind."""
        match follow:
            case Follow.DERIVED:
                return self.indices.derived_by_op
            case Follow.CONSTANTS:
                return self.constants_by_op
            case Follow.SPLITS:
                return self.splits_by_op
            case Follow.AHEAD:
                return self._ahead_by_op
            case Follow.FREES:
                return self.frees_by_op
            case Follow.NONE:
                return bytearray()

    @cached_property
    def keyed_by_block(self) -> list[int]:
        """Per block, how many ops have a key."""
        blocks = (self._ir.of_block(block, self.by_op) for block in range(self._ir.block_count))
        return [len(keys) - keys.count(None) for keys in blocks]

    @cached_property
    def disordered_blocks(self) -> list[int]:
        """The blocks that have an inversion."""
        disordered = []
        for block in range(self._ir.block_count):
            keys = [key for key in self._ir.of_block(block, self.by_op) if key is not None]
            if keys != sorted(keys):
                disordered.append(block)
        return disordered

    @cached_property
    def followed_by_block(self) -> list[int]:
        """Per block, how many ops carry an index but follow others."""
        is_followed = map(ne, self.indices.by_op, self.by_op) if self.by_op is not self.indices.by_op else ()
        return self._count_by_block(compress(count(), is_followed))

    @property
    def followed_frees_by_block(self) -> list[int]:
        """Per block, how many of these only free."""
        frees = compress(count(), self.frees_by_op if self._moves_frees else ())
        return self._count_by_block(op for op in frees if self.indices.index(op) is not None)

    def count_keyed(self, flags: bytearray) -> list[int]:
        """Return, per block, how many ops with a key have a flag."""
        ops = compress(count(), flags) if 1 in flags else ()
        return self._count_by_block(op for op in ops if self.by_op[op] is not None)

    def _count_by_block(self, ops: Iterable[int]) -> list[int]:
        counts = Counter(map(self._ir.op_block.__getitem__, ops))
        return list(map(counts.get, range(self._ir.block_count), repeat(0)))

    @cached_property
    def constants_by_op(self) -> bytearray:
        """Per op, 1 if it has no operands and is pure, a constant or an allocation by the op table."""
        names, rows = self._ir.names, self._ir.op_table.rows
        return self._without_operands([_may_be_constant(rows.get(name, UNLISTED)) for name in names])

    @cached_property
    def handles_by_op(self) -> bytearray:
        """Per op, 1 if it has no operands and only gives a handle or an allocation.

        It follows what it serves: it is a constant whose index cannot be wrong.
        """
        names, rows = self._ir.names, self._ir.op_table.rows
        return self._without_operands([_may_be_handle(name, rows.get(name, UNLISTED)) for name in names])

    def _without_operands(self, is_wanted: Sequence[bool]) -> bytearray:
        """Return, per op, 1 if it has no operands and its name is wanted."""
        ir, flags = self._ir, bytearray(len(self._ir))
        if not any(is_wanted):
            return flags
        starts = ir.operand_start.tolist()
        no_operands = list(compress(count(), map(eq, starts, islice(starts, 1, None))))
        names = map(ir.op_name.__getitem__, no_operands)
        for op in compress(no_operands, map(is_wanted.__getitem__, names)):
            flags[op] = op not in ir.late_operands
        return flags

    @cached_property
    def _ahead_by_op(self) -> bytearray:
        """Per op, 1 if it is in a function that runs ahead."""
        is_ahead = [runs_ahead(function) for function in functions_around(self._ir)]
        return bytearray(map(is_ahead.__getitem__, self._ir.op_block))

    @cached_property
    def splits_by_op(self) -> bytearray:
        """Per op, 1 if it is a split: one of several ops of one name that read the same value.

        They stand directly after its producer, or after one another. Frees in between do not count.
        """
        ir, flags = self._ir, bytearray(len(self._ir))
        for in_block in ir.block_ops:
            ops: Sequence[int] = in_block
            if self.has_frees:
                ops = [op for op in in_block if not self.frees_by_op[op]]
            names = list(map(ir.op_name.__getitem__, ops))
            for first in compress(count(1), map(eq, names[1:], names[2:])):
                for op in self._splits(ops, first):
                    flags[op] = 1
        return flags

    def _splits(self, ops: Sequence[int], first: int) -> Sequence[int]:
        """Return the ops from a place on that have one name and read one value of the op before; or none."""
        ir = self._ir
        values = {value for value in ir.operands_of(ops[first]) if ir.value_owner[value] == ops[first - 1]}
        name, splits = ir.op_name[ops[first]], []
        for op in map(ops.__getitem__, range(first, len(ops)) if values else ()):
            values.intersection_update(ir.operands_of(op))
            if ir.op_name[op] != name or not values:
                break
            splits.append(op)
        return splits if len(splits) > 1 else ()

    @cached_property
    def frees_by_op(self) -> bytearray:
        """Per op, 1 if it only frees its operands by the op table."""
        ir, flags = self._ir, bytearray(len(self._ir))
        only_frees = list(map(self._only_frees, ir.names))
        for op in compress(count(), map(only_frees.__getitem__, ir.op_name)) if any(only_frees) else ():
            flags[op] = not ir.result_count(op)
        if any("call" in name for name in ir.names):
            from eio_audit.mlir.semantics.calls import called_ops

            for op, (_, row) in called_ops(ir, self._assume_pure).items():
                flags[op] = row.only_frees and not ir.result_count(op)
        return flags

    @cached_property
    def pieces(self) -> frozenset[int]:
        """The ops with the index of a region op around or before them, or of a branch in an earlier block.

        A lowered loop leaves its index on the branches that it was lowered to.
        """
        ir, by_op, pieces = self._ir, self.indices.by_op, list[int]()
        lowered = set[tuple[int, int | None]]()  # the indices of these ops in each function
        for block, (ops, function) in enumerate(zip(ir.block_ops, outermost_functions(ir), strict=True)):
            if (parent := ir.parent_op(block)) not in (function, -1):
                lowered.add((function, by_op[parent]))
            pieces += (op for op in ops if by_op[op] is not None and (function, by_op[op]) in lowered)
            if ops and len(ir.region_blocks[ir.block_region[block]]) > 1:
                lowered.add((function, by_op[ops[-1]]))
        return frozenset(pieces)

    def range_end(self, op: int) -> int:
        """Return the largest index of an op and what is nested in it; -1 if none has one."""
        inside = self.indices.by_op[op : self._ir.subtree_end[op]]
        return max((index for index in inside if index is not None), default=-1)

    @cached_property
    def has_frees(self) -> bool:
        """Whether any op only frees."""
        return 1 in self.frees_by_op

    def frees_in(self, block: int) -> frozenset[int]:
        """Return the places in a block of the ops that only free."""
        return frozenset(compress(count(), self._ir.of_block(block, self.frees_by_op)))

    def frees_that_follow(self, block: int) -> frozenset[int]:
        """Return the places in a block of the frees that follow their last use."""
        return self.frees_in(block) if self._moves_frees else frozenset()

    @property
    def _moves_frees(self) -> bool:
        return Follow.FREES in self._follow and self.has_frees

    def _only_frees(self, name: str) -> bool:
        """Return whether an op only frees by the op table; an op that is assumed pure waits for no use."""
        is_pure = any(fnmatchcase(name, pattern) for pattern in self._assume_pure)
        return self._ir.op_table.of(name).only_frees and not is_pure


_HANDLES = frozenset(
    {"alloc", "alloc_tensor", "create_token", "empty", "get_device", "poison", "token", "undef"}
)
"""The last parts of the names of ops that give a handle or an allocation if they have no operands."""


def _may_be_constant(row: OpTraits) -> bool:
    """Return whether an op without operands is a constant; terminators and declarations are not."""
    if row.flags & {"terminator", "function", "symbol", "symbol_table"}:
        return False
    has_others = row.recursive or row.dynamic or row.unknown
    is_pure = not (row.effects or has_others)
    only_allocates = "alloc" in row.effects and row.effects <= {"alloc", "read"} and not has_others
    return is_pure or only_allocates or "constant" in row.flags


def _may_be_handle(name: str, row: OpTraits) -> bool:
    return name.rpartition(".")[2] in _HANDLES or ("alloc" in row.effects and _may_be_constant(row))


@dataclass(frozen=True)
class KeyedDump:
    """A dump that has been read."""

    dump: Dump  # its text and marker
    options: AuditOptions  # the options of the audit
    ir: IR  # its structure
    keys: OrderKeys  # the keys of its ops
    dependences: Dependences  # the dependences of its blocks, computed on request
    functions: Sequence[str | None]  # per block, the symbol of the function around it, or None

    @property
    def indices(self) -> OriginalIndices:
        """The indices that the ops' locations carry."""
        return self.keys.indices

    def label(self, op: int) -> OpLabel:
        """Return an op as reports name it."""
        return label(self.ir, self.indices, op)

    def line_of(self, block: int) -> int:
        """Return the 1-based line of a block's label, or of its first op."""
        return self.ir.source.line_at(self.ir.block_offset(block))


def read_dump(
    dump: Dump, options: AuditOptions, ir: IR | None = None, *, may_be_invalid: bool = False
) -> KeyedDump:
    """Read a dump, unless its ``ir`` is given, and find the keys of its ops.

    ``may_be_invalid`` is as for ``read_ir``. No op of an invalid dump has a key: its order is not judged.

    Raises:
        InputError: the dump cannot be read, or is not MLIR.
    """
    if ir is None:
        source = expect_dump(dump).source
        ir = read_ir(source, dump.span, options.op_table, may_be_invalid=may_be_invalid)
    if not len(ir) and (error := without_ops(dump)) is not None:
        raise error
    functions = functions_around(ir)
    indices = OriginalIndices(ir, options.pattern)
    if options.order_from is not None:
        given = options.order_from.indices_of(ir, indices, functions)
        indices = OriginalIndices(ir, options.pattern, given)
    keys, dependences = OrderKeys(ir, indices, options), Dependences(ir, options.assume_pure)
    return KeyedDump(dump, options, ir, keys, dependences, functions)


DESCRIBED_OPS = 10  # how many displaced ops of a block an audit describes, those in the most inversions


class SharedWork:
    """The work that the audits of several dumps share. It saves time and changes no result."""

    def __init__(
        self,
        described_ops: int = DESCRIBED_OPS,
        *,
        finds_wrong_labels: bool = True,
        finds_classes: bool = True,
    ) -> None:
        self.described_ops = described_ops  # how many displaced ops of a block to describe
        self.by_function = False  # whether each function of a dump has its own budgets
        self.finds_wrong_labels = finds_wrong_labels  # the indices that contradict the dependences
        self.finds_classes = finds_classes  # how many avoidable inversions constants and splits cause
        # Per shape and budget left, the result for small blocks of all dumps, and the budget left
        # after it. So the figures of a dump do not depend on the dumps before it.
        self.by_shape_and_budget: dict[Hashable, Any] = {}
        self.begin_dump()

    def of_functions(self) -> SharedWork:
        """Return the same work for dumps of which each function has its own budgets."""
        work = copy(self)
        work.by_function = True
        return work

    def begin_dump(self) -> None:
        """Give the next dump or function its own budgets."""
        self.effort = Effort()  # to find orders
        self.others_effort = Effort()  # to find orders in which constants and splits follow
        self.label_effort = Effort()  # to find wrong labels
        self.by_shape: dict[Hashable, Any] = {}  # the result for small blocks; layers repeat


class OrderOfOthers(NamedTuple):
    """The order found for a block if hoisted constants or splits follow their consumers."""

    follow: Collection[Follow]  # the ops that follow
    order: Sequence[int]  # `order[k]` is the textual index of the op placed k-th


@dataclass(frozen=True)
class AuditedDump(KeyedDump):
    """A dump with its audit and the orders found for its blocks."""

    audit: DumpAudit  # the figures
    blocks: Sequence[int]  # the numbers of the blocks of `audit.blocks`
    # Per block to improve, its order: `order[k]` is the textual index of the op placed k-th.
    orders: dict[int, Sequence[int]]
    moved: dict[int, Sequence[int]]  # per such block, the textual indices of the ops that it moves
    # Per block in which both hoisted constants or splits and other ops have avoidable inversions, the
    # order of the others.
    orders_of_others: dict[int, OrderOfOthers]
    # Per op with a wrong label, the op whose label it should carry. The wrong labels are a set of least
    # weight.
    donors: Mapping[int, int]
    # Per block that has some, its reversed dependences: the places of the two ops, and what both touch.
    reversed_pairs: Mapping[int, Mapping[tuple[int, int], int | str]]
