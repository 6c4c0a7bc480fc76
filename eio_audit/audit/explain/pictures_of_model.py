"""The pictures of a model's worst blocks, drawn after a check from files that are read once more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.figures import DumpAudit, summarize_blocks
from eio_audit.audit.explain.order_picture import OrderPicture, picture_of
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.source import InputError

PICTURED_BLOCKS_OF_MODEL = 3
"""How many blocks of each model are drawn."""


def pictures_of_model(
    audits: Iterable[DumpAudit],
    read_dumps: Callable[[str], Sequence[Dump]],
    limit: int = PICTURED_BLOCKS_OF_MODEL,
) -> list[OrderPicture]:
    """Draw the blocks with most avoidable inversions, then with most of any kind.

    Of a block that several dumps show, told by its function and label, the first of the worst states is
    drawn. A block is left out if its file cannot be read again or shows another state of it by now.

    Args:
        audits: those of all dumps of the model.
        read_dumps: returns the dumps of a file, by its name.
        limit: the most blocks to draw.
    """
    audited: dict[tuple[str, int], _Redrawn] = {}
    pictures = []
    for audit, place in _worst_blocks(audits)[:limit]:
        key = audit.source, audit.line
        if key not in audited:
            audited[key] = _Redrawn(audit, read_dumps)
        pictures += audited[key].picture(place)
    return pictures


class _Redrawn:
    """A dump that is read and audited again; ``dump`` is None if it is not what it was."""

    def __init__(self, audit: DumpAudit, read_dumps: Callable[[str], Sequence[Dump]]) -> None:
        self._audit = audit
        self._dump = None
        try:
            for dump in read_dumps(audit.source):
                if dump.line == audit.line:
                    self._dump = audit_dump(dump, audit.options)
        except InputError:
            return

    def picture(self, place: int) -> list[OrderPicture]:
        """Return the picture of the ``place``-th block. Nothing if the block is not what it was."""
        if self._dump is None:
            return []
        was, now = self._audit.blocks, self._dump.audit.blocks
        if len(was) != len(now) or was[place].line != now[place].line:
            return []
        if summarize_blocks([was[place]]) != summarize_blocks([now[place]]):
            return []
        return [picture_of(self._dump, self._audit, place)]


def _worst_blocks(audits: Iterable[DumpAudit]) -> list[tuple[DumpAudit, int]]:
    """Return the worst state of each block with inversions, as an audit and a place in it, worst first."""
    worst: dict[Hashable, tuple[tuple[int, int], DumpAudit, int]] = {}
    for audit in audits:
        times: Counter[Hashable] = Counter()
        for place, block in enumerate(audit.blocks):
            name = block.function, block.block
            times[name] += 1
            rank = block.avoidable, block.inversions
            if block.inversions and rank > worst.get((name, times[name]), ((0, 0), None, 0))[0]:
                worst[name, times[name]] = rank, audit, place
    ranked = sorted(worst.values(), key=lambda one: one[0], reverse=True)
    return [(audit, place) for _, audit, place in ranked]
