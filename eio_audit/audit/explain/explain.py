"""Why an op stands where it stands: what it is inverted with, and what holds it or would move it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from eio_audit.audit.check.check import AuditedDump, audit_dump
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.dependence import DependenceGraph, DependenceKind
from eio_audit.audit.explain.dependence_paths import DependencePaths
from eio_audit.audit.explain.op_choice import choose_dump, find_ops
from eio_audit.audit.functions import functions_around
from eio_audit.audit.locations.origin import ModelLine, Origin
from eio_audit.audit.op_label import OpLabel, label
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions, Follow
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.semantics.effects import Effects, EffectSource
from eio_audit.order.displaced import displaced

DESCRIBED_INVERSIONS = 10
"""How many inversions of each kind an explanation describes."""


class InversionKind(StrEnum):
    """What becomes of an inversion."""

    FORCED = "forced"
    """One op depends on the other: it is in every legal order."""
    AVOIDABLE = "avoidable"
    """A fix puts the two in their original order."""
    KNOCK_ON = "knock-on"
    """Neither depends on the other, yet the best order found has them inverted too."""
    UNORDERED = "unordered"
    """They stand in a graph region, which has no order."""


@dataclass(frozen=True, slots=True)
class PathStep:
    """One edge of a dependence path: ``user`` must stay behind ``producer``."""

    producer: OpLabel
    user: OpLabel
    kind: DependenceKind


@dataclass(frozen=True, slots=True)
class FixedPlace:
    """Where a fix puts an op.

    Attributes:
        place: 0-based among the ops of its block.
        moved: it is one of the fewest ops whose moves explain the new order.
        behind: the op before it then; None at the start.
        before: the op behind it then; None at the end.
        inversions: how many inversions it is an end of then.
    """

    place: int
    moved: bool
    behind: OpLabel | None
    before: OpLabel | None
    inversions: int


@dataclass(frozen=True, slots=True)
class InvertedOp:
    """An op that the explained one is inverted with.

    Attributes:
        op: which.
        kind: what becomes of the inversion.
        path: for a forced one, the shortest chain of dependences from the earlier op to the later.
        fixed: for an avoidable one, where a fix puts this op.
    """

    op: OpLabel
    kind: InversionKind
    path: tuple[PathStep, ...] = ()
    fixed: FixedPlace | None = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The op next to another one in the original order.

    Attributes:
        op: which.
        distance: how many places behind the other one it stands; negative where it stands before it.
    """

    op: OpLabel
    distance: int


@dataclass(frozen=True, slots=True)
class OpExplanation:
    """Why one op stands where it stands.

    Attributes:
        op: which.
        function: symbol of the function around its block, or None.
        block: label of its block.
        block_line: 1-based line of that.
        place: 0-based among the ops of the block.
        ops: how many ops the block has.
        origin: what its location tells of the model; None when it tells nothing.
        model_line: where in the model's source it comes from, or None.
        derived: a pass made it from another op, whose index it carries.
        right: the op whose index it should carry, because its own contradicts the dependences; None for an op
            whose index may stay.
        follows: why its index does not count: it is of a sort of ops that are to follow their consumer.
        consumer: the indexed op with which an op that has no say in inversions stays; None for others.
        last_use: of an op that only frees, the last op that it waits for: as the block stands or, where it is
            to follow its last use, as a fix orders it. None for others.
        effects: what it does to memory, its regions included.
        effects_source: how this is known.
        inversions: how many inversions it is an end of.
        kinds: those by kind, only kinds that occur.
        inverted: the ops it is inverted with, at most DESCRIBED_INVERSIONS of a kind: forced ones first,
            the shortest path first; otherwise the largest difference of indices first.
        same_index: how many other ops of the block carry its index.
        lower, higher: the op of the next lower and higher index in the block, the nearest of several.
        fixed: where a fix puts it; None in a graph region, where nothing moves.
    """

    op: OpLabel
    function: str | None
    block: str
    block_line: int
    place: int
    ops: int
    origin: Origin | None
    model_line: ModelLine | None
    derived: bool
    right: OpLabel | None
    follows: Follow | None
    consumer: OpLabel | None
    last_use: OpLabel | None
    effects: Effects
    effects_source: EffectSource
    inversions: int
    kinds: Mapping[InversionKind, int]
    inverted: tuple[InvertedOp, ...]
    same_index: int
    lower: Neighbour | None
    higher: Neighbour | None
    fixed: FixedPlace | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The ops that were asked for, several where they share an index, and the audit of their dump."""

    dump: DumpAudit
    ops: tuple[OpExplanation, ...]


def explain(dumps: Sequence[Dump], op: str, options: AuditOptions = DEFAULT_OPTIONS) -> Explanation:
    """Explains where an op stands.

    Args:
        dumps: the dumps of one source, at least one; a line chooses among them.
        op: ``%name``, ``#index``, a line of the source (``57``, with a column ``57:3``), or a full name that
            only one op has.
        options: as for ``check``.

    Raises:
        InputError: the dump cannot be read, or ``op`` names no op, or more than one other than by index.
    """
    dump = audit_dump(choose_dump(dumps, op), options)
    blocks: dict[int, _Block] = {}
    explanations = []
    for found in find_ops(dump, op):
        block = dump.ir.op_block[found]
        blocks[block] = blocks.get(block) or _Block(dump, block)
        explanations.append(_OpInBlock(blocks[block], found).explain())
    return Explanation(dump.audit, tuple(explanations))


class _Block:
    """A block, and what a fix makes of it. Places are 0-based among its ops, in textual order.

    Attributes:
        order: ``order[k]`` is the place of the op that a fix puts k-th.
    """

    def __init__(self, dump: AuditedDump, block: int) -> None:
        ir = dump.ir
        self.dump = dump
        self.block = block
        self.ops = ir.block_ops[block]
        self.keys = dump.keys.of(self.ops)
        self.function = functions_around(ir)[block]
        self.is_graph = bool(ir.region_is_graph[ir.block_region[block]])
        self.order: Sequence[int] = dump.orders.get(block) or range(len(self.ops))

    def label(self, place: int) -> OpLabel:
        """The op at a place."""
        return label(self.dump.ir, self.dump.indices, self.ops[place])

    @cached_property
    def graph(self) -> DependenceGraph:
        """Its dependences."""
        return self.dump.dependences.of([self.block])[self.block]

    @cached_property
    def new_place(self) -> list[int]:
        """By place: the place a fix gives the op."""
        return sorted(range(len(self.order)), key=self.order.__getitem__)

    @cached_property
    def new_keys(self) -> list[int | None]:
        """The keys in the order a fix gives."""
        return [self.keys[place] for place in self.order]

    @cached_property
    def moved(self) -> frozenset[int]:
        """The places whose ops a fix moves: the fewest that explain the new order."""
        return frozenset(self.order[k] for k in displaced(self.order))

    def fixed(self, place: int) -> FixedPlace:
        """Where a fix puts the op at a place."""
        order, new = self.order, self.new_place[place]
        return FixedPlace(
            place=new,
            moved=place in self.moved,
            behind=self.label(order[new - 1]) if new else None,
            before=self.label(order[new + 1]) if new + 1 < len(order) else None,
            inversions=len(_inverted_with(self.new_keys, new)),
        )


class _OpInBlock:
    """One op among the others of its block."""

    def __init__(self, block: _Block, op: int) -> None:
        self.dump = block.dump
        self.block = block
        self.op = op
        self.place = block.ops.index(op)
        self.keys = block.keys

    def explain(self) -> OpExplanation:
        """Gathers all there is to say."""
        ir, indices, block = self.dump.ir, self.dump.indices, self.block
        table = self.dump.dependences.effects
        inverted = _inverted_with(self.keys, self.place)
        kinds = [self._kind(place) for place in inverted]
        numbers = Counter(kinds)
        return OpExplanation(
            op=block.label(self.place),
            function=block.function,
            block=ir.block_name(block.block),
            block_line=ir.source.line_at(ir.block_offset(block.block)),
            place=self.place,
            ops=len(block.ops),
            origin=indices.origin(self.op),
            model_line=indices.model_line(self.op),
            derived=indices.is_derived(self.op),
            right=label(ir, indices, self.dump.donors[self.op]) if self.op in self.dump.donors else None,
            follows=self.dump.keys.follows(self.op),
            consumer=self._consumer(),
            last_use=self._last_use(),
            effects=table.of(self.op),
            effects_source=table.source_of(self.op),
            inversions=len(inverted),
            kinds={kind: numbers[kind] for kind in InversionKind if kind in numbers},
            inverted=tuple(self._described(list(zip(inverted, kinds, strict=True)))),
            same_index=self.keys.count(self._own_key) - 1 if self._own_key is not None else 0,
            lower=self._neighbour(higher=False),
            higher=self._neighbour(higher=True),
            fixed=None if block.is_graph else block.fixed(self.place),
        )

    @property
    def _own_key(self) -> int | None:
        return self.keys[self.place]

    # ------------------------------------------------------------------ inversions

    def _kind(self, place: int) -> InversionKind:
        if self.block.is_graph:
            return InversionKind.UNORDERED
        if self._paths.reach(place):
            return InversionKind.FORCED
        new_place = self.block.new_place
        is_before = new_place[place] < new_place[self.place]
        return InversionKind.KNOCK_ON if is_before == (place < self.place) else InversionKind.AVOIDABLE

    def _described(self, inversions: Sequence[tuple[int, InversionKind]]) -> list[InvertedOp]:
        described = []
        for kind in InversionKind:
            places = [place for place, other in inversions if other == kind]
            places.sort(key=lambda place: (self._path_length(place, kind), -self._gap(place), place))
            described += [self._inverted(place, kind) for place in places[:DESCRIBED_INVERSIONS]]
        return described

    def _inverted(self, place: int, kind: InversionKind) -> InvertedOp:
        path = self._paths.between(place) if kind is InversionKind.FORCED else []
        return InvertedOp(
            op=self.block.label(place),
            kind=kind,
            path=tuple(PathStep(self.block.label(u), self.block.label(v), how) for u, v, how in path),
            fixed=self.block.fixed(place) if kind is InversionKind.AVOIDABLE else None,
        )

    def _path_length(self, place: int, kind: InversionKind) -> int:
        return self._paths.length(place) if kind is InversionKind.FORCED else 0

    def _gap(self, place: int) -> int:
        own, other = self._own_key, self.keys[place]
        assert own is not None and other is not None
        return abs(own - other)

    @cached_property
    def _paths(self) -> DependencePaths:
        return DependencePaths(self.block.graph, self.place)

    # ------------------------------------------------------------------ the original order

    def _neighbour(self, *, higher: bool) -> Neighbour | None:
        """The op of the next index above or below; of several the nearest."""
        own = self._own_key
        if own is None:
            return None
        beyond = [
            (abs(key - own), abs(place - self.place), place)
            for place, key in enumerate(self.keys)
            if key is not None and (key > own if higher else key < own)
        ]
        if not beyond:
            return None
        place = min(beyond)[2]
        return Neighbour(self.block.label(place), place - self.place)

    def _consumer(self) -> OpLabel | None:
        """The indexed op that an unindexed one stays with: its user of lowest index, else a producer."""
        if self._own_key is not None or self.block.is_graph or self._follows_last_use:
            return None
        precedence = self.block.graph.precedence
        users = self._first_indexed(precedence.successors)
        producers = self._first_indexed(precedence.predecessors)
        if users:
            return self.block.label(min(users)[1])
        return self.block.label(max(producers)[1]) if producers else None

    @property
    def _follows_last_use(self) -> bool:
        return self.place in self.dump.keys.frees_that_follow(self.block.block)

    def _last_use(self) -> OpLabel | None:
        """The last op that is no free of those that a free waits for."""
        frees = self.dump.keys.frees_in(self.block.block)
        if self.place not in frees or self.block.is_graph:
            return None
        predecessors = self.block.graph.precedence.predecessors
        seen, pending = {self.place}, [self.place]
        while pending:
            found = [place for place in predecessors(pending.pop()) if place not in seen]
            seen.update(found)
            pending += [place for place in found if place in frees]
        order = self.block.new_place if self._follows_last_use else range(len(self.keys))
        uses = [place for place in seen if place not in frees]
        return self.block.label(max(uses, key=order.__getitem__)) if uses else None

    def _first_indexed(self, neighbours_of: Callable[[int], Sequence[int]]) -> list[tuple[int, int]]:
        """(index, place) of the ops that are reached through unindexed ops only."""
        found, seen, pending = [], {self.place}, [self.place]
        while pending:
            for place in neighbours_of(pending.pop()):
                if place in seen:
                    continue
                seen.add(place)
                key = self.keys[place]
                if key is None:
                    pending.append(place)
                else:
                    found.append((key, place))
        return found


def _inverted_with(keys: Sequence[int | None], place: int) -> list[int]:
    """The places whose keys are inverted with the key at ``place``."""
    own = keys[place]
    if own is None:
        return []
    return [
        other
        for other, key in enumerate(keys)
        if key is not None and (key > own if other < place else key < own)
    ]
