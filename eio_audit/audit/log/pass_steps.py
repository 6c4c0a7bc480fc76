"""What each pass of a log did: the text before and after it, and the ops that it changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from eio_audit.audit.check.keyed_dump import read_dump
from eio_audit.audit.diff.compared_dump import ComparedDump, compared
from eio_audit.audit.diff.dump_comparison import DumpComparison
from eio_audit.audit.diff.inverse_ops import LayoutChanges
from eio_audit.audit.locations.location_numbers import Interned
from eio_audit.audit.log.trace import Trace
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import DumpText
from eio_audit.mlir.source import InputError


@dataclass(frozen=True, slots=True)
class ScopeText:
    """The text of the function, module or program that a pass ran on, before or after it.

    Attributes:
        source: the file that most of its lines are from.
        lines: its lines as printed, without line ends.
        places: per line, its 1-based line in the file.
        ops: per line, the number of the op that begins there, -1 for none. An op keeps its number through
            the whole log, as far as the matching of the ops of each pass follows it. An op that a pass adds
            gets a new number.
    """

    source: str
    lines: Sequence[bytes]
    places: Sequence[int]
    ops: Sequence[int]


@dataclass(frozen=True, slots=True)
class StepChange:
    """What a pass did to one op.

    Attributes:
        status: "added", "removed", "modified" or "moved" (moved: only its place changed).
        op: the number of the op, as in ScopeText.ops.
        origin: number of the op it was made from, if known, else None.
        name: its name, ``linalg.matmul``.
        function: symbol of the function it is in, None outside functions.
        before: 0-based line in the text before; None if it is not there.
        after: 0-based line in the text after; None if it is not there.
    """

    status: str
    op: int
    origin: int | None
    name: str
    function: str | None
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class PassStep:
    """One run of a pass that changed something: the texts around it, and the changed ops.

    Attributes:
        index: the index of its TracedPass in Trace.passes.
        before: the text before it.
        after: the text after it.
        changes: the changed ops.
    """

    index: int
    before: ScopeText
    after: ScopeText
    changes: tuple[StepChange, ...]


def step_of(comparison: DumpComparison) -> PassStep:
    """Return what one unknown pass did between two dumps. Its index is 0."""
    numbers = Numbers()
    return _step(comparison, numbers.new(len(comparison.before.ops)), numbers)[0]


class Numbers:
    """The numbers of the ops of a log."""

    def __init__(self) -> None:
        self._count = 0

    def new(self, count: int) -> list[int]:
        """Return numbers that no op has."""
        self._count += count
        return [*range(self._count - count, self._count)]


class PassSteps:
    """Compares each dump with the dump of the same function or program before it."""

    def __init__(self, options: AuditOptions) -> None:
        self._options = options
        self._interned = Interned()
        self._numbers = Numbers()
        self._known: dict[tuple[str, str | None], tuple[ComparedDump, list[int]]] = {}
        self._steps: list[tuple[tuple[str, int], PassStep]] = []

    def watch(self, dumps: Iterable[Dump]) -> Iterator[Dump]:
        """Yield the same dumps. Each is compared after its use."""
        for dump in dumps:
            yield dump
            try:
                self._take(dump)
            except InputError:
                continue  # the trace reports the error

    def of(self, trace: Trace) -> Iterator[PassStep]:
        """Yield the steps with the indices of their passes."""
        index_of = {(one.place.source, one.place.line): one.index for one in trace.passes}
        for place, step in self._steps:
            if place in index_of:
                yield replace(step, index=index_of[place])

    def _take(self, dump: Dump) -> None:
        symbols = [*DumpText(dump, self._options.op_table).functions]
        is_function = len(symbols) == 1 and dump.marker is not None and dump.marker.symbol == symbols[0]
        key = dump.program, symbols[0] if is_function else None
        known = self._known.get(key)
        if known is not None and dump.has_text(known[0].dump.dump.text):
            return
        side = compared(read_dump(dump, self._options), self._interned)
        if known is None:
            self._known[key] = side, self._numbers.new(len(side.ops))
            return
        step, numbers = _step(DumpComparison(known[0], side), known[1], self._numbers)
        self._known[key] = side, numbers
        if step.changes or step.before.lines != step.after.lines:
            self._steps.append(((dump.source.name, dump.line), step))


def _step(
    comparison: DumpComparison, old_numbers: Sequence[int], unused: Numbers
) -> tuple[PassStep, list[int]]:
    """Return the step between two dumps, and the numbers of the ops of the later one."""
    before, after, was = comparison.before, comparison.after, comparison.was
    numbers = [old_numbers[was[op]] if op in was else unused.new(1)[0] for op in range(len(after.ops))]
    texts = _scope_text(before, old_numbers), _scope_text(after, numbers)
    return PassStep(0, *texts, tuple(_changes(comparison, old_numbers, numbers))), numbers


def _scope_text(side: ComparedDump, numbers: Sequence[int]) -> ScopeText:
    dump = side.dump.dump
    blank = dump.first_line - dump.source.line_at(dump.span.start)
    lines = dump.text.rstrip().split(b"\n")[blank:]
    first = dump.first_line
    ops = [-1] * len(lines)
    for op, number in enumerate(numbers):
        line = _line(side, op)
        if ops[line] == -1:
            ops[line] = number
    return ScopeText(dump.source.name, lines, range(first, first + len(lines)), ops)


def _changes(
    comparison: DumpComparison, old_numbers: Sequence[int], numbers: Sequence[int]
) -> Iterator[StepChange]:
    before, after = comparison.before, comparison.after
    commuted = LayoutChanges(comparison).came_from if comparison.added else {}
    for old in range(len(before.ops)):
        if old not in comparison.became:
            yield _change("removed", old_numbers[old], None, before, old, _line(before, old), None)
    for new in range(len(after.ops)):
        if new not in comparison.was:
            found = comparison.origin(new, commuted) or comparison.converted_from(new)
            origin = old_numbers[found[0]] if found else None
            yield _change("added", numbers[new], origin, after, new, None, _line(after, new))
            continue
        old = comparison.was[new]
        change = comparison.change(old, new)
        if change.status != "unchanged":
            lines = _line(before, old), _line(after, new)
            yield _change(change.status, numbers[new], None, after, new, *lines)


def _change(
    status: str,
    number: int,
    origin: int | None,
    side: ComparedDump,
    op: int,
    old: int | None,
    new: int | None,
) -> StepChange:
    function = side.ops.functions[side.ops.ir.op_block[op]]
    return StepChange(status, number, origin, side.ops.names[op], function, old, new)


def _line(side: ComparedDump, op: int) -> int:
    """The 0-based line of an op in the text of its dump."""
    dump = side.dump.dump
    return dump.source.line_at(side.ops.ir.op_start[op]) - dump.first_line
