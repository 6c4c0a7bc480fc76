"""The order of a block op by op, as plain data for pictures: each op's place, original place, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from eio_audit.audit.check.audited_dump import AuditedDump
from eio_audit.audit.check.disorder import describe_displaced
from eio_audit.audit.check.displaced_op import DisplacedOp
from eio_audit.audit.check.figures import BlockAudit, DumpAudit
from eio_audit.audit.check.keyed_block import FixedBlock
from eio_audit.audit.explain.dataflow import BlockDataflow, Dataflow
from eio_audit.audit.op_label import OpLabel, labels
from eio_audit.order.displaced import displaced

DRAWN_RADIUS = 2
DRAWN_NEIGHBOURS = 30
"""The radius of the dataflow drawn around an op, and its most ops."""

DRAWN_MOVED = 10
DRAWN_UNMOVED = 5
"""The most ops with dataflow drawn around them: ops that a fix moves, and other displaced ops."""

ALL_TEXTS = 2_000
"""The most ops of a block whose picture has all texts. A larger one has texts around displaced ops only."""

TEXTS_AROUND = 2
SHOWN_TEXT = 240
"""The number of ops with a text on each side of such an op, and the most characters of a text."""


class Disorder(StrEnum):
    """Why an op is out of order: the first reason that holds."""

    AVOIDABLE = "avoidable"
    """A fix moves it."""
    DERIVED = "derived"
    """A pass made it from the op whose index it carries: it was never there."""
    FORCED = "forced"
    """A dependence keeps it where it is."""
    KNOCK_ON = "knock-on"
    """No dependence keeps it where it is, but it is displaced in the best order found, too."""
    UNORDERED = "unordered"
    """It is in a graph region, which has no order."""


@dataclass(frozen=True, slots=True)
class PicturedOp:
    """An op of a block, and where it is.

    Attributes:
        place: 0-based place among the ops of the block.
        textual_rank: 0-based place among the ops that count in inversions, in the text; None for other ops.
        original: 0-based place among the same ops in the original order, ties in textual order.
        inversions: how many inversions it is in.
        inversions_fixed: how many inversions it is in after a fix.
        disorder: why it is out of order, if a fix moves it or it is displaced even after a fix; else None.
    """

    op: OpLabel
    place: int
    textual_rank: int | None
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
        displaced: per place, an op out of order; those in the most inversions first.
        dataflow: the neighbourhoods of some ops that a fix moves, then of some other ops out of order; empty
            in a graph region.
        texts: per place, an op's own text, shortened.
    """

    dump: DumpAudit
    block: BlockAudit
    ops: tuple[PicturedOp, ...]
    displaced: dict[int, DisplacedOp]
    dataflow: tuple[Dataflow, ...]
    texts: dict[int, str]


def picture_of(dump: AuditedDump, dump_audit: DumpAudit, number: int) -> OrderPicture:
    """Return the picture of the ``number``-th block of an audit."""
    block, audit = FixedBlock(dump, dump.blocks[number]), dump_audit.blocks[number]
    original = block.original_places
    textual_rank = {place: position for position, place in enumerate(block.indexed)}
    fixed = block.inversions_at_fixed
    order = block.indexed_order
    moved = {order[k] for k in displaced(order)}
    remaining = {order[k] for k in displaced([block.key(place) for place in order])}
    displaced_ops = describe_displaced(block, sorted(moved | remaining))
    moved_first = sorted(displaced_ops, key=lambda place: place not in moved)
    drawn = [*moved_first[: min(len(moved), DRAWN_MOVED)], *moved_first[len(moved) :][:DRAWN_UNMOVED]]
    dataflow = BlockDataflow(block) if block.has_order else None
    return OrderPicture(
        dump=dump_audit,
        block=audit,
        ops=tuple(
            PicturedOp(
                op=op,
                place=place,
                textual_rank=textual_rank.get(place),
                original=original.get(place),
                inversions=block.inversions_at.get(place, 0),
                inversions_fixed=fixed.get(place, 0),
                disorder=Disorder.AVOIDABLE if place in moved else _disorder(displaced_ops.get(place), audit),
            )
            for place, op in enumerate(labels(dump.ir, dump.indices, block.ops))
        ),
        displaced=displaced_ops,
        dataflow=tuple(
            dataflow.around([place], DRAWN_RADIUS, DRAWN_NEIGHBOURS)
            for place in drawn
            if dataflow is not None
        ),
        texts=_texts(block, moved_first),
    )


def _disorder(op: DisplacedOp | None, block: BlockAudit) -> Disorder | None:
    if op is None:
        return None
    if block.forced is None:
        return Disorder.UNORDERED
    if op.derived:
        return Disorder.DERIVED
    return Disorder.KNOCK_ON if op.blocker is None else Disorder.FORCED


def _texts(block: FixedBlock, worst: Sequence[int]) -> dict[int, str]:
    """Return the texts of all ops of a small block, or of the worst ops of a large one and around them."""
    last = len(block.ops) - 1
    places: Iterable[int] = range(last + 1)
    if last >= ALL_TEXTS:
        size = ALL_TEXTS // (2 * TEXTS_AROUND + 1)
        around = range(-TEXTS_AROUND, TEXTS_AROUND + 1)
        places = sorted({min(max(place + k, 0), last) for place in worst[:size] for k in around})
    own_text = block.dump.ir.own_text
    return {place: _on_one_line(own_text(block.ops[place])) for place in places}


def _on_one_line(text: bytes) -> str:
    """Return the first characters of an op's text, on one line."""
    shown = " ".join(text[: 4 * SHOWN_TEXT].decode("utf-8", "replace").split())
    return shown if len(shown) <= SHOWN_TEXT else f"{shown[:SHOWN_TEXT]} ..."
