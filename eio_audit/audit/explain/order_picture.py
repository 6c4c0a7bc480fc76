"""The order of a block op by op, as plain data to be drawn: where each op stands, where it stood, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from eio_audit.audit.check.check import AuditedDump, audit_dump, measured
from eio_audit.audit.check.disorder import NAMED_OPS, describe_displaced
from eio_audit.audit.check.figures import BlockAudit, DisplacedOp, DumpAudit
from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.explain.dataflow import BlockDataflow, Dataflow
from eio_audit.audit.op_label import OpLabel
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.order.displaced import displaced_in
from eio_audit.order.inversions import inversions_carried
from eio_audit.order.permutation import split_into_runs

PICTURED_BLOCKS = 6
"""How many blocks of a report are drawn, those with most avoidable inversions, then with most of any kind."""

DRAWN_RADIUS = 2
DRAWN_NEIGHBOURS = 30
"""How far the dataflow around a displaced op is drawn, and with how many ops at the most."""


class Disorder(StrEnum):
    """What becomes of a displaced op's inversions; the first that holds."""

    DERIVED = "derived"
    """A pass made it from the op whose index it carries: it never stood there."""
    AVOIDABLE = "avoidable"
    """After a fix it is an end of fewer inversions."""
    FORCED = "forced"
    """A dependence holds it where it is."""
    KNOCK_ON = "knock-on"
    """Nothing holds it, yet the best order found has it in as many inversions."""
    UNORDERED = "unordered"
    """It stands in a graph region, which has no order."""


@dataclass(frozen=True, slots=True)
class PicturedOp:
    """An op of a block, and where it stands.

    Attributes:
        op: which.
        place: 0-based among the ops of the block.
        standing: 0-based among the ops with a say in inversions, as they stand; None for an op without.
        original: 0-based among the same ops in the original order; ops of equal index as they stand.
        inversions: how many inversions it is an end of.
        inversions_fixed: and of how many after a fix.
        disorder: what becomes of them, of a displaced op; None for the others.
    """

    op: OpLabel
    place: int
    standing: int | None
    original: int | None
    inversions: int
    inversions_fixed: int
    disorder: Disorder | None


@dataclass(frozen=True, slots=True)
class OrderPicture:
    """The order of one block, op by op.

    Attributes:
        dump: the audit of the dump.
        block: the audit of the block.
        ops: all ops of the block, in textual order.
        displaced: all displaced ops by their place in the block, those that carry most inversions first.
        dataflow: what surrounds the first of them, in their order; none in a graph region.
    """

    dump: DumpAudit
    block: BlockAudit
    ops: tuple[PicturedOp, ...]
    displaced: dict[int, DisplacedOp]
    dataflow: tuple[Dataflow, ...]


class WorstBlocks:
    """The pictures of the blocks with most avoidable inversions, then with most of any kind.

    Dumps are shown to it one after the other, as ``check`` audits them; only what is drawn is kept. Of a
    block that several dumps of a source show, told by its function and label, the worst state is drawn.

    Args:
        limit: how many blocks, at the most. Blocks without inversions are none.
    """

    def __init__(self, limit: int = PICTURED_BLOCKS) -> None:
        self._limit = limit
        self._shown_blocks = 0
        self._kept: dict[Hashable, tuple[tuple[int, int, int], OrderPicture]] = {}

    def add(self, dump: AuditedDump) -> None:
        """Draws the blocks of a dump that are among the worst so far."""
        seen: Counter[Hashable] = Counter()
        for number, block in enumerate(dump.audit.blocks):
            label = dump.audit.source, block.function, block.block
            seen[label] += 1
            self._shown_blocks += 1
            rank = block.avoidable, block.inversions, -self._shown_blocks
            if block.inversions and self._makes_room_for((label, seen[label]), rank):
                self._kept[label, seen[label]] = rank, _picture(dump, number)

    def _makes_room_for(self, name: Hashable, rank: tuple[int, int, int]) -> bool:
        """Whether a block is to be drawn; what it takes the place of is dropped."""
        if name not in self._kept and len(self._kept) < self._limit:
            return True
        rival = name if name in self._kept else min(self._kept, key=lambda other: self._kept[other][0])
        if self._kept[rival][0] > rank:
            return False
        del self._kept[rival]
        return True

    @property
    def pictures(self) -> list[OrderPicture]:
        """What it holds, in the order in which it was shown."""
        return [picture for rank, picture in sorted(self._kept.values(), key=lambda kept: -kept[0][2])]


def order_pictures(
    dumps: Iterable[Dump],
    options: AuditOptions = DEFAULT_OPTIONS,
    limit: int = PICTURED_BLOCKS,
    *,
    measures_memory: bool = False,
) -> list[OrderPicture]:
    """The pictures of the worst blocks of some dumps, as ``WorstBlocks`` chooses them.

    Args:
        dumps: what to draw.
        options: as for ``check``.
        limit: how many blocks, at the most.
        measures_memory: as for ``check``.

    Raises:
        InputError: a dump cannot be read.
    """
    album = WorstBlocks(limit)
    for dump in dumps:
        audited = audit_dump(dump, options)
        album.add(measured(audited) if measures_memory else audited)
    return album.pictures


def _picture(dump: AuditedDump, number: int) -> OrderPicture:
    """The picture of the block whose audit is the ``number``-th of the dump's."""
    block, audit = dump.keyed_block(dump.blocks[number]), dump.audit.blocks[number]
    original = block.original_places
    places = list(original)
    standing = {place: position for position, place in enumerate(places)}
    runs = split_into_runs(block.counted_keys)
    inversions = runs.carried_by_position()
    carried = dict(zip(places, inversions, strict=True))
    carried_fixed = _carried_after_fix(block, dump.orders.get(block.block)) or carried
    out_of_place = describe_displaced(block, displaced_in(runs), inversions)
    dataflow = BlockDataflow(dump, block) if block.graph is not None else None
    return OrderPicture(
        dump=dump.audit,
        block=audit,
        ops=tuple(
            PicturedOp(
                op=block.label(place),
                place=place,
                standing=standing.get(place),
                original=original.get(place),
                inversions=carried.get(place, 0),
                inversions_fixed=carried_fixed.get(place, 0),
                disorder=_disorder(out_of_place[place], audit, carried_fixed[place])
                if place in out_of_place
                else None,
            )
            for place in range(len(block.ops))
        ),
        displaced=out_of_place,
        dataflow=tuple(
            dataflow.around([place], DRAWN_RADIUS, DRAWN_NEIGHBOURS)
            for place in list(out_of_place)[:NAMED_OPS]
            if dataflow is not None
        ),
    )


def _carried_after_fix(block: KeyedBlock, order: Sequence[int] | None) -> dict[int, int]:
    """By place of an op with a say, its inversions after a fix; empty where a fix moves nothing."""
    places = [place for place in order or () if block.keys[place] is not None]
    return dict(zip(places, inversions_carried([block.key(place) for place in places]), strict=True))


def _disorder(op: DisplacedOp, block: BlockAudit, inversions_fixed: int) -> Disorder:
    if block.forced is None:
        return Disorder.UNORDERED
    if op.derived:
        return Disorder.DERIVED
    if inversions_fixed < op.inversions:
        return Disorder.AVOIDABLE
    return Disorder.KNOCK_ON if op.blocker is None else Disorder.FORCED
