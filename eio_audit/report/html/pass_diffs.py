"""What each pass of a log did to the ops, compared while the log is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from eio_audit.audit.diff.diff import op_changes
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import DumpText, FunctionText
from eio_audit.mlir.source import InputError
from eio_audit.report.document import changes_by_function
from eio_audit.report.template import render
from eio_audit.report.wording.trace import diff_command

SHOWN_GROUPS = 20
"""The most changes of one kind in one function that a pass shows. Repeated changes count once."""

LONGEST = 1_000_000
"""The most characters that all passes may show together. Later passes show only their command."""


@dataclass(frozen=True, slots=True)
class PassDiff:
    """What is new in a dump: a part of a page, and the command that shows all of it."""

    page: str
    command: str


class PassDiffs:
    """Compares each dump with the last known state of its functions.

    It keeps the last dump of each function. This is a single dump if each dump shows the whole program.

    Attributes:
        by_place: by file and line of a dump, what is new in it.
    """

    def __init__(self, options: AuditOptions) -> None:
        self.by_place: dict[tuple[str, int], PassDiff] = {}
        self._options = options
        self._known: dict[tuple[str, str], tuple[DumpText, FunctionText]] = {}
        self._occurrences: dict[tuple[object, ...], int] = {}
        self._room = LONGEST

    def watch(self, dumps: Iterable[Dump]) -> Iterator[Dump]:
        """Yield the same dumps. Each is compared after its use."""
        for dump in dumps:
            yield dump
            try:
                self._take(dump)
            except InputError:
                continue  # the trace reports the error

    def _take(self, dump: Dump) -> None:
        kind = dump.source.name, dump.marker and dump.marker.pass_name, dump.marker and dump.marker.when
        self._occurrences[kind] = occurrence = self._occurrences.get(kind, 0) + 1
        text = DumpText(dump, self._options.op_table)
        changed = []
        for symbol, function in text.functions.items():
            old = self._known.get((dump.program, symbol))
            self._known[dump.program, symbol] = text, function
            if old is not None and old[1].key != function.key:
                changed.append((old[0].function_dump(old[1]), text.function_dump(function), old[0].dump))
        if changed:
            page = self._page([(before, after) for before, after, _ in changed])
            command = diff_command(changed[0][2], dump, occurrence)
            self.by_place[dump.source.name, dump.line] = PassDiff(page, command)

    def _page(self, changed: Iterable[tuple[Dump, Dump]]) -> str:
        functions = []
        for before, after in changed:
            if self._room > 0:
                functions += changes_by_function(op_changes(before, after, self._options))
        page = render("pass_diff.html", functions=functions, most=SHOWN_GROUPS)
        is_shown = bool(functions) and len(page) <= self._room
        self._room -= len(page) if is_shown else 0
        return page if is_shown else ""
