"""Find the first dump in which the logs of two compiler runs differ."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from eio_audit.audit.corpus.in_order import LostWork, Piece, in_order
from eio_audit.audit.diff.compared_dump import Ignored
from eio_audit.audit.diff.diff import Diff, diff, same_program
from eio_audit.audit.diff.sameness import Sameness, SamenessVerdict
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump, each_dump, first_symbol
from eio_audit.mlir.input.function_texts import shown_op
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import InputError, bugs_are_errors

if TYPE_CHECKING:
    from eio_audit.audit.corpus.workers import Workers
    from eio_audit.mlir.input.pass_times import ComparedTime

_Kind: TypeAlias = tuple[str | None, str | None]  # the pass of a dump, and whether it is before or after it
_Key: TypeAlias = tuple[_Kind, str, Hashable, int]
_Pair: TypeAlias = tuple[Dump, Dump]
_NUMBER = pattern(r"#[0-9]+\Z")
"""Of a program among those of its log. Where threads print, it may be another one in each run."""


class UnlikePair(NamedTuple):
    """Two dumps that should be the same, and in what sense they are."""

    first: Dump
    second: Dump
    verdict: SamenessVerdict


class RunComparison(NamedTuple):
    """Two logs of the same passes, dump by dump."""

    # How many dumps have a counterpart: the dump with the same pass, op and program, and the same
    # number among such dumps. An op without a name has the same text, or it is the next one left.
    pairs: int
    different: int  # how many pairs differ in any byte, but for blank lines and what loggers print
    first: tuple[Dump, Dump] | None  # the first pair that differs, in the order of the first log, or None
    difference: Diff | None  # what differs in that pair
    # By run, 0 or 1, the first dump without a counterpart, and the number of such dumps.
    only_in: tuple[tuple[Dump | None, int], tuple[Dump | None, int]]
    unlike: UnlikePair | None  # the first pair that is not the same in the sense that was asked for, or None
    times: tuple[ComparedTime, ...] = ()  # those of each pass in both, if both logs have a report of times

    def require_pairs(self, name: str) -> None:
        """Raise an InputError with a name, and the first dump of each run, if no dump has a counterpart."""
        first = [dump.place for dump, _ in self.only_in if dump is not None]
        named = " and ".join(f"{one.moment or 'a dump'} ({one.source}:{one.line})" for one in first)
        if not self.pairs:
            what = f"no pass or stage is in both runs: {named or 'there is no dump'}"
            raise InputError(name, None, what)

    @property
    def is_same(self) -> bool:
        """Whether all dumps are the same to the byte, but for blank lines and what loggers print."""
        return not self.different and self.are_paired

    @property
    def is_same_as_asked(self) -> bool:
        """Whether all dumps are the same in the sense that was asked for."""
        return self.unlike is None and self.are_paired

    @property
    def are_paired(self) -> bool:
        """Whether all dumps have a counterpart."""
        return not any(count for _, count in self.only_in)


def compare_runs(
    first: Iterable[Dump],
    second: Iterable[Dump],
    options: AuditOptions = DEFAULT_OPTIONS,
    same_as: Sameness | None = None,
    workers: Workers | None = None,
    ignore: Collection[Ignored | str] = (),
) -> RunComparison:
    """Pair the dumps of two logs and compare the first pair that differs.

    Both logs are read at once. Memory holds only the dumps that wait for their counterpart, and the first
    pair that differs.

    Pairs that differ are compared until one is not the same in the sense of ``same_as``. With ``ignore``, the
    first pair that is not the same is compared, if there is one.

    Raises:
        InputError: a log, or a pair that is compared, cannot be read.
    """
    pairs = _Pairs(first, second)
    differing = _with_other_texts(pairs.differing())
    unlike = compared = difference = None
    if same_as is not None and (compared := next(differing, None)) is not None:
        with bugs_are_errors(compared[1].source.name, compared[1].line):
            difference = diff(*compared, options, ignore=ignore)
        if difference.sameness.is_at_least(same_as):
            unlike = _first_unlike(differing, options, same_as, workers, ignore)
        else:
            unlike = UnlikePair(*compared, difference.sameness)
    for _ in differing:  # the rest is only counted
        pass
    parted = pairs.parted and pairs.parted[1]
    if ignore and unlike is not None:
        parted = unlike.first, unlike.second
    if parted is not compared:
        difference = parted and diff(*parted, options, ignore=ignore)
    both = pairs.alone(0), pairs.alone(1)
    return RunComparison(pairs.count, pairs.different, parted, difference, both, unlike)


def _first_unlike(
    differing: Iterable[_Pair],
    options: AuditOptions,
    same_as: Sameness,
    workers: Workers | None,
    ignore: Collection[Ignored | str],
) -> UnlikePair | None:
    """Return the first of the pairs that is not the same."""
    pieces = (Piece(pair, pair, len(pair[0].text) + len(pair[1].text)) for pair in differing)
    for pair, verdict in in_order(partial(_compared, options, ignore), pieces, workers):
        if isinstance(verdict, LostWork):
            raise verdict.error(pair[1])
        if isinstance(verdict, InputError):
            raise verdict
        if verdict is not None and not verdict.is_at_least(same_as):
            return UnlikePair(*pair, verdict)
    return None


def _with_other_texts(pairs: Iterable[_Pair]) -> Iterator[_Pair]:
    """Yield the pairs, those with the same two texts once."""
    from eio_audit.audit.corpus.check_dumps import digest_of

    seen = set[Hashable]()
    for pair in pairs:
        key = tuple((digest_of(dump), dump.has_failed) for dump in pair)
        if key not in seen:
            seen.add(key)
            yield pair


class _Pairs:
    def __init__(self, first: Iterable[Dump], second: Iterable[Dump]) -> None:
        self._both = zip_longest(_numbered(first), _numbered(second))
        self._waiting: tuple[dict[_Key, tuple[int, Dump]], ...] = ({}, {})
        self.count = self.different = 0  # how many there are, and how many of them differ
        # The first of these in the order of the first log, after its place there.
        self.parted: tuple[int, _Pair] | None = None

    def differing(self) -> Iterator[_Pair]:
        """Yield the pairs that differ. When it ends, all pairs have been counted."""
        in_turn = ((side, entry) for both in self._both for side, entry in enumerate(both) if entry)
        for side, (number, key, dump) in in_turn:
            counterpart = self._waiting[1 - side].pop(key, None)
            if counterpart is None:
                self._waiting[side][key] = number, dump
                continue
            both = (number, dump), counterpart
            yield from self._compare(*(both if side == 0 else both[::-1]))
        yield from self._of_the_rest()

    def _of_the_rest(self) -> Iterator[_Pair]:
        """Pair in turn what is left of each pass, and yield the pairs that differ."""
        kinds: dict[_Kind, tuple[list[_Key], list[_Key]]] = defaultdict(lambda: ([], []))
        for side, waiting in enumerate(self._waiting):
            for key in sorted(waiting, key=lambda key: waiting[key][0]):
                kinds[key[0]][side].append(key)
        for of_kind in kinds.values():
            for keys in zip(*of_kind, strict=False):
                yield from self._compare(*(self._waiting[side].pop(key) for side, key in enumerate(keys)))

    def _compare(self, first: tuple[int, Dump], second: tuple[int, Dump]) -> Iterator[_Pair]:
        (place, was), (_, now) = first, second
        self.count += 1
        if was.text == now.text or was.ir == now.ir:
            return
        self.different += 1
        pair = was, now
        if self.parted is None or place < self.parted[0]:
            self.parted = place, pair
        yield pair

    def alone(self, side: int) -> tuple[Dump | None, int]:
        """Return the first dump of a log without a counterpart, and the number of such dumps."""
        left = self._waiting[side]
        return min(left.values(), key=lambda entry: entry[0])[1] if left else None, len(left)


def _compared(
    options: AuditOptions, ignore: Collection[Ignored | str], pair: _Pair
) -> SamenessVerdict | InputError:
    try:
        with bugs_are_errors(pair[1].source.name, pair[1].line):
            return same_program(*pair, options, ignore)
    except InputError as error:
        return error


def _numbered(dumps: Iterable[Dump]) -> Iterator[tuple[int, _Key, Dump]]:
    """Yield each dump with its number in the log and the key that it is paired by."""
    seen = Counter[tuple[_Kind, str, Hashable]]()
    for number, dump in enumerate(each_dump(dumps)):
        kind = (dump.marker.pass_name, dump.marker.when) if dump.marker is not None else (None, None)
        alike = kind, _NUMBER.sub("", dump.program), _op(dump)
        yield number, (*alike, seen[alike]), dump
        seen[alike] += 1


def _op(dump: Dump) -> Hashable:
    """What tells the op that a dump shows from others: its symbol, the first in it, or else its text."""
    op = shown_op(dump)
    symbol = op.symbol or first_symbol(dump)
    return (op.name, symbol) if symbol is not None or dump.marker is None else (op.name, dump.ir)
