"""What the passes of a log did to the ops: the text before and after each dump that shows a change, compared.

Functions that are the same before and after are not read again: their bodies are left out on both sides.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from eio_audit.audit.check.keyed_dump import read_dump
from eio_audit.audit.diff.compared_dump import ComparedDump, compared
from eio_audit.audit.diff.dump_comparison import DumpComparison
from eio_audit.audit.diff.inverse_ops import LayoutChanges
from eio_audit.audit.locations.location_numbers import Interned
from eio_audit.audit.log.function_states import DumpStates, FunctionState
from eio_audit.audit.log.modules import Part
from eio_audit.audit.log.program_text import ProgramText, ShownText, extents_of, line_ends
from eio_audit.audit.log.scope_text import Lines, Scope, ScopeText
from eio_audit.audit.log.walk import PassRun, Step
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.function_texts import DumpText

KNOWN_TEXTS = 50_000
"""How many numbers for texts, locations and classes of ops are kept from dump to dump."""


@dataclass(frozen=True, slots=True)
class ChangedOp:
    """What a pass did to one op.

    Attributes:
        status: ``moved``, ``modified``, ``added`` or ``removed``.
        name: its name, in the later dump if it has it.
        function: the symbol of the function around it; None outside functions.
        before, after: the 0-based line where it begins in each text; None if it is not there.
        number: the number of the op in its program. -1 where ops are not numbered.
        origin: the number of the op that it was made from, for an added op; -1 if that is not known.
    """

    status: str
    name: str
    function: str | None
    before: int | None
    after: int | None
    number: int = -1
    origin: int = -1


@dataclass(frozen=True, slots=True)
class PassStep:
    """A dump, and the text before it.

    Attributes:
        before: the last known text of what the dump shows.
        after: the text of the dump.
        changes: per pass, what it is charged with, in the order of the later text.
        is_same: whether both texts are the same, line by line.
    """

    before: ScopeText
    after: ScopeText
    changes: Mapping[PassRun | None, Sequence[ChangedOp]]
    is_same: bool = False


@dataclass(frozen=True, slots=True)
class OpCounts:
    """How many ops a pass added, removed, modified, and moved without a modification."""

    added: int = 0
    removed: int = 0
    modified: int = 0
    moved: int = 0

    @property
    def total(self) -> int:
        """How many ops changed."""
        return self.added + self.removed + self.modified + self.moved

    def plus(self, other: OpCounts) -> OpCounts:
        """Return the sums."""
        return OpCounts(
            self.added + other.added,
            self.removed + other.removed,
            self.modified + other.modified,
            self.moved + other.moved,
        )


def counts_by_name(changes: Iterable[ChangedOp]) -> dict[str, OpCounts]:
    """Return the counts by the name of the op."""
    numbers: dict[str, Counter[str]] = defaultdict(Counter)
    for change in changes:
        numbers[change.name][change.status] += 1
    return {name: OpCounts(**found) for name, found in numbers.items()}


class ProgramSteps:
    """Compares the dumps of one program, one after another.

    Args:
        options: the options to read dumps with.
        numbers_ops: whether ops get numbers, which they keep from dump to dump.
    """

    def __init__(self, options: AuditOptions, *, numbers_ops: bool = False) -> None:
        self._options = replace(options, order_from=None)
        self._next_number = count() if numbers_ops else None
        self._texts = ProgramText()
        self._interned = Interned()
        self._last_read: tuple[bytes, ComparedDump] | None = None

    def take(self, step: Step[DumpStates], known: Mapping[Part, FunctionState]) -> PassStep | None:
        """Compare what a dump shows with the last known text of that; return None if that is not known.

        Args:
            step: the dump.
            known: the states of the program before it.

        Raises:
            InputError: one of the texts cannot be read.
        """
        if len(self._interned) > KNOWN_TEXTS:
            self._interned, self._last_read = Interned(), None
        dump = step.shown.dump
        divided = DumpText(dump, self._options.op_table)
        shown = ShownText(dump, divided, self._options.op_table)
        root, before = self._texts.before(shown)
        after = shown.text
        if before is not None and before.is_same_as(after):
            self._texts.take(after.with_all_of(before), shown.name)
            return PassStep(before, after, {}, is_same=True)
        states = step.shown.parts.items()
        same = {part for part, state in states if part in known and known[part].key == state.key}
        left_out = [] if before is None else _same_lines(before, after, divided, same)
        old = None if before is None else self._read(before, [lines for lines, _ in left_out])
        new = self._read(after, [lines for _, lines in left_out])
        after = replace(after, extents=new.extents(root))
        changes: list[ChangedOp] = []
        if before is None and self._next_number is not None:
            after = after.numbered(new.op_lines, [next(self._next_number) for _ in new.op_lines])
        elif before is not None and old is not None:
            for there, here in left_out:
                after = after.with_numbers_of(here, before, there)
            new.text = after
            after, changes = self._compared(old, new)
            if root is None:  # the dump shows more of the program than those before it
                functions = {scope[-1].symbol for scope in before.extents if scope}
                changes = [change for change in changes if change.function in functions]
        self._texts.take(after, shown.name)
        if before is None:
            return None
        charged: dict[PassRun | None, list[ChangedOp]] = defaultdict(list)
        for change in changes:
            charged[step.run_of(change.function)].append(change)
        return PassStep(before, after, charged)

    def _compared(self, old: _Side, new: _Side) -> tuple[ScopeText, list[ChangedOp]]:
        """Return the later text with the numbers of its ops, and the ops that changed."""
        comparison = DumpComparison(old.ops, new.ops)
        pairs = [*comparison.statuses()]
        changes = [_changed_op(status, was, op, old, new) for status, was, op in pairs]
        if self._next_number is None:
            return new.text, changes
        known = old.text.numbers(old.op_lines)
        was = comparison.was
        numbers = [
            known[was[op]] if op in was else next(self._next_number) for op in range(len(new.op_lines))
        ]
        origins = _origins(comparison)
        return new.text.numbered(new.op_lines, numbers), [
            replace(
                change,
                number=numbers[op] if op is not None else -1 if gone is None else known[gone],
                origin=known[origins[op]] if op in origins else -1,
            )
            for change, (_, gone, op) in zip(changes, pairs, strict=True)
        ]

    def _read(self, text: ScopeText, left_out: Sequence[Lines]) -> _Side:
        """Read a text without the bodies of some functions."""
        kept = text.without_bodies(left_out)
        dump = text.readable(kept)
        data = dump.text
        if self._last_read is None or self._last_read[0] != data:
            self._last_read = data, compared(read_dump(dump, self._options), self._interned)
        return _Side(text, kept, self._last_read[1])


class _Side:
    """One side of a comparison: a text, and the ops that were read from some of its lines.

    ``op_lines`` has, per op, the 0-based line of the text where it begins.
    """

    def __init__(self, text: ScopeText, kept: Sequence[int], ops: ComparedDump) -> None:
        self.text = text
        self.ops = ops
        self._kept = kept
        ends = line_ends(ops.ops.ir)
        self.op_lines = [kept[bisect_right(ends, start)] for start in ops.ops.ir.op_start]

    def extents(self, root: Scope | None) -> dict[Scope, Lines]:
        """Return the lines of the scopes, as scopes of the program; ``root`` is the outermost of them."""
        return extents_of(self.ops.ops.ir, self._kept, root)


def _same_lines(
    before: ScopeText, after: ScopeText, divided: DumpText, same: Collection[Part]
) -> list[tuple[Lines, Lines]]:
    """Return the lines of functions that are the same in both texts, on each side."""
    known: dict[str | None, list[Lines]] = defaultdict(list)
    for scope, lines in before.extents.items():
        known[scope[-1].symbol if scope else None].append(lines)
    pairs = []
    for symbol, function in divided.functions.items() if divided.aliases.are_unique else ():
        start = function.line - after.lines[0].number
        here = Lines(start, start + function.raw.removesuffix(b"\n").count(b"\n") + 1)
        there = known[symbol]
        if symbol in same and len(there) == 1 and there[0].length == here.length:
            pairs.append((there[0], here))
    return pairs


def _changed_op(status: str, old: int | None, new: int | None, before: _Side, after: _Side) -> ChangedOp:
    side, op = (before, old) if new is None else (after, new)
    assert op is not None
    ops = side.ops.ops
    return ChangedOp(
        status,
        ops.names[op],
        ops.functions[ops.ir.op_block[op]],
        None if old is None else before.op_lines[old],
        None if new is None else after.op_lines[new],
    )


def _origins(comparison: DumpComparison) -> dict[int, int]:
    """Return, by added op, the earlier op that it was made from, if that is known."""
    commuted = LayoutChanges(comparison).came_from if comparison.added else {}
    found = {op: comparison.origin(op, commuted) or comparison.converted_from(op) for op in comparison.added}
    return {op: origin[0] for op, origin in found.items() if origin is not None}
