"""The figures of a log: its dumps show the same functions many times, but an inversion counts once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from functools import reduce

from eio_audit.audit.check.figures import BlockAudit, Summary, summarize_blocks

_NONE = summarize_blocks([], dumps=0)


class LogFigures:
    """The figures of the functions that have inversions, added up dump by dump.

    Attributes:
        each_inversion_once: their growth over all dumps, function by function. The figures of a new function
            count minus what the other functions lost in that dump, because its ops may have been theirs.
    """

    def __init__(self) -> None:
        self.each_inversion_once = _NONE
        self._last: dict[Hashable, dict[str | None, Summary]] = defaultdict(dict)

    @property
    def at_end_of_log(self) -> Summary:
        """The figures in the last dump of each function."""
        figures = (figures for program in self._last.values() for figures in program.values())
        return reduce(Summary.plus, figures, _NONE)

    def add(self, program: Hashable, blocks: Iterable[BlockAudit]) -> None:
        """Add the figures of a dump of a program."""
        known = self._last[program]
        blocks = list(blocks)
        if not known and not any(block.inversions for block in blocks):
            return
        by_function: dict[str | None, list[BlockAudit]] = defaultdict(list)
        for block in blocks:
            by_function[block.function].append(block)
        grown = appeared = lost = _NONE
        for function, own in by_function.items():
            is_disordered = any(block.inversions for block in own)
            if function not in known and not is_disordered:
                continue
            old, new = known.get(function), summarize_blocks(own, dumps=0)
            known[function] = new
            if old is None:
                appeared = appeared.plus(new)
            elif old != new:
                grown = grown.plus(_growth(old, new))
                lost = lost.plus(_growth(new, old))
        if grown is not _NONE:
            self.each_inversion_once = self.each_inversion_once.plus(grown)
        if appeared is not _NONE:
            self.each_inversion_once = self.each_inversion_once.plus(_growth(lost, appeared))


def _growth(old: Summary, new: Summary) -> Summary:
    """Return by how much each figure has grown."""
    more = Summary._make(max(after - before, 0) for before, after in zip(old, new, strict=True))
    return more._replace(certified=new.certified, wrong_certified=new.wrong_certified)
