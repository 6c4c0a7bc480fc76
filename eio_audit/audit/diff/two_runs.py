"""Find the first dump in which the logs of two compiler runs differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from eio_audit.audit.diff.diff import Diff, diff
from eio_audit.audit.diff.sameness import Sameness
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump, each_dump

_Key = tuple[str, str | None, str | None, str | None, int]


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two logs of the same passes, dump by dump.

    Attributes:
        pairs: how many dumps have a counterpart: the dump with the same pass, function and program, and the
            same number among such dumps.
        different: how many pairs differ in any byte.
        first: the first pair that differs, in the order of the first log, or None.
        difference: what differs in that pair.
        only_in: by run, 0 or 1, the first dump without a counterpart, and the number of such dumps.
    """

    pairs: int
    different: int
    first: tuple[Dump, Dump] | None
    difference: Diff | None
    only_in: tuple[tuple[Dump | None, int], tuple[Dump | None, int]]

    @property
    def is_same(self) -> bool:
        """Whether all dumps are the same to the byte."""
        return not self.different and not any(count for _, count in self.only_in)

    def is_same_as(self, wanted: Sameness) -> bool:
        """Whether the runs are the same in a sense, by the first pair that differs."""
        if any(count for _, count in self.only_in):
            return False
        return self.difference is None or self.difference.sameness.is_at_least(wanted)


def compare_runs(
    first: Iterable[Dump], second: Iterable[Dump], options: AuditOptions = DEFAULT_OPTIONS
) -> RunComparison:
    """Pair the dumps of two logs and compare the first pair that differs.

    Both logs are read at once. Memory holds only the dumps that wait for their counterpart, and the first
    pair that differs.

    Raises:
        InputError: a log, or the first pair that differs, cannot be read.
    """
    waiting: tuple[dict[_Key, tuple[int, Dump]], ...] = ({}, {})
    pairs = different = 0
    parted: tuple[int, Dump, Dump] | None = None
    for side, number, key, dump in _in_turn(_numbered(first), _numbered(second)):
        counterpart = waiting[1 - side].pop(key, None)
        if counterpart is None:
            waiting[side][key] = number, dump
            continue
        pairs += 1
        was, now = (dump, counterpart[1]) if side == 0 else (counterpart[1], dump)
        if was.text != now.text:
            different += 1
            place = number if side == 0 else counterpart[0]
            if parted is None or place < parted[0]:
                parted = place, was, now
    alone = tuple(
        (min(left.values(), key=lambda entry: entry[0])[1] if left else None, len(left)) for left in waiting
    )
    return RunComparison(
        pairs,
        different,
        parted and parted[1:],
        parted and diff(*parted[1:], options),
        (alone[0], alone[1]),
    )


def _numbered(dumps: Iterable[Dump]) -> Iterator[tuple[int, _Key, Dump]]:
    """Yield each dump with its number in the log and the key that it is paired by."""
    seen: Counter[tuple[str, str | None, str | None, str | None]] = Counter()
    for number, dump in enumerate(each_dump(dumps)):
        marker = dump.marker
        name = (None, None, None) if marker is None else (marker.pass_name, marker.when, marker.symbol)
        kind = (dump.program, *name)
        yield number, (*kind, seen[kind]), dump
        seen[kind] += 1


def _in_turn(
    first: Iterator[tuple[int, _Key, Dump]], second: Iterator[tuple[int, _Key, Dump]]
) -> Iterator[tuple[int, int, _Key, Dump]]:
    for both in zip_longest(first, second):
        for side, entry in enumerate(both):
            if entry is not None:
                yield side, *entry
