"""Choose dumps of a log: ``--pass``, ``--dump``, ``LOG:N``, and the errors that list what to choose from."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.cli.inputs import LISTED_NAMES, NO_IR, pass_names, read_dumps
from eio_audit.mlir.source import InputError, printable, source_name
from eio_audit.report.wording import count, shortened_list

if TYPE_CHECKING:
    from eio_audit.mlir.input.dumps import Dump

FIRST, LAST = "first", "last"
LISTED_DUMPS = 20  # the most lines of a list of dumps
LAST_DUMPS = 3  # how many of the last dumps a list has if it cannot have all

Numbered = tuple[int, "Dump"]  # a dump, and its number from 1 for `--dump`


class WantedDump(NamedTuple):
    """A value of ``--dump``. One of ``number``, ``symbol`` and ``line`` is set."""

    text: str  # the value
    number: int | None = None  # the 0-based number of a dump, -1 for the last
    symbol: str | None = None  # the symbol of the op that the dump shows: `@main`
    line: int | None = None  # a 1-based line of the file, of the dump's marker or below it

    @classmethod
    def parse(cls, text: str) -> WantedDump:
        """Return the meaning of a value.

        Raises:
            ValueError: it has none.
        """
        if text in (FIRST, LAST):
            return cls("1" if text == FIRST else LAST, number=0 if text == FIRST else -1)
        if len(text) > 1 and text.startswith("@"):
            from eio_audit.mlir.tokens import symbol_of

            return cls(text, symbol=symbol_of(text.encode("utf-8", "surrogateescape")))
        number = text.removeprefix(":")
        if number.isascii() and number.isdigit() and len(number) < 10 and int(number) > 0:
            is_line = number != text
            return cls(text, line=int(number)) if is_line else cls(text, number=int(number) - 1)
        raise ValueError(f"{text!r} is not a number from 1, 'first', 'last', @NAME or :LINE")


_ENDS = re.compile(r":(?=:?[0-9]|@|first\Z|last\Z)")
"""The colon before what chooses a dump at the end of a path."""


class DumpPath(str):
    """The path of a file or a folder; of ``LOG:3``, that of ``LOG``, and the dump that the rest chooses."""

    dump: WantedDump | None = None  # what chooses a dump; None for a plain path
    word: str  # the word as it was typed

    @classmethod
    def parse(cls, word: str) -> DumpPath:
        """Return what a word names: a file or folder of this name if there is one, else a dump of a log."""
        split = None if os.path.exists(word) else next(_splits(word), None)  # noqa: PTH110  (of any text)
        path = cls(word if split is None else split[0])
        path.word, path.dump = word, split and split[1]
        return path


def _splits(word: str) -> Iterator[tuple[str, WantedDump]]:
    """Yield the ways to read a word as an input and a dump of it."""
    for colon in _ENDS.finditer(word):
        path, end = word[: colon.start()], word[colon.end() :]
        if path == "-" or os.path.exists(path):  # noqa: PTH110
            with suppress(ValueError):
                yield path, WantedDump.parse(end)


class DumpChoice(NamedTuple):
    """The dumps that ``--pass`` and ``--dump`` choose, or the end of a path."""

    pass_name: str | None = None  # the pass, or None for any
    dump: WantedDump | None = None  # which of its dumps, or of all dumps; None for all
    word: str = ""  # the word of the command line that chooses the dump: ``LOG:3``; empty without one

    def at(self, path: str) -> DumpChoice:
        """Return the choice for a path, whose end may choose a dump. It counts more than ``--dump``."""
        if not isinstance(path, DumpPath) or path.dump is None:
            return self
        return self._replace(dump=path.dump, word=path.word)

    @property
    def is_made(self) -> bool:
        """Whether either option was given."""
        return self.pass_name is not None or self.dump is not None

    @property
    def how(self) -> str:
        """The options that choose further."""
        return "--pass and --dump" if self.pass_name is None and not self.word else "--dump"

    def of(self, dumps: Sequence[Dump], path: str | None = None, *, is_only: bool = True) -> list[Dump]:
        """Return the chosen dumps of one file, or of the folder ``path``.

        Raises:
            InputError: there is no such dump. For an only file, the error lists its dumps.
        """
        if not dumps:
            return []
        chosen, name = list(dumps), path or dumps[0].source.name
        if self.pass_name is not None:
            chosen = _dumps_of_pass(dumps, self.pass_name)
            if not chosen:
                classes = [dump.marker.class_name for dump in dumps if dump.marker]
                raise InputError(name, None, no_such_pass(pass_names(dumps), self.pass_name, classes))
        if self.dump is not None:
            wanted = self._wanted_of(chosen)
            if not wanted:
                why = self._why_none(dumps)
                if is_only:
                    raise _with_list(name, why, self.numbered(dumps), LAST, self.word)
                raise InputError(name, None, why)
            chosen = wanted
        if self.is_made:
            selected = self.pass_name, self.dump.text if self.dump else ""
            chosen = [replace(dump, selected=selected) for dump in chosen]
        return chosen

    def counted(self, dumps: Sequence[Dump]) -> list[Dump]:
        """Return the dumps that numbers count, in order: of a pass those after it, if there are any."""
        if self.pass_name is None:
            return list(dumps)
        of_pass = _dumps_of_pass(dumps, self.pass_name)
        return [dump for dump in of_pass if dump.place.when != "before"] or of_pass

    def numbered(self, dumps: Sequence[Dump]) -> list[Numbered]:
        """Return the dumps that numbers count, with their numbers from 1, by which each is selected."""
        return [
            (number, replace(dump, selected=(self.pass_name, str(number))))
            for number, dump in enumerate(self.counted(dumps), 1)
        ]

    def candidates(self, dumps: Sequence[Dump], chosen: Collection[Dump]) -> list[Numbered]:
        """Return the dumps among those chosen that a number can choose."""
        known = set(chosen)
        return [(number, dump) for number, dump in self.numbered(dumps) if dump in known]

    def _wanted_of(self, dumps: Sequence[Dump]) -> list[Dump]:
        assert self.dump is not None
        if self.dump.line is not None:
            return [dump for dump in dumps if dump.line <= self.dump.line <= _last_line(dump)]
        counted = self.counted(dumps)
        if self.dump.number is not None:
            return counted[self.dump.number :][:1]
        from eio_audit.mlir.input.function_texts import shown_op

        return [dump for dump in counted if shown_op(dump).symbol == self.dump.symbol]

    def _why_none(self, dumps: Sequence[Dump]) -> str:
        assert self.dump is not None
        counted = self.counted(dumps)
        when = "of" if counted[0].place.when != "after" else "after"
        of_pass = "" if self.pass_name is None else f" {when} pass '{self.pass_name}'"
        if self.dump.number is not None:
            number = f"there is no {'dump' if self.word else '--dump'} {self.dump.text}"
            if self.pass_name is not None and when == "after":
                runs = "once" if len(counted) == 1 else f"{len(counted):,} times"
                return f"{self.pass_name} ran {runs}; {number}"
            are = "is" if len(counted) == 1 else "are"
            return f"{number}: there {are} {count(len(counted), 'dump')}{of_pass}"
        if self.dump.line is not None:
            return f"line {self.dump.line} is in no dump{of_pass}"
        return f"no dump{of_pass} shows only {self.dump.text}"

    def dumps_with(self, path: str, wanted: str) -> list[Dump]:
        """Return the dumps to search for an op or block: all chosen ones for its line, else the only one.

        Raises:
            InputError: there is no dump, or several and ``wanted`` is no line.
        """
        from eio_audit.audit.explain.op_choice import OpReference

        choice, dumps = self.at(path), read_dumps(path)
        if dumps and OpReference.parse(wanted).place_in(dumps[0].source):
            return choice.of(dumps)
        return [choice.only_one(dumps, source_name(path), or_else=", or give a line of the log")]

    def only_one(self, dumps: Sequence[Dump], name: str, or_else: str = "") -> Dump:
        """Return the only dump chosen from those of a file. Of a pass, it is the only dump after it.

        ``or_else`` ends the message of the error with another way to choose.

        Raises:
            InputError: there are several, or none.
        """
        chosen = self.of(dumps)
        if len(chosen) == 1:
            return chosen[0]
        if not chosen:
            raise InputError(name, None, NO_IR)
        candidates = self.candidates(dumps, chosen)
        if len(candidates) > 1:
            raise several_dumps(name, candidates, self.how + or_else, word=self.word)
        return candidates[0][1]


def _dumps_of_pass(dumps: Sequence[Dump], name: str) -> list[Dump]:
    return [dump for dump in dumps if dump.marker and name in (dump.marker.pass_name, dump.marker.class_name)]


def _last_line(dump: Dump) -> int:
    return dump.source.line_at(max(dump.span.start, dump.span.end - 1))


def no_such_pass(passes: Sequence[str], name: str, classes: Sequence[str] = ()) -> str:
    """Return why no dump is of a pass, and which passes there are. ``classes`` are more names of theirs."""
    if not passes:
        return f"no dump of pass '{name}': there is no 'IR Dump' line in this file"
    return f"no dump of pass '{name}'; {meant(name, passes, 'the passes are', classes)}"


def meant(name: str, known: Sequence[str], they_are: str, others: Sequence[str] = ()) -> str:
    """Return the name that was perhaps meant, among known and other ones, or a list of the known ones."""
    import difflib

    parts = [other for other in known if name.casefold() in other.casefold()]
    close = difflib.get_close_matches(name, [*known, *others], n=1) or parts[:1]
    return f"did you mean '{close[0]}'?" if close else f"{they_are} {shortened_list(known, LISTED_NAMES)}"


def rerun(*options: str, words: Sequence[str] | None = None) -> str:
    """Return the command with these options, quoted for a shell: ``eio-audit diff passes.log --dump 3``.

    They replace those of the same name. ``words`` are the words after ``eio-audit``, by default those typed.

    >>> rerun("--dump", "3", words=["explain", "two words.log", "--dump=9", "%5"])
    "eio-audit explain 'two words.log' %5 --dump 3"
    """
    typed = list(sys.argv[1:] if words is None else words)
    end = typed.index("--") if "--" in typed else len(typed)
    kept: list[str] = []
    names = {option for option in options if option.startswith("--")}
    given = iter(typed[:end])
    for word in given:
        name, sign, _ = word.partition("=")
        if name not in names:
            kept.append(word)
        elif not sign:
            next(given, None)
    return shlex.join(["eio-audit", *kept, *options, *typed[end:]])


def retyped(word: str, other: str) -> str:
    """Return the command as it was typed, with another word for one."""
    return shlex.join(["eio-audit", *(other if typed == word else typed for typed in sys.argv[1:])])


def several_dumps(
    name: str,
    dumps: Sequence[Numbered],
    how: str,
    which: str = "",
    *,
    word: str = "",
    shows_passes: bool = False,
) -> InputError:
    """Return the error for a command that takes one dump of an input, and has several to choose from.

    ``how`` names the options to choose with, ``which`` tells what dumps they are: `` after a pass``, ``word``
    is the typed one that chose them, and ``shows_passes`` offers ``trace``, which shows what each pass did.
    """
    message = f"there are {count(len(dumps), 'dump')}{which}: choose one with {how}"
    return _with_list(name, message, dumps, str(dumps[-1][0]), word, shows_passes=shows_passes)


def _with_list(
    name: str,
    message: str,
    dumps: Sequence[Numbered],
    last: str,
    word: str = "",
    *,
    shows_passes: bool = False,
) -> InputError:
    """Return an error with the dumps to choose from, and the command typed with the last of them."""
    from eio_audit.report.wording.conclusion import Step, argument, is_kept, next_lines

    again = retyped(word, f"{DumpPath.parse(word)}:{last}") if word else rerun("--dump", last)
    steps = [Step(again, "takes the last dump")]
    if shows_passes:
        steps.append(Step(f"eio-audit trace {argument(name)}", "shows what each pass did"))
    lines = _dump_table(dumps) if len(dumps) > 1 else []
    return InputError(name, None, message, "\n".join([*lines, *next_lines(steps if is_kept(name) else [])]))


def _dump_table(dumps: Sequence[Numbered]) -> list[str]:
    """Return a table of dumps; of many, the first and the last. Columns without content are left out."""
    from eio_audit.mlir.input.function_texts import shown_op

    left_out = max(len(dumps) - LISTED_DUMPS + 1, 2) if len(dumps) > LISTED_DUMPS else 0
    last = len(dumps) - LAST_DUMPS if left_out else len(dumps)
    shown = [*dumps[: last - left_out], *dumps[last:]]
    has_files = len({dump.source.name for _, dump in dumps}) > 1
    rows = [
        (f"{n}", f"{d.line}", d.place.moment, shown_op(d).label, d.source.name * has_files) for n, d in shown
    ]
    named = zip(("N", "line", "pass", "function", "file"), *rows, strict=True)
    columns = [list(map(printable, column)) for column in named if any(column[1:])]
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for number, line, *names in zip(*columns, strict=True):
        cells = [number.rjust(widths[0]), line.rjust(widths[1]), *map(str.ljust, names, widths[2:])]
        lines.append(("  " + "  ".join(cells)).rstrip())
    if left_out:
        lines.insert(1 + last - left_out, f"  ... {left_out:,} more")
    return lines
