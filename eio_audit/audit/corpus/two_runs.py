"""Find the first dump in which the logs of two compiler runs differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from eio_audit.audit.corpus.in_order import LostWork, Piece, in_order
from eio_audit.audit.diff.diff import Diff, diff, same_program
from eio_audit.audit.diff.sameness import Sameness, SamenessVerdict
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump, each_dump
from eio_audit.mlir.source import InputError

if TYPE_CHECKING:
    from eio_audit.audit.corpus.workers import Workers

_Key = tuple[str, str | None, str | None, str | None, int]
_Pair: TypeAlias = tuple[Dump, Dump]


class UnlikePair(NamedTuple):
    """Two dumps that should be the same, and in what sense they are."""

    first: Dump
    second: Dump
    verdict: SamenessVerdict


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
        unlike: the first pair that is not the same in the sense that was asked for, or None.
    """

    pairs: int
    different: int
    first: tuple[Dump, Dump] | None
    difference: Diff | None
    only_in: tuple[tuple[Dump | None, int], tuple[Dump | None, int]]
    unlike: UnlikePair | None

    @property
    def is_same(self) -> bool:
        """Whether all dumps are the same to the byte."""
        return not self.different and not self._has_dumps_alone

    @property
    def is_same_as_asked(self) -> bool:
        """Whether all dumps are the same in the sense that was asked for."""
        return self.unlike is None and not self._has_dumps_alone

    @property
    def _has_dumps_alone(self) -> bool:
        return any(count for _, count in self.only_in)


def compare_runs(
    first: Iterable[Dump],
    second: Iterable[Dump],
    options: AuditOptions = DEFAULT_OPTIONS,
    same_as: Sameness | None = None,
    workers: Workers | None = None,
) -> RunComparison:
    """Pair the dumps of two logs and compare the first pair that differs.

    Both logs are read at once. Memory holds only the dumps that wait for their counterpart, and the first
    pair that differs.

    Args:
        first: the dumps of one log.
        second: the dumps of the other log.
        options: as for ``check``.
        same_as: in what sense all pairs should be the same. Those that differ are compared until one is not.
        workers: processes that compare these pairs. Without them this process does it.

    Raises:
        InputError: a log, or a pair that is compared, cannot be read.
    """
    pairs = _Pairs(first, second)
    differing = pairs.differing()
    unlike = None
    if same_as is not None:
        verdicts = _verdicts(differing, options, workers)
        found = (UnlikePair(*pair, verdict) for pair, verdict in verdicts)
        unlike = next((one for one in found if not one.verdict.is_at_least(same_as)), None)
    for _ in differing:  # the rest is only counted
        pass
    parted = pairs.parted
    return RunComparison(
        pairs.count,
        pairs.different,
        parted and parted[1:],
        parted and diff(*parted[1:], options),
        (pairs.alone(0), pairs.alone(1)),
        unlike,
    )


class _Pairs:
    """The pairs of dumps of two logs.

    Attributes:
        count: how many there are.
        different: how many of them differ.
        parted: the first of these in the order of the first log, after its place there.
    """

    def __init__(self, first: Iterable[Dump], second: Iterable[Dump]) -> None:
        self._dumps = _in_turn(_numbered(first), _numbered(second))
        self._waiting: tuple[dict[_Key, tuple[int, Dump]], ...] = ({}, {})
        self.count = self.different = 0
        self.parted: tuple[int, Dump, Dump] | None = None

    def differing(self) -> Iterator[_Pair]:
        """Yield the pairs that differ. When it ends, all pairs have been counted."""
        for side, number, key, dump in self._dumps:
            counterpart = self._waiting[1 - side].pop(key, None)
            if counterpart is None:
                self._waiting[side][key] = number, dump
                continue
            self.count += 1
            was, now = (dump, counterpart[1]) if side == 0 else (counterpart[1], dump)
            if was.text != now.text:
                self.different += 1
                place = number if side == 0 else counterpart[0]
                if self.parted is None or place < self.parted[0]:
                    self.parted = place, was, now
                yield was, now

    def alone(self, side: int) -> tuple[Dump | None, int]:
        """Return the first dump of a log without a counterpart, and the number of such dumps."""
        left = self._waiting[side]
        return min(left.values(), key=lambda entry: entry[0])[1] if left else None, len(left)


def _compared(options: AuditOptions, pair: _Pair) -> SamenessVerdict | InputError:
    try:
        return same_program(*pair, options)
    except InputError as error:
        return error


def _verdicts(
    pairs: Iterable[_Pair], options: AuditOptions, workers: Workers | None
) -> Iterator[tuple[_Pair, SamenessVerdict]]:
    pieces = (Piece(pair, pair, len(pair[0].text) + len(pair[1].text)) for pair in pairs)
    for pair, result in in_order(partial(_compared, options), pieces, workers):
        if isinstance(result, LostWork):
            raise result.error(pair[1])
        if isinstance(result, InputError):
            raise result
        assert result is not None
        yield pair, result


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
