"""Explanations of the place of an op: its inversions, and what keeps it there or would move it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from operator import gt, lt
from typing import NamedTuple

from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.check.keyed_block import FixedBlock, PairClasses
from eio_audit.audit.dependence import DependenceGraph, DependenceKind
from eio_audit.audit.explain.op_choice import choose_dump, find_ops
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.audit.locations.parsed_locations import ModelLine, Origin
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions, Follow
from eio_audit.audit.pair_class import PairClass
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.semantics.effects import Effects, EffectSource

DESCRIBED_INVERSIONS = 10  # the most inversions of each kind that an explanation describes


class InversionKind(StrEnum):
    """The kind of an inversion."""

    FORCED = "forced"
    """One op depends on the other, so every legal order has the inversion."""
    AVOIDABLE = "avoidable"
    """A fix puts the two in their original order."""
    KNOCK_ON = "knock-on"
    """Neither depends on the other, but the best order found has the inversion, too."""
    NOT_COMPARABLE = "not comparable"
    """The original order does not say how the two should stand: see their class."""
    UNORDERED = "unordered"
    """They are in a graph region, which has no order."""


class PathStep(NamedTuple):
    """One edge of a dependence path: ``user`` must stay after ``producer``."""

    producer: OpLabel
    user: OpLabel
    kind: DependenceKind


class FixedPlace(NamedTuple):
    """The place that a fix gives an op."""

    place: int  # 0-based place among the ops of its block
    moved: bool  # whether it is one of the fewest ops whose moves explain the new order
    after: OpLabel | None  # the op directly before it; None at the start
    before: OpLabel | None  # the op directly after it; None at the end
    inversions: int  # how many inversions it is in after the fix


class InvertedOp(NamedTuple):
    """An op that the explained one is inverted with."""

    op: OpLabel
    kind: InversionKind  # the kind of the inversion
    pair_class: PairClass | None  # its class; None in a graph region
    # If one depends on the other, a shortest path of dependences from the earlier op to the later.
    path: tuple[PathStep, ...] = ()
    fixed: FixedPlace | None = None  # for an avoidable inversion, the place that a fix gives this op


class Neighbour(NamedTuple):
    """An original neighbour of an op."""

    op: OpLabel
    distance: int  # how many places it is after the op in the dump; negative if it is before


class OpExplanation(NamedTuple):
    """Why one op is where it is."""

    op: OpLabel
    function: str | None  # symbol of the function around its block, or None
    block: str  # label of its block
    block_line: int  # 1-based line of the label
    place: int  # 0-based place among the ops of the block
    ops: int  # number of ops of the block
    origin: Origin | None  # the place in the model that its location names, or None
    model_line: ModelLine | None  # its line of the model's source, or None
    derived: bool  # whether a pass made it from another op, whose index it carries
    # The op whose index it should carry, if its own contradicts the dependences; else None.
    right: OpLabel | None
    follows: Follow | None  # the `--follow` option that ignores its index, or None
    # For an op that does not count in inversions, the indexed op that it stays with; else None.
    consumer: OpLabel | None
    # For an op that only frees, the last op that it waits for: in textual order, or in the order of a
    # fix if `--follow` moves it there. None for other ops.
    last_use: OpLabel | None
    effects: Effects  # its memory effects, including its regions
    effects_source: EffectSource  # where these are known from
    inversions: int  # how many inversions it is in
    kinds: Mapping[InversionKind, int]  # the number of these per kind, without kinds that do not occur
    # The ops it is inverted with, at most DESCRIBED_INVERSIONS per kind: first the forced ones by
    # length of the path, then the others by falling difference of indices.
    inverted: tuple[InvertedOp, ...]
    same_index: int  # how many other ops of the block carry its index
    lower: Neighbour | None  # the op with the next lower index in the block, the nearest of several
    higher: Neighbour | None  # the same for the next higher index
    fixed: FixedPlace | None  # the place that a fix gives it; None in a graph region, where nothing moves


class Explanation(NamedTuple):
    """The requested ops, several if they share an index, and the audit of their dump."""

    dump: DumpAudit
    ops: tuple[OpExplanation, ...]


def explain(dumps: Sequence[Dump], op: str, options: AuditOptions = DEFAULT_OPTIONS) -> Explanation:
    """Explain why an op is where it is.

    Args:
        dumps: the dumps of one source, at least one; a line chooses among them.
        op: ``%name``, ``#index``, a line of the source (``57``, with a column ``57:3``), or a full name that
            only one op has.
        options: as for ``check``.

    Raises:
        InputError: the dump cannot be read, or ``op`` names no op, or several without being an index.
    """
    dump = audit_dump(choose_dump(dumps, op), options)
    found = find_ops(dump, op)
    blocks = {block: FixedBlock(dump, block) for block in {dump.ir.op_block[op] for op in found}}
    explanations = (OpInBlock(blocks[dump.ir.op_block[op]], op).explain() for op in found)
    return Explanation(dump.audit, tuple(explanations))


class OpInBlock:
    """An op in its block."""

    def __init__(self, block: FixedBlock, op: int) -> None:
        self.block = block
        self.op = op
        self.place = block.ops.index(op)
        self.key = block.keys[self.place]

    def explain(self) -> OpExplanation:
        """Return the explanation of the op."""
        block, dump = self.block, self.block.dump
        effects = dump.dependences.effects
        inversions = [(place, self._kind(place)) for place in block.indexed if self._is_inverted(place)]
        numbers = Counter(kind for _, kind in inversions)
        return OpExplanation(
            op=block.label(self.place),
            function=dump.functions[block.number],
            block=dump.ir.block_name(block.number),
            block_line=dump.line_of(block.number),
            place=self.place,
            ops=len(block.ops),
            origin=dump.indices.parsed.origin(self.op),
            model_line=dump.indices.parsed.model_line(self.op),
            derived=bool(dump.indices.derived_by_op[self.op]),
            right=dump.label(dump.donors[self.op]) if self.op in dump.donors else None,
            follows=dump.keys.follows(self.op),
            consumer=self._consumer(),
            last_use=self._last_use(),
            effects=effects.of(self.op),
            effects_source=effects.source_of(self.op),
            inversions=len(inversions),
            kinds={kind: numbers[kind] for kind in InversionKind if kind in numbers},
            inverted=tuple(self._described(inversions)),
            same_index=block.indexed_keys.count(self.key) - 1 if self.key is not None else 0,
            lower=self._neighbour(lt),
            higher=self._neighbour(gt),
            fixed=self._fixed(self.place) if block.has_order else None,
        )

    def _is_inverted(self, place: int) -> bool:
        key, own = self.block.key(place), self.key
        return own is not None and key != own and (key > own) == (place < self.place)

    def _kind(self, place: int) -> InversionKind:
        if not self.block.has_order:
            return InversionKind.UNORDERED
        if not self._classes.of(*sorted((place, self.place))).is_comparable:
            return InversionKind.NOT_COMPARABLE
        if place in self._paths:
            return InversionKind.FORCED
        new_place = self.block.new_place
        is_before = new_place[place] < new_place[self.place]
        return InversionKind.KNOCK_ON if is_before == (place < self.place) else InversionKind.AVOIDABLE

    @cached_property
    def _classes(self) -> PairClasses:
        return PairClasses(self.block)

    def _described(self, inversions: Sequence[tuple[int, InversionKind]]) -> Iterator[InvertedOp]:
        block, own = self.block, self.key

        def is_dependent(place: int) -> bool:
            return block.has_order and place in self._paths

        def rank(place: int) -> tuple[int, int, int]:
            length = self._paths[place][1] if is_dependent(place) else 0
            return length, -abs(block.key(place) - (own or 0)), place

        for kind in InversionKind:
            places = sorted((place for place, other in inversions if other == kind), key=rank)
            for place in places[:DESCRIBED_INVERSIONS]:
                yield InvertedOp(
                    op=block.label(place),
                    kind=kind,
                    pair_class=self._classes.of(*sorted((place, self.place))) if block.has_order else None,
                    path=tuple(self._path(place)) if is_dependent(place) else (),
                    fixed=self._fixed(place) if kind is InversionKind.AVOIDABLE else None,
                )

    def _fixed(self, place: int) -> FixedPlace:
        block, order, new = self.block, self.block.order, self.block.new_place[place]
        return FixedPlace(
            place=new,
            moved=place in block.moved,
            after=block.label(order[new - 1]) if new else None,
            before=block.label(order[new + 1]) if new + 1 < len(order) else None,
            inversions=block.inversions_at_fixed.get(place, 0),
        )

    @property
    def _graph(self) -> DependenceGraph:
        assert self.block.graph is not None
        return self.block.graph

    @cached_property
    def _paths(self) -> dict[int, tuple[int, int]]:
        """Per place of an ancestor or descendant, the next place on a shortest path, and its length."""
        precedence = self._graph.precedence
        return _search(precedence.successors, self.place) | _search(precedence.predecessors, self.place)

    def _path(self, place: int) -> Iterator[PathStep]:
        """Yield the edges of a shortest path, from the earlier op to the later one."""
        chain = [place]
        while chain[-1] != self.place:
            chain.append(self._paths[chain[-1]][0])
        for producer, user in pairwise(sorted(chain)):
            label = self.block.label
            yield PathStep(label(producer), label(user), self._kinds[producer, user])

    @cached_property
    def _kinds(self) -> dict[tuple[int, int], DependenceKind]:
        return self._graph.kinds()

    def _neighbour(self, is_beyond: Callable[[int, int], bool]) -> Neighbour | None:
        """Return the op with the next index that is higher (``gt``) or lower; of several, the nearest."""
        own, block = self.key, self.block
        if own is None:
            return None
        beyond = (place for place in block.indexed if is_beyond(block.key(place), own))
        place = min(beyond, key=lambda p: (abs(block.key(p) - own), abs(p - self.place), p), default=None)
        return None if place is None else Neighbour(block.label(place), place - self.place)

    def _consumer(self) -> OpLabel | None:
        """Return the indexed op that an unindexed op stays with: a user of lowest index, else a producer."""
        if self.key is not None or not self.block.has_order or self.place in self.block.frees_that_follow:
            return None
        keys, precedence = self.block.keys, self._graph.precedence
        for neighbours_of, choose in ((precedence.successors, min), (precedence.predecessors, max)):
            reached = _search(neighbours_of, self.place, lambda place: keys[place] is None)
            if indexed := [(key, place) for place in reached if (key := keys[place]) is not None]:
                return self.block.label(choose(indexed)[1])
        return None

    def _last_use(self) -> OpLabel | None:
        """Return the last op that a free waits for and that is not a free itself."""
        block = self.block
        frees = block.dump.keys.frees_in(block.number)
        if self.place not in frees or not block.has_order:
            return None
        reached = _search(self._graph.precedence.predecessors, self.place, frees.__contains__)
        order = block.new_place if self.place in block.frees_that_follow else range(len(block.ops))
        uses = [place for place in reached if place not in frees]
        return block.label(max(uses, key=order.__getitem__)) if uses else None


def _search(
    neighbours_of: Callable[[int], Sequence[int]],
    start: int,
    is_passed: Callable[[int], bool] = lambda _: True,
) -> dict[int, tuple[int, int]]:
    """Return, per place reached through ``is_passed``, its predecessor on a shortest path, and the length."""
    steps: dict[int, tuple[int, int]] = {}
    pending = deque([(start, 0)])
    while pending:
        place, length = pending.popleft()
        for neighbour in neighbours_of(place):
            if neighbour not in steps:
                steps[neighbour] = place, length + 1
                if is_passed(neighbour):
                    pending.append((neighbour, length + 1))
    return steps
