"""What passes did and the texts around them, as the data of a page that shows one pass at a time."""

from __future__ import annotations

import base64
import json
import re
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import chain
from typing import Any

from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.audit.diff.dump_comparison import DumpComparison
from eio_audit.audit.log.scope_steps import ChangedOp, PassStep, ScopeSide, ScopeStep, changed_ops
from eio_audit.audit.log.scope_text import ScopeText, ShownText
from eio_audit.audit.log.trace import Trace
from eio_audit.audit.log.walk import PassRun

_NUMBER = re.compile(rb"%(0|[1-9][0-9]{0,8})")  # the name of a value; many lines differ in these only


class StoredLines:
    """Lines, each with a number. Lines that differ only in the numbers of values share a template."""

    def __init__(self) -> None:
        self.templates: dict[str, int] = {}  # the texts of lines, with a line end in the place of each number
        self.template_of = array("q")  # by line, the number of its template
        # The numbers of all lines, one after the other. The first of a line is stored as its
        # difference from the first of the last line that has one, the others as how far they are
        # below it.
        self.numbers = array("q")
        self._known: dict[bytes, int] = {}
        self._first = 0

    def add(self, line: bytes) -> int:
        """Return the number of a line."""
        name = blake2b(line, digest_size=16).digest()  # a line takes many times the memory
        known = self._known.get(name)
        if known is not None:
            return known
        parts = _NUMBER.split(line)
        template = b"%\n".join(parts[::2]).decode("utf-8", "surrogateescape")
        self.template_of.append(self.templates.setdefault(template, len(self.templates)))
        if len(parts) > 1:
            first, *others = map(int, parts[1::2])
            self.numbers.append(first - self._first)
            self.numbers.extend(first - other for other in others)
            self._first = first
        self._known[name] = number = len(self._known)
        return number


class StoredTexts:
    """Texts, each with a number. Equal texts have the same."""

    def __init__(self) -> None:
        self.lines = StoredLines()  # the lines of all texts, each once
        self.sources: dict[str, int] = {}  # the names of the files, each with a number
        self._numbers: dict[tuple[int, tuple[bytes, ...]], int] = {}

    def add(self, text: ScopeText) -> int:
        """Return the number of a text."""
        definitions = dict[bytes, bytes]()
        for aliases in {id(line.aliases): line.aliases for line in text.lines}.values():
            definitions |= aliases.definitions
        columns = (
            (self.lines.add(line.text) for line in text.lines),
            (line.ops[0] + 1 if line.ops else 0 for line in text.lines),
            (line.number for line in text.lines),
            (self.lines.add(b"%b = %b" % one) for one in definitions.items()),
        )
        source = self.sources.setdefault(text.dump.source.name, len(self.sources))
        state = source, tuple(_differences(column).tobytes() for column in columns)
        return self._numbers.setdefault(state, len(self._numbers))

    def states(self) -> list[list[int | list[int]]]:
        """Return, per text, its file, the numbers of its lines, and per line its op plus one and its place.

        The numbers of the lines that define its aliases come last. Each number is stored as its difference
        from the one before, since most differences are 1.
        """
        return [
            [source, *(array("q", column).tolist() for column in columns)]
            for source, columns in self._numbers
        ]


def _differences(numbers: Iterable[int]) -> array[int]:
    """Return each number less the one before; the first less 0."""
    listed = array("q", numbers)
    return array("q", map(int.__sub__, listed, chain([0], listed)))


STATUSES = ("added", "removed", "modified", "moved")  # of ops, in the order of the page's counts
LEVEL = 9  # how hard zlib tries: the page is written once and read often


class StoredSteps:
    """The steps of a log, or the only step of a comparison, stored for a page."""

    def __init__(self, steps: Iterable[ScopeStep] = ()) -> None:
        # By the index of a pass, how many ops it changed, by status.
        self.counts: dict[int, Counter[str]] = {}
        self._texts = StoredTexts()
        self._names: dict[str, int] = {}
        self._steps: list[list[Any]] = []
        self._keys: dict[tuple[str, int], int] = {}

    def watch(self, run: PassRun, program: str, step: PassStep, changes: Sequence[ChangedOp]) -> None:
        """Store what a pass did while a log is traced. ``trace`` calls this."""
        key = self._keys.setdefault((program, run.number), len(self._keys))
        self.add(key, step.before, step.after, changes)

    def of(self, trace: Trace) -> StoredSteps:
        """Return the steps that were watched, with the indices of their passes in the trace."""
        index_of = {self._keys.get((one.program, one.run), -1): one.index for one in trace.passes}
        self.counts = {index_of[key]: counts for key, counts in self.counts.items()}
        for step in self._steps:
            step[0] = index_of[step[0]]
        return self

    def add(self, index: int, before: ScopeText, after: ScopeText, changes: Sequence[ChangedOp]) -> None:
        """Store what a pass changed. ``index`` is that of its TracedPass in Trace.passes."""
        self.counts.setdefault(index, Counter()).update(change.status for change in changes)
        texts = self._texts.add(before), self._texts.add(after)
        columns = [
            [STATUSES.index(change.status) for change in changes],
            [change.number for change in changes],
            [change.other for change in changes],
            [self._name(change.name) for change in changes],
            [-1 if change.function is None else self._name(change.function) for change in changes],
            [-1 if change.before is None else change.before for change in changes],
            [-1 if change.after is None else change.after for change in changes],
        ]
        self._steps.append([index, *texts, *columns])

    @property
    def sources(self) -> list[str]:
        """The names of the files that the texts are from."""
        return [*self._texts.sources]

    def data(self) -> dict[str, object]:
        """Return all steps as scripts read them.

        ``templates``, ``templateOf`` and ``numbers`` are the lines of all texts (``StoredLines``). ``states``
        are the texts (``StoredTexts``). A step is the index of its pass, the numbers of the texts before and
        after it, and seven lists with an entry per changed op: its status in ``statuses``, its number, its
        ``other``, its name and function in ``names``, and its lines before and after. -1 stands for none.
        """
        lines = self._texts.lines
        return {
            "statuses": STATUSES,
            "templates": [*lines.templates],
            "templateOf": lines.template_of.tolist(),
            "numbers": lines.numbers.tolist(),
            "sources": self.sources,
            "states": self._texts.states(),
            "names": [*self._names],
            "steps": self._steps,
        }

    def _name(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))


def pair_data(comparison: DumpComparison) -> dict[str, object]:
    """Return what an unknown pass did between two dumps, as scripts read the only pass of a page."""
    count = len(comparison.before.ops.ir)
    numbers = (comparison.was.get(op, count + op) for op in range(len(comparison.after.ops.ir)))
    before, old = _side(comparison.before, range(count))
    after, new = _side(comparison.after, array("q", numbers))
    stored = StoredSteps()
    stored.add(0, before, after, [*changed_ops(ScopeStep(before, after, old, new, comparison))])
    counts = [stored.counts[0][status] for status in STATUSES]
    empty = dict.fromkeys(("function", "place", "time", "order", "command"), "")
    shown = {"name": "Before and after", **empty, "changed": True, "counts": counts}
    return {"passes": [shown], **stored.data()}


def _side(side: ComparedDump, numbers: Sequence[int]) -> tuple[ScopeText, ScopeSide]:
    """Return a dump that was read as a whole, and its ops with their numbers."""
    dump = side.dump.dump
    text = ShownText(dump, side.ops.ir.op_table).text
    above = text.lines[0].number - dump.source.line_at(0) if text.lines else 0
    ops = ScopeSide(range(-above, len(text.lines) + 1), side)
    ops.numbers = numbers
    return text.numbered(ops.op_lines, numbers), ops


def packed(data: Mapping[str, object]) -> str:
    """Return data as JSON, deflated, in base64."""
    text = json.dumps(data, separators=(",", ":"))  # in ASCII, so broken encoding comes through
    return base64.b64encode(zlib.compress(text.encode(), LEVEL)).decode()
