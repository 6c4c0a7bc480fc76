"""The blocks that a report draws: those with the most avoidable inversions, then with the most inversions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from eio_audit.audit.check.audited_dump import AuditedDump
from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.figures import BlockAudit, DumpAudit, summarize_blocks
from eio_audit.audit.explain.order_picture import OrderPicture, picture_of
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.source import InputError

PICTURED_BLOCKS = 6
PICTURED_BLOCKS_OF_MODEL = 3
"""The most blocks that a report draws, and that the page of a model draws."""

Audited = Callable[[], AuditedDump | None]
"""Returns a dump with its IR. None if it cannot be read any more."""


class WorstBlocks:
    """The blocks to draw. They are chosen while dumps are visited, and drawn afterwards.

    If several dumps show a block, told by its function and label, the first of its worst states is drawn.
    Blocks without inversions are not drawn.

    Args:
        limit: the most blocks to draw.
        tells_files_apart: whether blocks of different files are different blocks.
    """

    def __init__(self, limit: int = PICTURED_BLOCKS, *, tells_files_apart: bool = True) -> None:
        self._limit = limit
        self._tells_files_apart = tells_files_apart
        self._seen_blocks = 0
        self._chosen: dict[Hashable, _ChosenBlock] = {}

    def visit(self, dump: AuditedDump) -> None:
        """Choose among the blocks of a dump, whose IR stays in memory while one of them is chosen."""
        self.choose(dump.audit, lambda: dump)

    def visit_audit(self, dump: Dump, audit: DumpAudit) -> None:
        """Choose among the blocks of a dump, which is audited again to draw them."""
        self.choose(audit, partial(audit_dump, dump, audit.options))

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
        rival = (
            name if name in self._chosen else min(self._chosen, key=lambda other: self._chosen[other].rank)
        )
        if self._chosen[rival].rank > rank:
            return False
        del self._chosen[rival]
        return True

    def pictures(self, *, worst_first: bool = False) -> list[OrderPicture]:
        """Return the pictures, in the order in which the blocks were visited, or the worst block first.

        A block is left out if its dump cannot be read any more or shows another state of it by now.
        """
        chosen = sorted(self._chosen.values(), key=lambda one: one.rank if worst_first else one.rank[2])
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
    """Draw the worst blocks of a model from files that are read once more, the worst block first.

    Args:
        audits: those of all dumps of the model.
        read_dumps: returns the dumps of a file, by its name.
        limit: the most blocks to draw.
    """
    worst = WorstBlocks(limit, tells_files_apart=False)
    for audit in audits:
        worst.choose(audit, partial(_audited_again, audit, read_dumps))
    return worst.pictures(worst_first=True)


def _audited_again(audit: DumpAudit, read_dumps: Callable[[str], Sequence[Dump]]) -> AuditedDump | None:
    """Return the dump at the same line of the same file. None if there is none that can be read."""
    try:
        dump = next((one for one in read_dumps(audit.source) if one.line == audit.line), None)
        return None if dump is None else audit_dump(dump, audit.options)
    except InputError:
        return None
