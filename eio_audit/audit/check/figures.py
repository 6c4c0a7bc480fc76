"""The figures of an audit: of ops and blocks, of dumps, of logs, and in total."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import add, attrgetter
from typing import Any, NamedTuple

from eio_audit.audit.dependence import DependenceKind
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.audit.pair_class import SHUFFLED, PairClass
from eio_audit.mlir.input.dumps import DumpPlace
from eio_audit.mlir.semantics.functions import runs_ahead


class BlockAudit(NamedTuple):
    """The order of one block. A block without inversions has only the first figures.

    A dump may have many thousands of blocks: a tuple is made several times as fast as a frozen dataclass.
    """

    function: str | None  # symbol of the function around it, or None
    block: str  # its label, `^bb0` for an entry block printed without one
    line: int  # 1-based line of the label, or of the first op
    ops: int  # number of ops, the terminator included, without nested ops
    indexed: int  # ops that carry an op index and do not follow others
    derived: int  # indexed ops that a pass made from another op, whose index they carry
    constants: int  # indexed ops without operands that the op table calls pure or constant
    followed: int  # ops that carry an index but follow others, so they are not `indexed`
    forced: int | None  # inversions where one op depends on the other; None for a graph region, without order
    inversions: int = 0  # pairs of indexed ops of which the earlier has the larger index
    descents: int = 0  # inversions between neighbours among the indexed ops
    minimum: int = 0  # inversions of the best order found; the true minimum if `certified`
    lower_bound: int = 0  # no legal order has fewer inversions
    displaced: int = 0  # size of a smallest set of ops whose removal leaves the block in order
    inherited: int = 0  # inversions with a derived op
    at_constants: int = 0  # inversions with a constant
    at_frees: int = 0  # inversions with an op that only frees
    # Avoidable inversions that hoisted constants cause: they are gone if constants follow their consumers.
    avoidable_constants: int = 0
    hoisted_constants: int = 0  # the constants that have fewer inversions after a fix, if they cause any
    # Those of the rest that splits cause: they are gone if splits follow their consumers.
    avoidable_splits: int = 0
    left_splits: int = 0  # the splits that have fewer inversions after a fix, if they cause any
    worst: tuple[DisplacedOp, ...] = ()  # those in the most inversions, worst first, as many as requested
    moved: int = 0  # ops that a fix moves
    moved_unindexed: int = 0  # those of these ops that do not count in inversions
    # Per part of the block, of PROFILE_PARTS: the place in the original order, from 0 (start) to 1 (end), of
    # the op that is farthest from its place; empty without inversions.
    profile: tuple[float, ...] = ()
    # Ops with an index that contradicts the dependences: a set of least weight (`disorder.py`) without
    # which all indices agree with them.
    wrong_indices: int = 0
    # Those of these ops that passes made: derived ops, and layout ops and frees that have the location of
    # another op.
    wrong_by_passes: int = 0
    wrong_certified: bool = True  # whether it is proven that no set of less weight is enough
    mislabelled: tuple[MislabelledOp, ...] = ()  # those in the most inversions, as for `worst`
    # Inversions between ops of which one changes what the other touches, without a value between the two.
    reversed_dependences: int = 0
    # Inversions of ops that the original order does not compare, by their class; none in a graph region.
    not_comparable: Mapping[PairClass, int] = {}
    frees: int = 0  # indexed ops that only free, by the op table
    followed_frees: int = 0  # `followed` ops that only free, and so follow their last use

    def shifted(self, lines: int) -> BlockAudit:
        """Return the same block, a number of lines further down."""
        return self._replace(
            line=self.line + lines,
            worst=tuple(op.shifted(lines) for op in self.worst),
            mislabelled=tuple(op.shifted(lines) for op in self.mislabelled),
        )

    @property
    def not_compared(self) -> int:
        """Inversions of ops that the original order does not compare."""
        return sum(self.not_comparable.values())

    @property
    def certified(self) -> bool:
        """Whether the minimum is proven."""
        return self.minimum == self.lower_bound

    @property
    def avoidable(self) -> int:
        """Inversions that a fix removes."""
        return self.inversions - self.minimum

    @property
    def wrong_ahead(self) -> int:
        """The wrong indices if its function runs ahead, and once; else 0."""
        return self.wrong_indices if runs_ahead(self.function) else 0

    @property
    def avoidable_others(self) -> int:
        """Avoidable inversions of ops out of place: those of neither hoisted constants nor splits."""
        return self.avoidable - self.avoidable_constants - self.avoidable_splits

    @property
    def is_shuffled(self) -> bool:
        """Whether some pair fails a gate by default."""
        return any(getattr(self, one.figure) for one in SHUFFLED)

    @property
    def knock_on(self) -> int:
        """Inversions of the best order found that are not forced."""
        return self.minimum - self.forced if self.forced is not None else 0


class UndefinedName(NamedTuple):
    """An op in custom assembly that names what nothing defines, and the first such name in it."""

    line: int  # 1-based, of the name
    column: int
    op: str
    name: str

    def shifted(self, lines: int) -> UndefinedName:
        """Return the same in a dump that begins so many lines later."""
        return self._replace(line=self.line + lines)


class Summary(NamedTuple):
    """Figures added up over blocks; ``forced`` is 0 for graph regions."""

    dumps: int
    blocks: int
    ops: int
    indexed: int
    inversions: int
    forced: int
    minimum: int
    lower_bound: int
    avoidable: int
    avoidable_constants: int
    avoidable_splits: int
    avoidable_others: int
    knock_on: int
    displaced: int
    derived: int
    inherited: int
    constants: int
    at_constants: int
    followed: int
    wrong_indices: int
    wrong_by_passes: int
    wrong_ahead: int
    reversed_dependences: int
    not_comparable: Counter[PairClass]
    wrong_certified: bool
    certified: bool

    @property
    def not_compared(self) -> int:
        """Inversions of ops that the original order does not compare."""
        return self.not_comparable.total()

    @property
    def unavoidable(self) -> int:
        """Inversions that the best order found leaves, without those that are told apart."""
        return self.minimum - self.not_compared - self.reversed_dependences

    def plus(self, other: Summary) -> Summary:
        """Return the sum of both; it is certified if both are."""
        return Summary._make(map(add, self, other))._replace(
            wrong_certified=self.wrong_certified and other.wrong_certified,
            certified=self.certified and other.certified,
        )

    @property
    def has_indices(self) -> bool:
        """Whether any op carries an index, even one that follows another."""
        return self.indexed + self.followed > 0


@dataclass(frozen=True)
class DumpAudit:
    """The order of one dump."""

    place: DumpPlace  # where the dump is
    blocks: tuple[BlockAudit, ...]  # the blocks that have an op with an index, in textual order
    # Per name, how many ops have no row in the op table and so may do anything to memory; counted only
    # if a block has inversions.
    unknown_ops: Counter[str]
    # Per pattern of `--assume-pure`, how many ops lose effects by it; counted only if a block has
    # inversions.
    assumed_pure: Counter[str] = field(default_factory=Counter)
    unmatched: tuple[str, ...] = ()  # the patterns of `--assume-pure` that match no op of the dump
    # The ops that name what nothing defines. Nothing moves past them.
    undefined_names: tuple[UndefinedName, ...] = ()
    options: AuditOptions = DEFAULT_OPTIONS  # the options of the audit
    located: int = 0  # number of its ops that have a location, those of other blocks included
    is_unindexed: bool = False  # whether it has ops that could carry an index, and none carries one
    selected: tuple[str | None, str] = (None, "")  # how it was chosen among the dumps of its file: see `Dump`

    @property
    def source(self) -> str:
        """File name, ``<stdin>`` for standard input."""
        return self.place.source

    @property
    def line(self) -> int:
        """1-based line of the dump's marker, or of its first text."""
        return self.place.line

    @property
    def pass_name(self) -> str | None:
        """The pass of the marker; None without a marker."""
        return self.place.pass_name

    @property
    def when(self) -> str | None:
        """``"before"`` or ``"after"`` that pass; None without a marker."""
        return self.place.when

    @property
    def moment(self) -> str:
        """Which dump of a log it is, such as ``after canonicalize``; empty without a marker."""
        return self.place.moment

    @cached_property
    def summary(self) -> Summary:
        """The sum of the dump's figures."""
        return summarize([self])


COUNTED_IN_ALL = ("ops", "indexed", "derived", "constants", "followed")
DERIVED_FIGURES = ("dumps", "blocks", "forced", "not_comparable", "wrong_certified", "certified")
COUNTED_IN_DISORDERED = [name for name in Summary._fields if name not in COUNTED_IN_ALL + DERIVED_FIGURES]
"""The figures that are 0 for a block without inversions."""


def summarize(dumps: Sequence[DumpAudit]) -> Summary:
    """Add up the figures of several dumps."""
    return summarize_blocks([block for dump in dumps for block in dump.blocks], len(dumps))


def summarize_blocks(blocks: Sequence[BlockAudit], dumps: int = 1) -> Summary:
    """Add up the figures of blocks, which are from a number of ``dumps``."""
    disordered = [block for block in blocks if block.inversions]
    return Summary(
        dumps=dumps,
        blocks=len(blocks),
        forced=sum(block.forced or 0 for block in disordered),
        not_comparable=sum((Counter(one.not_comparable) for one in disordered), Counter[PairClass]()),
        wrong_certified=all(block.wrong_certified for block in disordered),
        certified=all(block.certified for block in disordered),
        **_added_up(COUNTED_IN_ALL, blocks),
        **_added_up(COUNTED_IN_DISORDERED, disordered),
    )


def _added_up(names: Sequence[str], blocks: Sequence[BlockAudit]) -> dict[str, int]:
    if not blocks:
        return dict.fromkeys(names, 0)
    columns = zip(*map(attrgetter(*names), blocks), strict=True)
    return dict(zip(names, map(sum, columns), strict=True))


def unmatched_patterns(dumps: Sequence[DumpAudit]) -> list[str]:
    """Return the patterns of ``--assume-pure`` that match no op of any dump."""
    first = dumps[0].unmatched if dumps else ()
    return [pattern for pattern in first if all(pattern in dump.unmatched for dump in dumps)]


class Blocker(NamedTuple):
    """The op that keeps a displaced op from moving, and the kind of dependence between the two."""

    op: OpLabel
    kind: DependenceKind

    def shifted(self, lines: int) -> Blocker:
        """Return the same op, a number of lines further down."""
        return self._replace(op=self.op.shifted(lines))


class DisplacedOp(NamedTuple):
    """A member of a smallest set of ops whose removal leaves the block in order."""

    op: OpLabel
    inversions: int  # how many inversions it is in
    # Whether it is before ops with smaller indices; otherwise it is after ops with larger indices.
    early: bool
    derived: bool  # whether a pass made it from the op whose index it carries
    # The direct user that needs it early, or the direct producer that keeps it late. None if a fix can
    # move it.
    blocker: Blocker | None

    def shifted(self, lines: int) -> DisplacedOp:
        """Return the same op, a number of lines further down."""
        blocker = self.blocker and self.blocker.shifted(lines)
        return self._replace(op=self.op.shifted(lines), blocker=blocker)


class MislabelledOp(NamedTuple):
    """An op with a wrong index: one of a set of least weight whose indices contradict the dependences."""

    op: OpLabel  # the op, with the index that it carries
    # The op whose index it should carry: of the ops that depend on it and keep their index, the one
    # with the smallest index. If there are none: of the ops it depends on, the one with the largest.
    right: OpLabel
    inversions: int  # how many inversions it is in

    def shifted(self, lines: int) -> MislabelledOp:
        """Return the same op, a number of lines further down."""
        return self._replace(op=self.op.shifted(lines), right=self.right.shifted(lines))


_NONE = summarize_blocks([], dumps=0)


class LogFigures:
    """The figures of the functions that have inversions, added up dump by dump."""

    def __init__(self) -> None:
        # Their growth over all dumps, function by function. The figures of a new function count
        # minus what the other functions lost in that dump, because its ops may have been theirs.
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
    numbers: dict[str, Any] = {
        name: max(after - before, 0)
        for name, before, after in zip(Summary._fields, old, new, strict=True)
        if isinstance(before, int) and isinstance(after, int)
    }
    numbers["not_comparable"] = new.not_comparable - old.not_comparable
    return Summary(**numbers)._replace(certified=new.certified, wrong_certified=new.wrong_certified)


class UnjudgedInput(NamedTuple):
    """A file, which may be a log, that has ops of which none carries an index."""

    source: str  # file name, `<stdin>` for standard input
    dumps: int  # number of its dumps that have ops
    has_locations: bool  # whether an op has a location, so that the index may be written in another form
