"""Choose dumps of a log: ``--pass`` and ``--dump``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.cli.dump_list import Numbered, missing_dump, several_dumps
from eio_audit.cli.inputs import LISTED_NAMES, NO_IR, pass_names, read_dumps
from eio_audit.mlir.source import InputError, source_name
from eio_audit.report.wording.numbers import count, shortened_list

if TYPE_CHECKING:
    from eio_audit.mlir.input.dumps import Dump

FIRST, LAST = "first", "last"


class WantedDump(NamedTuple):
    """A value of ``--dump``. One of ``number``, ``symbol`` and ``line`` is set.

    Attributes:
        text: the value.
        number: the 0-based number of a dump, -1 for the last.
        symbol: the symbol of the op that the dump shows: ``@main``.
        line: a 1-based line of the file, of the dump's marker or below it.
    """

    text: str
    number: int | None = None
    symbol: str | None = None
    line: int | None = None

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


class DumpChoice(NamedTuple):
    """The dumps that ``--pass`` and ``--dump`` choose.

    Attributes:
        pass_name: the pass, or None for any.
        dump: which of its dumps, or of all dumps; None for all.
    """

    pass_name: str | None = None
    dump: WantedDump | None = None

    @property
    def is_made(self) -> bool:
        """Whether either option was given."""
        return self.pass_name is not None or self.dump is not None

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
                raise InputError(name, None, _no_such_pass(dumps, self.pass_name))
        if self.dump is not None:
            wanted = self._wanted_of(chosen)
            if not wanted:
                why = self._why_none(dumps)
                if is_only:
                    raise missing_dump(name, why, self.numbered(dumps))
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
            return [dump for dump in dumps if _holds(dump, self.dump.line)]
        counted = self.counted(dumps)
        if self.dump.number is not None:
            return counted[self.dump.number :][:1]
        from eio_audit.mlir.input.shown_op import shown_op

        return [dump for dump in counted if shown_op(dump).symbol == self.dump.symbol]

    def _why_none(self, dumps: Sequence[Dump]) -> str:
        assert self.dump is not None
        counted = self.counted(dumps)
        when = "of" if counted[0].place.when != "after" else "after"
        of_pass = "" if self.pass_name is None else f" {when} pass '{self.pass_name}'"
        if self.dump.number is not None:
            number = f"there is no --dump {self.dump.text}"
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

        dumps = read_dumps(path)
        if dumps and OpReference.parse(wanted).place_in(dumps[0].source):
            return self.of(dumps)
        return [self.only_one(dumps, source_name(path), or_else=", or give a line of the log")]

    def only_dump(self, path: str) -> Dump:
        """Return the only dump of a file, or the only one chosen from it."""
        return self.only_one(read_dumps(path), source_name(path))

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
            how = "--pass and --dump" if self.pass_name is None else "--dump"
            raise several_dumps(name, candidates, how + or_else)
        return candidates[0][1]


def _dumps_of_pass(dumps: Sequence[Dump], name: str) -> list[Dump]:
    return [dump for dump in dumps if dump.marker and name in (dump.marker.pass_name, dump.marker.class_name)]


def _holds(dump: Dump, line: int) -> bool:
    last_line = dump.source.line_at(max(dump.span.start, dump.span.end - 1))
    return dump.line <= line <= last_line


def _no_such_pass(dumps: Sequence[Dump], name: str) -> str:
    passes = pass_names(dumps)
    if not passes:
        return f"no dump of pass '{name}': there is no 'IR Dump' line in this file"
    import difflib

    classes = [dump.marker.class_name for dump in dumps if dump.marker]
    parts = [other for other in passes if name.casefold() in other.casefold()]
    close = difflib.get_close_matches(name, [*passes, *classes], n=1) or parts[:1]
    known = f"the passes are {shortened_list(passes, LISTED_NAMES)}"
    hint = f"did you mean '{close[0]}'?" if close else known
    return f"no dump of pass '{name}'; {hint}"
