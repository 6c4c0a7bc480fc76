"""Which op a person means: by ``%name``, ``#index``, line (``57``, ``57:3``) or full name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from eio_audit.audit.check.check import AuditedDump
from eio_audit.audit.functions import functions_around
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.ir import IR
from eio_audit.mlir.source import InputError

NAMED_CANDIDATES = 8
"""How many ops an error names, at the most."""

SEARCHED_NAMES = 20_000
"""Among how many names a similar one is looked for."""

_PLACE = re.compile(r":?([0-9]{1,18})(?::([0-9]{1,18}))?", re.ASCII)
_INDEX = re.compile(r"#([0-9]{1,4000})", re.ASCII)
_RESULT = re.compile(r"(%[^#:\s]+)(?:[#:][0-9]+)?", re.ASCII)
_VALUE = re.compile(rb"%[\w$.-]+")


def choose_dump(dumps: Sequence[Dump], wanted: str) -> Dump:
    """The dump that holds the op: the only one, or that in which the wanted line stands.

    Raises:
        InputError: there is more than one, and ``wanted`` does not say which.
    """
    assert dumps
    place = _PLACE.fullmatch(wanted)
    source = dumps[0].source
    if place is None and len(dumps) > 1:
        message = (
            f"{len(dumps)} dumps to choose from: say which with --pass and --dump, or name the op by its line"
        )
        raise InputError(source.name, None, message)
    if place is None:
        return dumps[0]
    line = int(place[1])
    for dump in dumps:
        if source.line_at(dump.span.start) <= line <= source.line_at(max(dump.span.start, dump.span.end - 1)):
            return dump
    raise InputError(source.name, None, f"line {line} stands in no dump")


def find_ops(dump: AuditedDump, wanted: str) -> list[int]:
    """The ops that ``wanted`` names: one, or all that carry an index.

    Raises:
        InputError: no op is named so, or several are; the message names the nearest, or the candidates.
    """
    return _Finder(dump).find(wanted)


class _Finder:
    def __init__(self, dump: AuditedDump) -> None:
        self.dump = dump
        self.ir: IR = dump.ir
        self.source = dump.ir.source

    def find(self, wanted: str) -> list[int]:
        if place := _PLACE.fullmatch(wanted):
            line, column = int(place[1]), int(place[2] or 0)
            found = [self._at_position(line, column)] if column else self._at_line(line)
            return self._only(found, f"begin on line {line}")
        if index := _INDEX.fullmatch(wanted):
            return self._with_index(int(index[1]))
        if result := _RESULT.fullmatch(wanted):
            return self._only(self._with_result(result[1]), f"are called {result[1]}")
        named = [op for op in range(len(self.ir)) if self.ir.name(op) == wanted]
        if not named:
            known = self._like(wanted)
            raise self._error(f"no op is called '{wanted}': name one by its %result, #index or line{known}")
        return self._only(named, f"are called '{wanted}'")

    def _only(self, found: list[int], what_they_share: str) -> list[int]:
        if len(found) == 1:
            return found
        candidates = self._candidates(found)
        raise self._error(f"{len(found):,} ops {what_they_share}: name one by its line: {candidates}")

    # ------------------------------------------------------------------ by line

    def _at_line(self, line: int) -> list[int]:
        """The ops that begin on a line, or the one that goes on there."""
        line_at = self.source.line_at
        starting = [op for op in range(len(self.ir)) if line_at(self.ir.op_start[op]) == line]
        if starting:
            return starting
        text = self._line_text(line)
        around = self._around(text[0] + len(text[1]) - len(text[1].lstrip())) if text[1].strip() else None
        if around is None:
            raise self._error(f"no op stands on line {line}{self._nearest_lines(line)}")
        return [around]

    def _at_position(self, line: int, column: int) -> int:
        start, text = self._line_text(line)
        offset = start + len(text.decode("utf-8", "replace")[: column - 1].encode())
        around = self._around(offset)
        if around is None:
            raise self._error(f"no op stands at line {line}, column {column}{self._nearest_lines(line)}")
        return around

    def _line_text(self, line: int) -> tuple[int, bytes]:
        """The offset of a line of the file, and its text; empty behind the last."""
        data, start = self.source.data, 0
        for _ in range(line - 1):
            start = data.find(b"\n", start) + 1
            if not start:
                return len(data), b""
        end = data.find(b"\n", start)
        return start, data[start : len(data) if end < 0 else end]

    def _around(self, offset: int) -> int | None:
        """The innermost op whose own text, apart from its regions, holds an offset."""
        ir = self.ir
        holding = [op for op in range(len(ir)) if ir.op_start[op] <= offset < ir.op_end[op]]
        if not holding:
            return None
        innermost = holding[-1]  # pre-order: the ops around come before
        for region in range(len(ir.region_op)):
            if ir.region_op[region] == innermost and ir.region_start[region] < offset < ir.region_end[region]:
                return None
        return innermost

    def _nearest_lines(self, line: int) -> str:
        starts = [(abs(self.source.line_at(self.ir.op_start[op]) - line), op) for op in range(len(self.ir))]
        nearest = sorted(op for _, op in sorted(starts)[:2])
        return f"; the nearest: {self._candidates(nearest)}" if nearest else ""

    # ------------------------------------------------------------------ by index and by name

    def _with_index(self, index: int) -> list[int]:
        indices = self.dump.indices.by_op
        found = [op for op, other in enumerate(indices) if other == index]
        if found:
            return found
        known = sorted({other for other in indices if other is not None})
        below = [other for other in known if other < index][-1:]
        above = [other for other in known if other > index][:1]
        nearest = " and ".join(self._named(f"#{other}", indices.index(other)) for other in below + above)
        raise self._error(f"no op carries index {index}" + (f"; the nearest: {nearest}" if nearest else ""))

    def _with_result(self, name: str) -> list[int]:
        defining: dict[str, list[int]] = {}
        for op in range(len(self.ir)):
            for result in self.ir.results(op):
                defining.setdefault(result, []).append(op)
        if name in defining:
            return defining[name]
        span = self.ir.span
        if any(use[0].decode() == name for use in _VALUE.finditer(self.source.data, span.start, span.end)):
            raise self._error(f"no op defines {name}: it is an argument of a block")
        close = difflib.get_close_matches(name, list(defining)[:SEARCHED_NAMES], n=3)
        nearest = " or ".join(self._named(other, defining[other][0]) for other in close)
        raise self._error(f"no op defines {name}" + (f"; did you mean {nearest}?" if close else ""))

    def _named(self, name: str, op: int) -> str:
        return f"{name} (line {self.source.line_at(self.ir.op_start[op])})"

    def _like(self, name: str) -> str:
        close = difflib.get_close_matches(name, self.ir.names, n=1)
        return f"; did you mean '{close[0]}'?" if close else ""

    # ------------------------------------------------------------------ messages

    def _candidates(self, ops: Iterable[int]) -> str:
        """``12 (ttir.add %0 in @f), 40 (...)``; with the column where ops share a line."""
        ops = list(ops)
        functions = functions_around(self.ir)
        positions = [self.source.position_at(self.ir.op_start[op]) for op in ops[: NAMED_CANDIDATES + 1]]
        is_unique = len({position.line for position in positions}) == len(positions)
        shown = []
        for op, position in zip(ops[:NAMED_CANDIDATES], positions, strict=False):
            place = str(position.line) if is_unique else f"{position.line}:{position.column}"
            function = functions[self.ir.op_block[op]]
            words = [self.ir.name(op), *self.ir.results(op)[:1], *([f"in {function}"] if function else [])]
            shown.append(f"{place} ({' '.join(words)})")
        if len(ops) > len(shown):
            shown.append(f"... and {len(ops) - len(shown):,} more")
        return ", ".join(shown)

    def _error(self, message: str) -> InputError:
        return InputError(self.source.name, None, message)
