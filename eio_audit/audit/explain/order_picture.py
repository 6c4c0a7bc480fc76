"""The order of a block op by op, as plain data for pictures, and the blocks that a report draws."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import repeat

from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.disorder import describe_displaced
from eio_audit.audit.check.figures import BlockAudit, DisplacedOp, DumpAudit, summarize_blocks
from eio_audit.audit.check.keyed_block import UNCOUNTED, FixedBlock
from eio_audit.audit.check.keyed_dump import AuditedDump
from eio_audit.audit.explain.dataflow import BlockDataflow, Dataflow
from eio_audit.audit.op_label import OpLabel, labels
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.source import InputError
from eio_audit.order.permutation import displaced

DRAWN_RADIUS = 2  # of the dataflow drawn around an op
DRAWN_NEIGHBOURS = 30  # the most ops of it
DRAWN_MOVED = 10  # the most ops with dataflow drawn around them that a fix moves
DRAWN_UNMOVED = 5  # the most other displaced ops
ALL_TEXTS = 2_000  # the most ops of a picture with all texts; others have texts around displaced ops only
TEXTS_AROUND = 2  # the number of ops with a text on each side of such an op
SHOWN_TEXT = 240  # the most characters of a text


class Disorder(StrEnum):
    """Why an op is out of order: the first reason that holds."""

    WRONG_INDEX = "wrong index"
    """Its index contradicts the dependences."""
    AVOIDABLE = "avoidable"
    """A fix moves it."""
    MADE = "made by a pass"
    """A pass made it from the op whose index it carries: it was never there."""
    BLOCKED = "blocked"
    """A dependence keeps it where it is."""
    STAYS = "stays"
    """No dependence keeps it where it is, but it is displaced in the best order found, too."""
    UNORDERED = "unordered"
    """It is in a graph region, which has no order."""


@dataclass(frozen=True, slots=True)
class OrderPicture:
    """The order of one block, op by op. What is "by place" has an entry for each op, in textual order."""

    dump: DumpAudit  # the audit of the dump
    block: BlockAudit  # the audit of the block
    labels: Sequence[OpLabel]  # by place, the op
    # By place, the 0-based place among the ops that count in inversions, in the text and in the original
    # order, where ties are in textual order. UNCOUNTED for other ops.
    textual_ranks: Sequence[int]
    originals: Sequence[int]
    inversions: Sequence[int]  # by place, how many inversions the op is in
    inversions_fixed: Sequence[int]  # by place, how many it is in after a fix
    # By place, why an op is out of order, if its index is wrong, a fix moves it, or it is displaced even
    # after a fix.
    disorders: Mapping[int, Disorder]
    displaced: dict[int, DisplacedOp]  # per place, an op out of order; those in the most inversions first
    # The neighbourhoods of some ops that a fix moves, then of some other ops out of order; empty in a
    # graph region.
    dataflow: tuple[Dataflow, ...]
    texts: dict[int, str]  # per place, an op's own text, shortened


def picture_of(dump: AuditedDump, dump_audit: DumpAudit, number: int) -> OrderPicture:
    """Return the picture of the ``number``-th block of an audit."""
    block, audit = FixedBlock(dump, dump.blocks[number]), dump_audit.blocks[number]
    original = block.original_places
    textual_ranks = array("i", [UNCOUNTED]) * len(block.ops)
    for rank, place in enumerate(block.indexed):
        textual_ranks[place] = rank
    order = block.indexed_order
    moved = {order[k] for k in displaced(order)}
    remaining = {order[k] for k in displaced([block.key(place) for place in order])}
    names = labels(dump.ir, dump.indices, block.ops)
    displaced_ops = describe_displaced(block, sorted(moved | remaining), names.__getitem__)
    moved_first = sorted(displaced_ops, key=lambda place: place not in moved)
    drawn = [*moved_first[: min(len(moved), DRAWN_MOVED)], *moved_first[len(moved) :][:DRAWN_UNMOVED]]
    disorder = {place: _disorder(op, audit) for place, op in displaced_ops.items()}
    disorder |= dict.fromkeys(moved, Disorder.AVOIDABLE)
    wrong = (place for place, op in enumerate(block.ops) if op in dump.donors)
    disorder |= dict.fromkeys(wrong, Disorder.WRONG_INDEX)
    dataflow = BlockDataflow(block) if block.has_order else None
    places = range(len(block.ops))
    return OrderPicture(
        dump=dump_audit,
        block=audit,
        labels=names,
        textual_ranks=textual_ranks,
        originals=array("i", map(original.get, places, repeat(UNCOUNTED))),
        inversions=array("i", map(block.inversions_at.get, places, repeat(0))),
        inversions_fixed=array("i", map(block.inversions_at_fixed.get, places, repeat(0))),
        disorders=disorder,
        displaced=displaced_ops,
        dataflow=tuple(dataflow.around([k], DRAWN_RADIUS, DRAWN_NEIGHBOURS) for k in drawn if dataflow),
        texts=_texts(block, moved_first),
    )


def _disorder(op: DisplacedOp, block: BlockAudit) -> Disorder:
    if block.forced is None:
        return Disorder.UNORDERED
    if op.derived:
        return Disorder.MADE
    return Disorder.STAYS if op.blocker is None else Disorder.BLOCKED


def _texts(block: FixedBlock, worst: Sequence[int]) -> dict[int, str]:
    """Return the texts of all ops of a small block, or of the worst ops of a large one and around them."""
    last = len(block.ops) - 1
    places: Iterable[int] = range(last + 1)
    if last >= ALL_TEXTS:
        size = ALL_TEXTS // (2 * TEXTS_AROUND + 1)
        around = range(-TEXTS_AROUND, TEXTS_AROUND + 1)
        places = sorted({min(max(place + k, 0), last) for place in worst[:size] for k in around})
    texts = {}
    for place in places:
        start = block.dump.ir.own_text(block.ops[place])[: 4 * SHOWN_TEXT]
        shown = " ".join(start.decode("utf-8", "replace").split())
        texts[place] = shown if len(shown) <= SHOWN_TEXT else f"{shown[:SHOWN_TEXT]} ..."
    return texts


PICTURED_BLOCKS = 6  # the most blocks that a report draws
PICTURED_BLOCKS_OF_MODEL = 3  # the most blocks that the page of a model draws

Audited = Callable[[], AuditedDump | None]  # returns a dump with its IR; None if it cannot be read any more


class WorstBlocks:
    """The blocks to draw, up to a limit. They are chosen while dumps are visited, and drawn afterwards.

    If several dumps show a block, told by its function and label, and by its file if the class tells files
    apart, the first of its worst states is drawn. Blocks without inversions are not drawn.
    """

    def __init__(self, limit: int = PICTURED_BLOCKS, *, tells_files_apart: bool = True) -> None:
        self._limit = limit
        self._tells_files_apart = tells_files_apart
        self._seen_blocks = 0
        self._chosen: dict[Hashable, _ChosenBlock] = {}
        self._kept: AuditedDump | None = None

    def visit(self, dump: AuditedDump) -> None:
        """Choose among the blocks of a dump, whose IR stays in memory while one of them is chosen."""
        self.choose(dump.audit, lambda: dump)

    def keep(self, dump: AuditedDump) -> None:
        """Keep a dump for ``visit_audit``, so that it need not be audited again."""
        self._kept = dump

    def visit_audit(self, dump: Dump, audit: DumpAudit) -> None:
        """Choose among the blocks of a dump. It is audited again to draw them, unless it was just kept."""
        kept, self._kept = self._kept, None
        is_kept = kept is not None and kept.dump is dump
        self.choose(audit, (lambda: kept) if is_kept else partial(audit_dump, dump, audit.options))

    def choose(self, audit: DumpAudit, audited: Audited) -> None:
        """Choose among the blocks of a dump. ``audited`` is called to draw them."""
        file = audit.source if self._tells_files_apart else None
        times: Counter[Hashable] = Counter()
        for place, block in enumerate(audit.blocks):
            label = file, block.function, block.block
            times[label] += 1
            self._seen_blocks += 1
            rank = block.avoidable, block.inversions, -self._seen_blocks
            if block.inversions and self._makes_room_for((label, times[label]), rank):
                self._chosen[label, times[label]] = _ChosenBlock(rank, audit, place, audited)

    def _makes_room_for(self, name: Hashable, rank: tuple[int, int, int]) -> bool:
        """Return whether to draw a block; drop the block that it replaces."""
        if name not in self._chosen and len(self._chosen) < self._limit:
            return True
        ranks = {other: one.rank for other, one in self._chosen.items()}
        rival = name if name in ranks else min(ranks, key=ranks.__getitem__)
        if ranks[rival] > rank:
            return False
        del self._chosen[rival]
        return True

    def pictures(self, *, worst_first: bool = False) -> list[OrderPicture]:
        """Return the pictures, in the order in which the blocks were visited, or the worst block first.

        A block is left out if its dump cannot be read any more or shows another state of it by now. Then the
        blocks are forgotten, so that their dumps need no more memory.
        """
        chosen = sorted(self._chosen.values(), key=lambda one: one.rank if worst_first else one.rank[2])
        self._chosen.clear()
        dumps: dict[int, AuditedDump | None] = {}
        pictures = []
        for one in reversed(chosen):
            if id(one.audit) not in dumps:
                dumps[id(one.audit)] = one.audited()
            dump = dumps[id(one.audit)]
            if dump is not None and _is_same_block(one.audit.blocks, dump.audit.blocks, one.place):
                pictures.append(picture_of(dump, one.audit, one.place))
        return pictures


@dataclass(frozen=True, slots=True)
class _ChosenBlock:
    """The ``place``-th block of an audit. The last number of its ``rank`` is the earlier, the larger."""

    rank: tuple[int, int, int]
    audit: DumpAudit
    place: int
    audited: Audited


def _is_same_block(before: Sequence[BlockAudit], now: Sequence[BlockAudit], place: int) -> bool:
    if len(before) != len(now) or before[place].line != now[place].line:
        return False
    return summarize_blocks([before[place]]) == summarize_blocks([now[place]])


def pictures_of_model(
    audits: Iterable[DumpAudit],
    read_dumps: Callable[[str], Sequence[Dump]],
    limit: int = PICTURED_BLOCKS_OF_MODEL,
) -> list[OrderPicture]:
    """Draw the worst blocks of a model, the worst first. ``read_dumps`` reads a file once more."""
    worst = WorstBlocks(limit, tells_files_apart=False)
    for audit in audits:
        worst.choose(audit, partial(_audited_again, audit, read_dumps))
    return worst.pictures(worst_first=True)


def _audited_again(audit: DumpAudit, read_dumps: Callable[[str], Sequence[Dump]]) -> AuditedDump | None:
    try:
        dump = next((one for one in read_dumps(audit.source) if one.line == audit.line), None)
        return None if dump is None else audit_dump(dump, audit.options)
    except InputError:
        return None
