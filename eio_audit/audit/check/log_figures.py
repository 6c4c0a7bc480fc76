"""The figures of a log: its dumps show the same functions again and again, and an inversion counts once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import fields

from eio_audit.audit.check.figures import BlockAudit, Summary, summarize_blocks

_NONE = summarize_blocks([], dumps=0)
_NUMBERS = [field.name for field in fields(Summary) if field.type != "bool"]


class LogFigures:
    """The figures of the functions that have inversions, added up dump by dump.

    Attributes:
        once: by how much they grew in all dumps, function by function. A function that has come counts as far
            as the others have not lost as much: it may have been theirs.
    """

    def __init__(self) -> None:
        self.once = _NONE
        self._last: dict[Hashable, dict[str | None, Summary]] = defaultdict(dict)

    @property
    def final(self) -> Summary:
        """What the last dump of each function shows."""
        return sum((figures for program in self._last.values() for figures in program.values()), _NONE)

    def add(self, program: Hashable, blocks: Iterable[BlockAudit]) -> None:
        """Adds the figures of a dump of a program."""
        known = self._last[program]
        by_function: dict[str | None, list[BlockAudit]] = defaultdict(list)
        for block in blocks:
            by_function[block.function].append(block)
        grown = come = lost = _NONE
        for function, own in by_function.items():
            is_disordered = any(block.inversions for block in own)
            if function not in known and not is_disordered:
                continue
            old, new = known.get(function), summarize_blocks(own, dumps=0)
            known[function] = new
            if old is None:
                come += new
            else:
                grown += _growth(old, new)
                lost += _growth(new, old)
        self.once += grown + _growth(lost, come)


def _growth(old: Summary, new: Summary) -> Summary:
    """By how much each figure is larger."""
    more = {name: max(getattr(new, name) - getattr(old, name), 0) for name in _NUMBERS}
    return Summary(**more, certified=new.certified, wrong_certified=new.wrong_certified)
