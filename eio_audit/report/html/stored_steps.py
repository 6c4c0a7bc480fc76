"""What passes did and the texts around them, as the data of a page that shows one pass at a time."""

from __future__ import annotations

import base64
import json
import re
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from typing import Any

from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.audit.diff.dump_comparison import DumpComparison
from eio_audit.audit.log.pass_steps import ChangedOp, PassStep, changed_ops
from eio_audit.audit.log.scope_steps import ScopeSide, ScopeStep
from eio_audit.audit.log.scope_text import ScopeText
from eio_audit.audit.log.trace import Trace
from eio_audit.audit.log.walk import PassRun
from eio_audit.mlir.aliases import without_definitions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import Aliases
from eio_audit.mlir.source import count_lines


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of the function, module or program that a pass ran on, before or after it."""

    source: str  # the file that most of its lines are from
    lines: Sequence[bytes]  # its lines as printed, without line ends
    places: Sequence[int]  # per line, its 1-based line in the file
    # Per line, the number of the op that begins there, -1 for none. An op keeps its number through the
    # whole log, as far as the matching of the ops of each pass follows it. An op that a pass adds gets
    # a new number.
    ops: Sequence[int]
    # The definitions of its aliases, as lines, even if it has no such lines.
    definitions: Sequence[bytes] = ()


def _side(side: ComparedDump) -> tuple[ScopeText, ScopeSide]:
    """Return a dump that was read as a whole, without its lines, and its ops with their lines."""
    dump = side.dump.dump
    above = count_lines(dump.source.data, 0, dump.span.start) + _blank_lines(dump.text)
    lines = dump.text.count(b"\n") + 1
    return ScopeText(dump, [], {}, None), ScopeSide(range(-above, lines), side)


def _whole_text(dump: Dump, side: ScopeSide) -> PageText:
    """Return a dump as a page shows it, without blank lines around it."""
    text, blank = dump.text, _blank_lines(dump.text)
    inside = text.strip()
    lines = text.split(b"\n")[blank:][: inside.count(b"\n") + 1] if inside else []
    first = dump.source.line_at(dump.span.start) + blank
    ops = array("q", [-1]) * len(lines)
    for line, number in zip(reversed(side.op_lines), reversed(side.numbers), strict=True):
        ops[line] = number  # of several ops on a line, the first one stays
    definitions = Aliases(without_definitions(text)[0]).definitions
    places = range(first, first + len(lines))
    return PageText(dump.source.name, lines, places, ops, [b"%b = %b" % one for one in definitions.items()])


def _blank_lines(text: bytes) -> int:
    """Return how many lines are above the first one with text; of a blank text, all line ends."""
    return text[: len(text) - len(text.lstrip())].count(b"\n")


def _page_text(text: ScopeText) -> PageText:
    lines, definitions = text.lines, dict[bytes, bytes]()
    for aliases in {id(line.aliases): line.aliases for line in lines}.values():
        definitions |= aliases.definitions
    return PageText(
        text.dump.source.name,
        [line.text for line in lines],
        [line.number for line in lines],
        [line.ops[0] if line.ops else -1 for line in lines],
        [b"%b = %b" % one for one in definitions.items()],
    )


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

    def add(self, text: PageText) -> int:
        """Return the number of a text."""
        columns = (
            map(self.lines.add, text.lines),
            (op + 1 for op in text.ops),
            text.places,
            map(self.lines.add, text.definitions),
        )
        source = self.sources.setdefault(text.source, len(self.sources))
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
        self.add(key, _page_text(step.before), _page_text(step.after), changes)

    def of(self, trace: Trace) -> StoredSteps:
        """Return the steps that were watched, with the indices of their passes in the trace."""
        index_of = {self._keys.get((one.program, one.run), -1): one.index for one in trace.passes}
        self.counts = {index_of[key]: counts for key, counts in self.counts.items()}
        for step in self._steps:
            step[0] = index_of[step[0]]
        return self

    def add(self, index: int, before: PageText, after: PageText, changes: Sequence[ChangedOp]) -> None:
        """Store what a pass changed. ``index`` is that of its TracedPass in Trace.passes."""
        self.counts.setdefault(index, Counter()).update(change.status for change in changes)
        texts = self._texts.add(before), self._texts.add(after)
        columns = [
            [STATUSES.index(change.status) for change in changes],
            [change.number for change in changes],
            [change.origin for change in changes],
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
        origin, its name and function in ``names``, and its lines before and after. -1 stands for none.
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
    (before, old), (after, new) = _side(comparison.before), _side(comparison.after)
    count = len(old.op_lines)
    old.numbers = range(count)
    new.numbers = array("q", (comparison.was.get(op, count + op) for op in range(len(new.op_lines))))
    changes = [*changed_ops(ScopeStep(before, after, old, new, comparison))]
    stored = StoredSteps()
    stored.add(0, _whole_text(before.dump, old), _whole_text(after.dump, new), changes)
    counts = [stored.counts[0][status] for status in STATUSES]
    shown = {
        "name": "Before and after",
        "function": "",
        "place": "",
        "time": "",
        "order": "",
        "command": "",
        "changed": True,
    }
    return {"passes": [{**shown, "counts": counts}], **stored.data()}


def packed(data: Mapping[str, object]) -> str:
    """Return data as JSON, deflated, in base64."""
    text = json.dumps(data, separators=(",", ":"))  # in ASCII, so broken encoding comes through
    return base64.b64encode(zlib.compress(text.encode(), LEVEL)).decode()
