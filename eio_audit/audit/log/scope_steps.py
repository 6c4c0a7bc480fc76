"""Each dump of a program compared with the last known text of what it shows, and what passes did to the ops.

Ops keep a number throughout. Functions that are the same before and after are not read again: their bodies
are left out on both sides.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain, count, repeat
from operator import add
from typing import NamedTuple

from eio_audit.audit.check.keyed_dump import KeyedDump, read_dump
from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.audit.diff.dump_comparison import DumpComparison, Relation
from eio_audit.audit.diff.inverse_ops import LayoutChanges
from eio_audit.audit.locations.parsed_locations import Interned
from eio_audit.audit.options import AuditOptions
from eio_audit.audit.programs.modules import FunctionOrModule
from eio_audit.audit.programs.program_text import ProgramText
from eio_audit.audit.programs.scope_text import OutsideText, Recent, Scope, ScopeText, ShownText, extents_of
from eio_audit.mlir.input.dumps import Dump, DumpPlace
from eio_audit.mlir.source import line_ends

KNOWN_BYTES = 1 << 23  # of how many bytes of the latest texts what was read is kept
KNOWN_TEXTS = 50_000  # how many numbers for texts, locations and classes of ops are kept from dump to dump


class ScopeSide:
    """One side of a comparison: a text, and the ops that were read from some of its lines."""

    def __init__(self, kept: Sequence[int], ops: ComparedDump) -> None:
        self.ops = ops  # the ops as they are compared, without those in the bodies that were left out
        self.numbers: Sequence[int] = ()  # per op, its number, which it keeps from dump to dump
        self.kept = kept  # per line that was read, its 0-based number in the text

    @cached_property
    def op_lines(self) -> Sequence[int]:
        """Per op, the 0-based line of the text where it begins."""
        data, starts = self.ops.ir.source.data[:], self.ops.ir.op_start
        below = map(data.count, repeat(b"\n"), chain((0,), starts), starts)
        return array("q", map(self.kept.__getitem__, accumulate(below)))

    def function_of(self, op: int) -> str | None:
        """Return the symbol of the function around an op; None outside functions."""
        return self.ops.functions[self.ops.ir.op_block[op]]

    def extents(self, root: Scope | None) -> dict[Scope, range]:
        """Return the lines of the scopes, as scopes of the program; ``root`` is the outermost of them."""
        return extents_of(self.ops.ir, line_ends(self.ops.ir.source.data), self.kept, root)


@dataclass(frozen=True)
class ScopeStep:
    """A dump and the text before it."""

    before: ScopeText | None  # the last known text of what the dump shows; None if nothing of it was known
    after: ScopeText  # the text of the dump
    old: ScopeSide | None = None  # the ops before; None if nothing was known, or if both texts are the same
    new: ScopeSide | None = None  # the ops of the dump; None if both texts are the same
    comparison: DumpComparison | None = None  # of the two; None if there is no old side
    # The functions that the dumps before showed, if this one shows more of the program; else None.
    known_functions: Container[str | None] | None = None
    # By removed op, its copy in the dump: its function was inlined there, and an earlier dump of the caller
    # alone showed the copy.
    copies: Mapping[int, int] = field(default_factory=dict)

    def was_known(self, function: str | None) -> bool:
        """Return whether the dumps before showed a function, so that what is new in it was made."""
        is_known = self.known_functions is None or function in self.known_functions
        return self.before is not None and is_known

    @cached_property
    def origins(self) -> Mapping[int, tuple[int, Relation]]:
        """By added op, the earlier op that it was made from and how, if that is known."""
        comparison = self.comparison
        if comparison is None or not comparison.added:
            return {}
        commuted = LayoutChanges(comparison).came_from
        found = {
            op: comparison.converted_from(op) or comparison.origin(op, commuted) for op in comparison.added
        }
        return {op: origin for op, origin in found.items() if origin is not None}

    @property
    def others(self) -> Mapping[int, int]:
        """By number of an added op, that of the op it was made from; of a removed op, that of its copy."""
        if self.old is None or self.new is None:
            return {}
        before, now = self.old.numbers, self.new.numbers
        copies = {before[op]: now[copy] for op, copy in self.copies.items()}
        return copies | {now[op]: before[origin] for op, (origin, _) in self.origins.items()}


class Before:
    """What is known of what a dump shows."""

    def __init__(self, texts: ProgramText, shown: ShownText) -> None:
        self._texts, self._shown = texts, shown

    @cached_property
    def root(self) -> Scope | None:
        """The scope; None if it is not known."""
        return self._texts.find(self._shown)

    @cached_property
    def text(self) -> ScopeText | None:
        """Its last known text; None if nothing in it is known."""
        return self._texts.before(self._shown, self.root)


class ScopeSteps:
    """Compares the dumps of one program, one after another. Ops get numbers, which they keep."""

    def __init__(self, options: AuditOptions) -> None:
        self._options = replace(options, order_from=None)
        self._ends = [0]  # the number after the last op, at first and after each dump that differs
        self.texts = ProgramText()  # the last known text of the program
        self._interned = Interned()
        self._shown: ShownText | None = None
        self._outsides = Recent[OutsideText](KNOWN_BYTES)
        self._reads = Recent[ComparedDump](KNOWN_BYTES)  # by text
        self._sides: list[tuple[Dump, ScopeSide]] = []  # those of the last dumps

    def show(self, dump: Dump) -> ShownText:
        """Return what a dump shows, to ``take`` it. The last one is kept."""
        if self._shown is None or self._shown.dump is not dump:
            self._shown = ShownText(dump, self._options.op_table, self._outsides)
            self._before = Before(self.texts, self._shown)
            if len(self._interned) + len(self._interned.locations) > KNOWN_TEXTS:
                self._interned, self._reads, self._sides = Interned(), Recent(KNOWN_BYTES), []
        return self._shown

    def read(self, dump: Dump, same: Container[FunctionOrModule]) -> ComparedDump:
        """Return what ``take`` compares of a dump: all but the bodies of functions that are the ``same``."""
        shown = self.show(dump)
        left_out = self._same_lines(self._before.text, shown, same)
        return self._new_side(shown, shown.text.without_bodies(lines for _, lines in left_out)).ops

    def read_without(self, dump: Dump, left_out: Container[str]) -> KeyedDump | None:
        """Return a dump without the bodies of some functions.

        What is around all functions then need not be read apart from them. None if its functions are not
        where they were found by their text.
        """
        shown = self.show(dump)
        bodies = (lines for symbol, lines in shown.lines_of_functions.items() if symbol in left_out)
        side = self._new_side(shown, shown.text.without_bodies(bodies))
        return side.ops.dump if shown.has_outline_of(side.ops.ir, side.extents(None)) else None

    def before(self, shown: ShownText) -> Before:
        """Return what is known of what a dump shows."""
        return self._before if shown is self._shown else Before(self.texts, shown)

    def take(
        self, shown: ShownText, same: Container[FunctionOrModule], *, is_read: bool = False
    ) -> ScopeStep:
        """Compare what a dump shows with the last known text of that.

        ``same`` are the functions that are the same as in the dump that showed them last. The same text is
        not read, unless ``is_read``. An InputError says that one of the texts cannot be read.
        """
        last, after = self.before(shown), shown.text
        root, before = last.root, last.text
        self._before = Before(self.texts, shown)
        if not is_read and before is not None and before.is_same_as(after):
            after = after.with_all_of(before)
            self.texts.take(after, shown.outline)
            return ScopeStep(before, after)
        left_out = self._same_lines(before, shown, same)
        new = self._new_side(shown, after.without_bodies(lines for _, lines in left_out))
        after = after._replace(extents=new.extents(root))
        old, comparison, kept_numbers = None, None, dict[int, int]()
        if before is not None:  # it may be that of a pass that failed
            kept = before.without_bodies(lines for lines, _ in left_out)
            old = self._side(before, kept, may_be_invalid=True)
            old.numbers = before.numbers(old.op_lines)
            comparison = DumpComparison(old.ops, new.ops)
            kept_numbers = {op: old.numbers[was] for op, was in comparison.was.items()}
        fresh = count(self._ends[-1])
        ops = range(len(new.op_lines))
        new.numbers = [kept_numbers[op] if op in kept_numbers else next(fresh) for op in ops]
        self._ends.append(next(fresh))
        after = after.numbered(new.op_lines, new.numbers, before.lines.ops if before else (), left_out)
        self.texts.take(after, shown.outline)
        known = {scope[-1].symbol for scope in before.extents if scope} if before and root is None else None
        copies = {} if comparison is None or old is None else self._copies(comparison, old, new)
        return ScopeStep(before, after, old, new, comparison, known, copies)

    def _copies(self, comparison: DumpComparison, old: ScopeSide, new: ScopeSide) -> dict[int, int]:
        """Return the copies of removed ops that an earlier dump of the caller alone showed.

        A copy has the same name, location and text as the op, and was first seen in a later dump. No other op
        is like it, and it is like no other op.
        """
        before, now = old.ops, new.ops
        kept, shown = {*comparison.was.values()}, {*now.functions}
        gone = [op for op in range(len(before.names)) if op not in kept and old.function_of(op) not in shown]
        if not gone:
            return {}
        alike: dict[tuple[str, bytes], list[int]] = defaultdict(list)
        for op in comparison.was:
            alike[now.names[op], now.texts[op].text].append(op)
        found: dict[int, list[int]] = defaultdict(list)
        for op in gone:
            end = self._ends[bisect_right(self._ends, old.numbers[op])]
            likes = [
                other
                for other in alike[before.names[op], before.texts[op].text]
                if new.numbers[other] >= end
                and before.locations[op] in (now.locations[other], now.location_numbers.callee(other))
            ]
            if len(likes) == 1:
                found[likes[0]].append(op)
        return {ops[0]: copy for copy, ops in found.items() if len(ops) == 1}

    def _new_side(self, shown: ShownText, kept: Sequence[int]) -> ScopeSide:
        side = self._side(shown.text, kept, may_be_invalid=shown.dump.has_failed)
        self._sides = [*self._sides[-1:], (shown.dump, side)]
        return side

    def _side(self, text: ScopeText, kept: Sequence[int], *, may_be_invalid: bool) -> ScopeSide:
        """Return some lines of a text as a side. Often it was read before."""
        for dump, side in self._sides if text.is_whole_dump else ():
            if dump is text.dump and side.kept == kept and (may_be_invalid or not side.ops.ir.faults):
                return side
        dump = text.readable(kept)
        data = bytes(dump.source.data)
        ops = self._reads.get(data)
        if ops is not None and (may_be_invalid or not ops.ir.faults):
            return ScopeSide(kept, ops.placed(dump))
        ops = ComparedDump(read_dump(dump, self._options, may_be_invalid=may_be_invalid), self._interned)
        self._reads.add(data, ops, len(data))
        return ScopeSide(kept, ops)

    def _same_lines(
        self, before: ScopeText | None, shown: ShownText, same: Container[FunctionOrModule]
    ) -> list[tuple[range, range]]:
        """Return the lines of functions that are the same in both texts, on each side.

        If a function or module has vanished, its ops may be in any other: none is left out.
        """
        known: dict[str | None, list[range]] = defaultdict(list)
        for scope, lines in before.extents.items() if before is not None else ():
            known[scope[-1].symbol if scope else None].append(lines)
        pairs = list[tuple[range, range]]()
        is_all_there = known.keys() <= {scope[-1].symbol if scope else None for scope in shown.outline.scopes}
        for symbol, here in shown.functions.items() if is_all_there else ():
            there = known[symbol]
            is_same = symbol in same and symbol not in self.texts.namesakes
            if is_same and len(there) == 1 and len(there[0]) == len(here):
                pairs.append((there[0], here))
        return pairs


@dataclass(frozen=True, slots=True)
class TracedPlace(DumpPlace):
    """Where a dump of a trace is."""

    occurrence: int = 0  # 0-based number among the dumps of that file before, or after, that pass


class ChangedOp(NamedTuple):
    """What a pass did to one op."""

    status: str  # `moved`, `modified`, `added` or `removed`
    name: str  # its name, in the later dump if it has it
    function: str | None  # the symbol of the function around it; None outside functions
    before: int | None  # the 0-based line where it begins in the text before; None if it is not there
    after: int | None  # the same in the text after
    number: int = -1  # the number of the op in its program
    is_unlocated: bool = False  # whether it had a known location before, and has none now


class OpCounts(NamedTuple):
    """How many ops a pass added, removed, modified, and moved without a modification."""

    added: int = 0
    removed: int = 0
    modified: int = 0
    moved: int = 0
    unlocated: int = 0  # those of the modified ops that had a known location before, and have none now

    @property
    def total(self) -> int:
        """How many ops changed."""
        return self.added + self.removed + self.modified + self.moved

    def plus(self, other: OpCounts) -> OpCounts:
        """Return the sums."""
        return OpCounts(*map(add, self, other))


def counts_by_name(changes: Iterable[ChangedOp]) -> dict[str, OpCounts]:
    """Return the counts by the name of the op."""
    numbers: dict[str, Counter[str]] = defaultdict(Counter)
    for change in changes:
        numbers[change.name][change.status] += 1
        numbers[change.name]["unlocated"] += change.is_unlocated
    return {name: OpCounts(**found) for name, found in numbers.items()}


def changed_ops(compared: ScopeStep) -> Iterator[ChangedOp]:
    """Yield what became of the ops that a dump and the text before it do not share."""
    comparison, old, new = compared.comparison, compared.old, compared.new
    if comparison is None or old is None or new is None:
        return
    for status, was, now in comparison.statuses():
        side, op = (old, was) if now is None else (new, now)
        assert op is not None
        function = side.function_of(op)
        if status == "added" and not compared.was_known(function):
            continue  # the dump only shows more of the program than those before it
        yield ChangedOp(
            status,
            side.ops.names[op],
            function,
            None if was is None else old.op_lines[was],
            None if now is None else new.op_lines[now],
            side.numbers[op],
            status == "modified" and comparison.loses_location(was or 0, now or 0),
        )
