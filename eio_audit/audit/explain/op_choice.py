"""Finding the op that a user names.

A name is ``%5``, ``#23`` (an op index), a line of the dump's file (``57``, ``57:3``, ``passes.log:57:3``), a
line of the model's source (``model.py:51``), or a full name (``ttir.add``). ``%5 of @main`` adds a function.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from eio_audit.audit.check.keyed_dump import KeyedDump
from eio_audit.mlir.input.dumps import Dump, each_dump
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import InputError, Source, decoded
from eio_audit.mlir.tokens import VALUE_NAME, symbol_of

NAMED_CANDIDATES = 8  # the most ops that an error names
SEARCHED_NAMES = 20_000  # the most names that are searched for a similar one
_OF_FUNCTION = pattern(r"(?P<op>.*\S)\s+of\s+(?P<function>\S.*)")
_PLACE = pattern(
    r"(?:(?P<file>[^%#]*[^0-9:%#][0-9]*):|:)?(?P<line>[0-9]{1,18})(?::(?P<column>[0-9]{1,18}))?", re.ASCII
)
_INDEX = pattern(r"#([0-9]{1,4000})", re.ASCII)
_RESULT = pattern(r"(?P<name>%[^#:\s]+)(?:#(?P<number>[0-9]{1,18})|:(?P<size>[0-9]{1,18}))?", re.ASCII)


class OpReference(NamedTuple):
    """A user's name for an op, parsed."""

    op: str  # the name without the function
    function: str | None  # the symbol of the op's function (`@main`); None for any function

    @classmethod
    def parse(cls, wanted: str) -> OpReference:
        """Parse ``%5 of @main`` and all other forms."""
        match = _OF_FUNCTION.fullmatch(wanted)
        if match is None:
            return cls(wanted, None)
        return cls(match["op"], symbol_of(match["function"].encode("utf-8", "surrogateescape")))

    def place_in(self, source: Source) -> tuple[int, int] | None:
        """Return the line and column (0 for none) that it names; None if it is no line of this source."""
        match = _PLACE.fullmatch(self.op)
        is_here = match and (not match["file"] or _ends_with(source.name, match["file"]))
        return (int(match["line"]), int(match["column"] or 0)) if match and is_here else None

    @property
    def model_line(self) -> tuple[str, int] | None:
        """The file and line of the model's source, if it names a file; else None."""
        match = _PLACE.fullmatch(self.op)
        return (match["file"], int(match["line"])) if match and match["file"] else None

    def may_be_in(self, dump: Dump) -> bool:
        """Return whether the dump has the line, or the text that any op of this name has."""
        if place := self.place_in(dump.source):
            return is_on_line(dump, place[0])
        text = self.op.lstrip("#")
        if result := _RESULT.fullmatch(self.op):
            text = result["name"]
        elif self.model_line is not None:
            text = self.model_line[0]
        needle = text.encode("utf-8", "surrogateescape")
        return dump.source.data.find(needle, dump.span.start, dump.span.end) >= 0


def _ends_with(path: str, end: str) -> bool:
    return path == end or path.endswith("/" + end)


def is_on_line(dump: Dump, line: int) -> bool:
    """Return whether the dump has text on a line of its file."""
    line_at, span = dump.source.line_at, dump.span
    return line_at(span.start) <= line <= line_at(max(span.start, span.end - 1))


def choose_dump(dumps: Sequence[Dump], wanted: str) -> Dump:
    """Return the only dump, or the one with the wanted line; an InputError if that is none of several."""
    source = next(each_dump(dumps)).source
    place = OpReference.parse(wanted).place_in(source)
    if place is None and len(dumps) > 1:
        message = (
            f"there are {len(dumps)} dumps: choose one with --pass and --dump, or name the op by its line"
        )
        raise InputError(source.name, None, message)
    if place is None:
        return dumps[0]
    for dump in dumps:
        if is_on_line(dump, place[0]):
            return dump
    raise no_dump_on_line(source.name, place[0])


def no_dump_on_line(source: str, line: int) -> InputError:
    """Return the error for a line outside all dumps."""
    return InputError(source, None, f"line {line} is outside all dumps")


def find_ops(dump: KeyedDump, wanted: str) -> list[int]:
    """Return the ops that ``wanted`` names: one, or all with an index or from a line of the model.

    Raises:
        InputError: no op has that name, or several have it. The message lists the nearest ops or candidates.
    """
    return _Finder(dump, OpReference.parse(wanted)).find()


def has_op(dump: KeyedDump, wanted: OpReference) -> bool:
    """Return whether ``wanted`` names one or several ops of a dump."""
    finder = _Finder(dump, wanted)
    functions = {finder.function(op) for op in finder.found().ops}
    return bool(functions) and wanted.function in (None, *functions)


class _Found(NamedTuple):
    """The ops with a name, the words for several of them in a message, and the message if there are none."""

    ops: Sequence[int]
    shared: str
    missing: Callable[[], str]
    may_be_several: bool = False


class SeveralOpsError(InputError):
    """Several ops have a name. ``line`` is that of the first."""

    def __init__(self, source: str, message: str, line: int) -> None:
        super().__init__(source, None, message)
        self.line = line


class _Finder:
    def __init__(self, dump: KeyedDump, wanted: OpReference) -> None:
        self.dump = dump
        self.ir = dump.ir
        self.source = dump.ir.source
        self.wanted = wanted

    def find(self) -> list[int]:
        found, function = self.found(), self.wanted.function
        ops = [op for op in found.ops if function is None or self.function(op) == function]
        if not ops and found.ops:
            others = self._candidates(found.ops)
            raise self._error(f"no op in {function} is called '{self.wanted.op}'; elsewhere: {others}")
        if not ops:
            raise self._error(found.missing())
        if len(ops) > 1 and not found.may_be_several:
            message = f"{len(ops):,} ops {found.shared}: {self._how_to_name(ops)}"
            raise SeveralOpsError(self.source.name, message, self._line_of(ops[0]))
        return ops

    def function(self, op: int) -> str | None:
        return self.dump.functions[self.ir.op_block[op]]

    def found(self) -> _Found:
        wanted = self.wanted.op
        if place := self.wanted.place_in(self.source):
            line, column = place
            ops = self._at(line, column)
            return _Found(ops, f"begin on line {line}", lambda: self._nothing_at(line, column))
        if index := _INDEX.fullmatch(wanted):
            return self._with_index(int(index[1]))
        if result := _RESULT.fullmatch(wanted):
            return self._with_result(result)
        if self.wanted.model_line is not None:
            return self._from_model_line(*self.wanted.model_line)
        ops = [op for op in range(len(self.ir)) if self.ir.name(op) == wanted]
        return _Found(ops, f"are called '{wanted}'", self._no_such_name)

    def _no_such_name(self) -> str:
        close = difflib.get_close_matches(self.wanted.op, self.ir.names, n=1)
        known = f"; did you mean '{close[0]}'?" if close else ""
        return f"no op is called '{self.wanted.op}': name one by its %result, #index or line{known}"

    def _how_to_name(self, ops: Sequence[int]) -> str:
        """Return how to name one of several ops: by its line, or by its function if that is unique."""
        functions = list(map(self.function, ops))
        by_function = f", or its function: '{self.wanted.op} of {functions[0]}'"
        is_enough = None not in functions and len({*functions}) == len(ops)
        return f"name one by its line{by_function if is_enough else ''}: {self._candidates(ops)}"

    def _at(self, line: int, column: int) -> list[int]:
        """Return the ops that begin on a line, or the op around it; with a column, the op there."""
        starting = [op for op in range(len(self.ir)) if self._line_of(op) == line]
        if starting and not column:
            return starting
        start, text = self._line_text(line)
        if column:
            return self._around(start + len(decoded(text)[: column - 1].encode()))
        return self._around(start + len(text) - len(text.lstrip()))

    def _nothing_at(self, line: int, column: int) -> str:
        nearest = sorted(range(len(self.ir)), key=lambda op: (abs(self._line_of(op) - line), op))[:2]
        known = f"; the nearest: {self._candidates(sorted(nearest))}" if nearest else ""
        return f"no op is {f'at line {line}, column {column}' if column else f'on line {line}'}{known}"

    def _line_of(self, op: int) -> int:
        return self.source.line_at(self.ir.op_start[op])

    def _line_text(self, line: int) -> tuple[int, bytes]:
        data, start = self.source.data, 0
        for _ in range(line - self.source.line_at(0)):
            start = data.find(b"\n", start) + 1
            if not start:
                return len(data), b""
        end = data.find(b"\n", start)
        return start, data[start : len(data) if end < 0 else end]

    def _around(self, offset: int) -> list[int]:
        """Return the innermost op at an offset, unless the offset is inside one of its regions."""
        ir = self.ir
        around = [op for op in range(len(ir)) if ir.op_start[op] <= offset < ir.op_end[op]]
        innermost = around[-1:]  # in pre-order, enclosing ops come first
        regions = ir.regions_of.get(innermost[0], []) if innermost else []
        is_inside = any(ir.region_start[r] < offset < ir.region_end[r] for r in regions)
        return [] if is_inside else innermost

    def _with_index(self, index: int) -> _Found:
        indices = self.dump.indices.by_op

        def missing() -> str:
            known = {other for other in indices if other is not None}
            nearest = [max((other for other in known if other < index), default=None)]
            nearest.append(min((other for other in known if other > index), default=None))
            names = [self._named(f"#{other}", indices.index(other)) for other in nearest if other is not None]
            hint = f"; the nearest: {' and '.join(names)}" if names else ""
            return f"no op carries index {index}{hint}"

        ops = [op for op, other in enumerate(indices) if other == index]
        return _Found(ops, "", missing, may_be_several=True)

    def _from_model_line(self, file: str, line: int) -> _Found:
        by_line: dict[int, list[int]] = {}
        for op in range(len(self.ir)):
            place = self.dump.indices.parsed.model_line(op)
            if place is not None and _ends_with(place.file, file):
                by_line.setdefault(place.line, []).append(op)

        def missing() -> str:
            nearest = sorted(sorted(by_line, key=lambda other: abs(other - line))[:2])
            names = [self._named(f"{file}:{other}", by_line[other][0]) for other in nearest]
            hint = f"; the nearest: {' and '.join(names)}" if names else ""
            return f"no op comes from line {line} of a file {file}{hint}"

        return _Found(by_line.get(line, []), "", missing, may_be_several=True)

    def _with_result(self, wanted: re.Match[str]) -> _Found:
        name = wanted["name"]
        defining: dict[str, list[int]] = {}
        for op in range(len(self.ir)):
            for result in self.ir.results(op):
                defining.setdefault(result, []).append(op)

        def size(op: int) -> int:
            return [other.partition("#")[0] for other in self.ir.result_names(op)].count(name)

        def is_meant(op: int) -> bool:
            number, wanted_size = wanted["number"], wanted["size"]
            has_number = number is None or int(number) < size(op)
            return has_number and (wanted_size is None or int(wanted_size) == size(op))

        def missing() -> str:
            if name in defining:
                first = defining[name][0]
                names = f"names {size(first):,} result{'s' if size(first) > 1 else ''}"
                return f"there is no {wanted[0]}: {self._named(name, first)} {names}"
            uses = VALUE_NAME.finditer(self.source.data, self.ir.span.start, self.ir.span.end)
            if any(use[0].decode() == name for use in uses):
                return f"no op defines {name}: it is an argument of a block"
            close = difflib.get_close_matches(name, list(defining)[:SEARCHED_NAMES], n=3)
            nearest = " or ".join(self._named(other, defining[other][0]) for other in close)
            hint = f"did you mean {nearest}?" if close else "printed names differ from those of the source"
            return f"no op defines {name}; {hint}"

        return _Found(list(filter(is_meant, defining.get(name, []))), f"are called {name}", missing)

    def _named(self, name: str, op: int) -> str:
        return f"{name} (line {self._line_of(op)})"

    def _candidates(self, ops: Sequence[int]) -> str:
        """Return ``12 (ttir.add %0 in @f), 40 (...)``, with columns if ops share a line."""
        positions = [self.source.position_at(self.ir.op_start[op]) for op in ops[: NAMED_CANDIDATES + 1]]
        is_unique = len({position.line for position in positions}) == len(positions)
        named = []
        for op, position in zip(ops[:NAMED_CANDIDATES], positions, strict=False):
            place = str(position.line) if is_unique else f"{position.line}:{position.column}"
            function = self.function(op)
            words = [self.ir.name(op), *self.ir.results(op)[:1], *([f"in {function}"] if function else [])]
            named.append(f"{place} ({' '.join(words)})")
        if len(ops) > len(named):
            named.append(f"... and {len(ops) - len(named):,} more")
        return ", ".join(named)

    def _error(self, message: str) -> InputError:
        return InputError(self.source.name, None, message)
