"""Which pass of a log the errors between its dumps came from.

A compiler prints the errors of a pass before the dump of that pass. So they are those of the next dump after
a pass. If several threads compile, or the compiler ends, there is no such dump: they are those of the pass
that failed, or had begun, in the dump above them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from eio_audit.audit.log.program_text import ProgramText
from eio_audit.audit.log.scope_steps import TracedPlace
from eio_audit.audit.log.scope_text import Line
from eio_audit.audit.log.walk import PassRun
from eio_audit.mlir.input.diagnostics import Diagnostic, diagnostics_below, notes_on
from eio_audit.mlir.input.dumps import Dump

MOST_LINES = 3  # how many lines of the op that an error names are kept
_FILE = re.compile(r'"?(?P<file>[^"]+?)"?(?P<place>:\d+:\d+)')


class Suspect(NamedTuple):
    """The pass of a dump, as far as errors below it may be its own."""

    program: str  # its program
    run: PassRun
    place: TracedPlace  # the dump
    is_likely: bool  # whether it failed, or has not ended


class Failures:
    """Takes dump after dump. The errors are given to passes by ``charged``, and ``at_end``."""

    def __init__(self) -> None:
        self.notes: dict[tuple[str, int], str] = {}  # what else is in the log, by its file and 1-based line
        self._seen: set[tuple[str, int]] = set()
        self._pending: list[Diagnostic] = []
        self._last: Suspect | None = None
        self._failed: Suspect | None = None  # the last pass that failed

    def below(self, dump: Dump, known: ProgramText) -> list[Diagnostic]:
        """Return the errors below a dump, each with the lines of its op in the last valid text."""
        self.notes |= {(dump.source.name, line): note for line, note in notes_on(dump)}
        errors = []
        for error in diagnostics_below(dump):
            if (dump.source.name, error.line) not in self._seen:
                self._seen.add((dump.source.name, error.line))
                errors.append(error._replace(op_lines=tuple(_lines_of(error, known))[:MOST_LINES]))
        return errors

    def charged(
        self, pass_: Suspect | None, below: Sequence[Diagnostic]
    ) -> Iterator[tuple[Suspect, list[Diagnostic]]]:
        """Yield the passes that errors are known to be of, after a dump of a pass; None for any other dump.

        ``below`` are the errors below it.
        """
        if pass_ is None:
            self._pending += below
            return
        if self._pending:
            last, is_end = self._last, pass_.place.when != "before"
            may_be_last = last is not None and (last.is_likely or not is_end)
            is_own = is_end and (pass_.run.failed or not may_be_last)
            yield pass_ if is_own or last is None else last, self._pending
        self._pending, self._last = [*below], pass_
        if pass_.run.failed:
            self._failed = pass_
            if below:
                yield pass_, self._pending
            self._pending = []

    def at_end(self) -> tuple[Suspect | None, list[Diagnostic]]:
        """Return the errors at the end of the log, and the pass that they are of, if that is known."""
        last = self._last if self._last is not None and self._last.is_likely else self._failed
        return last, self._pending


def _lines_of(error: Diagnostic, known: ProgramText) -> Iterator[int]:
    """Yield the lines of the op that an error names; if some of them are at its location, only these."""
    if not error.op_name:
        return
    name = re.compile(rb"(?:^|[ \"])" + re.escape(error.op_name.encode()) + rb"(?![\w$.-])")
    lines = [line for line in known.lines() if name.search(line.text)]
    at_place = [line for line in lines if _is_at(line, error.place)]
    yield from sorted(line.number for line in at_place or lines)


def _is_at(line: Line, place: str) -> bool:
    found = _FILE.fullmatch(place)
    if found is None:
        return False
    return f'"{found["file"]}"{found["place"]}'.encode() in line.text + line.aliases.used_in(line.text)
