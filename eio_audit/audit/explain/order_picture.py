"""The order of a block op by op, as plain data for pictures: where each op is, where it was, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from enum import StrEnum

from eio_audit.audit.check.check import DESCRIBED_OPS, AuditedDump
from eio_audit.audit.check.disorder import DisplacedOp, describe_displaced
from eio_audit.audit.check.figures import BlockAudit, DumpAudit
from eio_audit.audit.check.keyed_block import FixedBlock
from eio_audit.audit.explain.dataflow import BlockDataflow, Dataflow
from eio_audit.audit.op_label import OpLabel

PICTURED_BLOCKS = 6
"""How many blocks of a report are drawn, those with most avoidable inversions, then with most of any kind."""

DRAWN_RADIUS = 2
DRAWN_NEIGHBOURS = 30
"""How far the dataflow around a displaced op is drawn, and with how many ops at the most."""


class Disorder(StrEnum):
    """What becomes of a displaced op's inversions; the first that holds."""

    DERIVED = "derived"
    """A pass made it from the op whose index it carries: it never was there."""
    AVOIDABLE = "avoidable"
    """After a fix it is an end of fewer inversions."""
    FORCED = "forced"
    """A dependence keeps it where it is."""
    KNOCK_ON = "knock-on"
    """Nothing keeps it there, yet the best order found has it in as many inversions."""
    UNORDERED = "unordered"
    """It is in a graph region, which has no order."""


@dataclass(frozen=True, slots=True)
class PicturedOp:
    """An op of a block, and where it is.

    Attributes:
        place: 0-based among the ops of the block.
        standing: 0-based among the ops that count in inversions, in textual order; None for other ops.
        original: 0-based among the same ops in the original order; ops of equal index in textual order.
        inversions: how many inversions it is in.
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

    Dumps are given to it one after the other, as ``check`` audits them; only what is drawn is kept. Of a
    block that several dumps of a source show, told by its function and label, the worst state is drawn.

    Args:
        limit: how many blocks, at the most. Blocks without inversions are not drawn.
    """

    def __init__(self, limit: int = PICTURED_BLOCKS) -> None:
        self._limit = limit
        self._seen_blocks = 0
        self._kept: dict[Hashable, tuple[tuple[int, int, int], OrderPicture]] = {}

    def add(self, dump: AuditedDump) -> None:
        """Draws the blocks of a dump that are among the worst so far."""
        times: Counter[Hashable] = Counter()
        for number, block in zip(dump.blocks, dump.audit.blocks, strict=True):
            label = dump.audit.source, block.function, block.block
            times[label] += 1
            self._seen_blocks += 1
            rank = block.avoidable, block.inversions, -self._seen_blocks
            if block.inversions and self._makes_room_for((label, times[label]), rank):
                self._kept[label, times[label]] = rank, _picture(FixedBlock(dump, number), block)

    def _makes_room_for(self, name: Hashable, rank: tuple[int, int, int]) -> bool:
        """Whether a block is to be drawn; the picture that it replaces is dropped."""
        if name not in self._kept and len(self._kept) < self._limit:
            return True
        rival = name if name in self._kept else min(self._kept, key=lambda other: self._kept[other][0])
        if self._kept[rival][0] > rank:
            return False
        del self._kept[rival]
        return True

    @property
    def pictures(self) -> list[OrderPicture]:
        """What it has, in the order in which it was given."""
        return [picture for rank, picture in sorted(self._kept.values(), key=lambda kept: -kept[0][2])]


def _picture(block: FixedBlock, audit: BlockAudit) -> OrderPicture:
    original = block.original_places
    standing = {place: position for position, place in enumerate(block.indexed)}
    fixed = block.carried_fixed
    displaced = describe_displaced(block)
    dataflow = BlockDataflow(block) if block.has_order else None
    return OrderPicture(
        dump=block.dump.audit,
        block=audit,
        ops=tuple(
            PicturedOp(
                op=block.label(place),
                place=place,
                standing=standing.get(place),
                original=original.get(place),
                inversions=block.carried.get(place, 0),
                inversions_fixed=fixed.get(place, 0),
                disorder=_disorder(displaced[place], audit, fixed[place]) if place in displaced else None,
            )
            for place in range(len(block.ops))
        ),
        displaced=displaced,
        dataflow=tuple(
            dataflow.around([place], DRAWN_RADIUS, DRAWN_NEIGHBOURS)
            for place in list(displaced)[:DESCRIBED_OPS]
            if dataflow is not None
        ),
    )


def _disorder(op: DisplacedOp, block: BlockAudit, inversions_fixed: int) -> Disorder:
    if block.forced is None:
        return Disorder.UNORDERED
    if op.derived:
        return Disorder.DERIVED
    if inversions_fixed < op.inversions:
        return Disorder.AVOIDABLE
    return Disorder.KNOCK_ON if op.blocker is None else Disorder.FORCED
