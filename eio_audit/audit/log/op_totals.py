"""How many ops of each name the dumps of a log show, and its programs have at the start and at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from eio_audit.mlir.input.dumps import DumpPlace


class CountedDump(NamedTuple):
    """The ops that one dump shows."""

    place: DumpPlace  # the dump
    function: str | None  # symbol of the function if it shows only that; None for a program
    ops: Mapping[str, int]  # how many of each name, at any depth


class OpTotals(NamedTuple):
    """The ops of a log by name, at any depth."""

    first: Mapping[str, int] = {}  # when the log first shows each function, but those that a pass made
    last: Mapping[str, int] = {}  # at its end
    dumps: tuple[CountedDump, ...] = ()  # those of each dump

    def plus(self, other: OpTotals) -> OpTotals:
        """Return the totals of two logs together."""
        first, last = sum_of([self.first, other.first]), sum_of([self.last, other.last])
        return OpTotals(first, last, self.dumps + other.dumps)


def sum_of(counts: Iterable[Mapping[str, int]]) -> Counter[str]:
    """Add up counts by name."""
    total = Counter[str]()
    for one in counts:
        total.update(one)
    return total
