"""The errors and the crash that a compiler prints beside dumps, and the passes that they are of.

A compiler prints the errors of a pass before the dump of that pass. So they are those of the next dump after
a pass. If several threads compile, or the compiler ends, there is no such dump: they are those of the pass
that failed, or had begun, in the dump above them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from eio_audit.audit.log.program_log import PassRun
from eio_audit.audit.log.scope_steps import TracedPlace
from eio_audit.audit.programs.program_text import ProgramText
from eio_audit.mlir.input.dumps import Dump, closed_end, text_below
from eio_audit.mlir.input.function_texts import outermost_op
from eio_audit.mlir.input.messages import Diagnostic, PipelinePass, compiler_in, diagnostics_in, notes_on
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import Span

_OP_NAME = pattern(rb"(?:^|[ \"])([\w$.-]++)")  # a word that may be the name of an op
MOST_LINES = 3  # how many lines of the op that an error names are kept
_FILE = pattern(r'"?(?P<file>[^"]+?)"?(?P<place>:\d+:\d+)')


class Crash(NamedTuple):
    """A crash at the end of a log."""

    line: int  # the 1-based line of the last dump above it
    command: tuple[str, ...]  # the compiler with its arguments, as it printed them; empty if it did not
    pass_: PipelinePass | None  # the pass that comes next in the pipeline; None if that is not known


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
        self.compiler = ""  # the compiler with its arguments, as far as the log tells them
        self._seen: set[tuple[str, int]] = set()
        self.pending: list[Diagnostic] = []  # those above the next dump
        self._last: Suspect | None = None
        self._failed: Suspect | None = None  # the last pass that failed
        self._last_dump: tuple[Dump, int | None] | None = None  # and the end of its op

    def below(self, dump: Dump, known: ProgramText) -> list[Diagnostic]:
        """Return the errors below a dump, and find the ops of those above it. Its text is not known yet."""
        symbol = outermost_op(dump).symbol if dump.has_failed else None
        if dump.has_failed:  # they are its own
            self.pending += diagnostics_in(*dump.above) if dump.above else ()
            self.pending = [located(one._replace(op_lines=()), known, symbol) for one in self.pending]
        last, end = self._last_dump or (None, None)
        is_known = last is not None and dump.has_text_of(last)
        if last is None or not is_known:
            end = closed_end(dump)
        elif end is not None:
            end += dump.span.start - last.span.start
        self._last_dump = dump, end
        name, span = dump.source.name, text_below(dump, end)
        notes = notes_on(dump, span, is_ir_known=is_known and not self.notes)
        self.notes |= {(name, line): note for line, note in notes}
        above = [] if dump.above is None else [(dump.above[0].data, dump.above[1])]
        is_closed = end is not None  # what tells the compiler is behind the op
        start = span.start if is_known or is_closed else dump.span.start
        for data, part in (*above, (dump.source.data, Span(start, span.end))):
            self.compiler = self.compiler or compiler_in(data, part)
        found = {(name, error.line): error for error in diagnostics_in(dump.source, span)}
        new = [error for place, error in found.items() if place not in self._seen]
        self._seen |= found.keys()
        return [located(one, known, symbol) for one in new] if dump.has_failed else new

    def charged(
        self, pass_: Suspect | None, below: Sequence[Diagnostic]
    ) -> Iterator[tuple[Suspect, list[Diagnostic]]]:
        """Yield the passes that errors are known to be of, after a dump of a pass; None for any other dump.

        ``below`` are the errors below it.
        """
        if pass_ is None:
            self.pending += below
            return
        if self.pending:
            last, is_end = self._last, pass_.place.when != "before"
            may_be_last = last is not None and (last.is_likely or not is_end)
            is_own = is_end and (pass_.run.failed or not may_be_last)
            yield pass_ if is_own or last is None else last, self.pending
        self.pending, self._last = [*below], pass_
        self._failed = pass_ if pass_.run.failed else self._failed

    def text_at_end(self) -> bytes:
        """Return the text below the last dump."""
        if self._last_dump is None:
            return b""
        dump, end = self._last_dump
        return dump.source.data[slice(*text_below(dump, end))]

    def at_end(self) -> tuple[Suspect | None, list[Diagnostic]]:
        """Return the errors at the end of the log, and the pass that they are of, if that is known."""
        last = self._last if self._last is not None and self._last.is_likely else self._failed
        return last, self.pending


def located(error: Diagnostic, known: ProgramText, symbol: str | None) -> Diagnostic:
    """Return an error with the lines of the op that it names, those at its location if there are any.

    ``symbol`` is that of the function or module that it is about, if it is known.
    """
    if not error.op_name or error.op_lines:
        return error
    name = error.op_name.encode()
    place = _FILE.fullmatch(error.place)
    at = b'"%b"%b' % (place["file"].encode(), place["place"].encode()) if place else b""
    found, found_there = list[int](), list[int]()
    for lines in known.lines(symbol):
        for text, number, aliases in zip(lines.texts, lines.numbers, lines.aliases, strict=True):
            if name in _OP_NAME.findall(text):
                found.append(number)
                if at and at in text + aliases.used_in(text):
                    found_there.append(number)
    return error._replace(op_lines=tuple(sorted(found_there or found)[:MOST_LINES]))
