"""Which op a person means: by ``%name``, ``#index``, line (``57``, ``57:3``) or full name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from eio_audit.audit.check.keyed_dump import KeyedDump
from eio_audit.mlir.input.dumps import Dump, each_dump
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
    """The dump that has the op: the only one, or that with the wanted line.

    Raises:
        InputError: there is more than one, and ``wanted`` does not choose one.
    """
    place = _PLACE.fullmatch(wanted)
    source = next(each_dump(dumps)).source
    if place is None and len(dumps) > 1:
        message = (
            f"{len(dumps)} dumps to choose from: say which with --pass and --dump, or name the op by its line"
        )
        raise InputError(source.name, None, message)
    if place is None:
        return dumps[0]
    line, line_at = int(place[1]), source.line_at
    for dump in dumps:
        if line_at(dump.span.start) <= line <= line_at(max(dump.span.start, dump.span.end - 1)):
            return dump
    raise InputError(source.name, None, f"line {line} stands in no dump")


def find_ops(dump: KeyedDump, wanted: str) -> list[int]:
    """The ops that ``wanted`` names: one, or all that carry an index.

    Raises:
        InputError: no op is named so, or several are; the message names the nearest, or the candidates.
    """
    return _Finder(dump).find(wanted)


class _Finder:
    def __init__(self, dump: KeyedDump) -> None:
        self.dump = dump
        self.ir = dump.ir
        self.source = dump.ir.source

    def find(self, wanted: str) -> list[int]:
        if place := _PLACE.fullmatch(wanted):
            line, column = int(place[1]), int(place[2] or 0)
            found = self._at_position(line, column) if column else self._at_line(line)
            return self._only(found, f"begin on line {line}")
        if index := _INDEX.fullmatch(wanted):
            return self._with_index(int(index[1]))
        if result := _RESULT.fullmatch(wanted):
            return self._only(self._with_result(result[1]), f"are called {result[1]}")
        named = [op for op in range(len(self.ir)) if self.ir.name(op) == wanted]
        if not named:
            close = difflib.get_close_matches(wanted, self.ir.names, n=1)
            known = f"; did you mean '{close[0]}'?" if close else ""
            raise self._error(f"no op is called '{wanted}': name one by its %result, #index or line{known}")
        return self._only(named, f"are called '{wanted}'")

    def _only(self, found: list[int], what_they_share: str) -> list[int]:
        if len(found) == 1:
            return found
        candidates = self._candidates(found)
        raise self._error(f"{len(found):,} ops {what_they_share}: name one by its line: {candidates}")

    def _at_line(self, line: int) -> list[int]:
        """The ops that begin on a line, or the one that continues there."""
        starting = [op for op in range(len(self.ir)) if self._line_of(op) == line]
        if starting:
            return starting
        start, text = self._line_text(line)
        return self._around(start + len(text) - len(text.lstrip()), line, f"on line {line}")

    def _at_position(self, line: int, column: int) -> list[int]:
        start, text = self._line_text(line)
        offset = start + len(text.decode("utf-8", "replace")[: column - 1].encode())
        return self._around(offset, line, f"at line {line}, column {column}")

    def _line_of(self, op: int) -> int:
        return self.source.line_at(self.ir.op_start[op])

    def _line_text(self, line: int) -> tuple[int, bytes]:
        """The offset of a line of the file, and its text; empty after the last."""
        data, start = self.source.data, 0
        for _ in range(line - 1):
            start = data.find(b"\n", start) + 1
            if not start:
                return len(data), b""
        end = data.find(b"\n", start)
        return start, data[start : len(data) if end < 0 else end]

    def _around(self, offset: int, line: int, where: str) -> list[int]:
        """The innermost op whose own text, apart from its regions, has an offset."""
        ir = self.ir
        around = [op for op in range(len(ir)) if ir.op_start[op] <= offset < ir.op_end[op]]
        innermost = around[-1:]  # pre-order: the ops around come before
        regions = ir.regions_of.get(innermost[0], []) if innermost else []
        if innermost and not any(ir.region_start[r] < offset < ir.region_end[r] for r in regions):
            return innermost
        nearest = sorted(range(len(ir)), key=lambda op: (abs(self._line_of(op) - line), op))[:2]
        known = f"; the nearest: {self._candidates(sorted(nearest))}" if nearest else ""
        raise self._error(f"no op stands {where}{known}")

    def _with_index(self, index: int) -> list[int]:
        indices = self.dump.indices.by_op
        found = [op for op, other in enumerate(indices) if other == index]
        if found:
            return found
        known = {other for other in indices if other is not None}
        nearest = [max((other for other in known if other < index), default=None)]
        nearest.append(min((other for other in known if other > index), default=None))
        names = [self._named(f"#{other}", indices.index(other)) for other in nearest if other is not None]
        hint = f"; the nearest: {' and '.join(names)}" if names else ""
        raise self._error(f"no op carries index {index}{hint}")

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
        return f"{name} (line {self._line_of(op)})"

    def _candidates(self, ops: Sequence[int]) -> str:
        """``12 (ttir.add %0 in @f), 40 (...)``; with the column where ops share a line."""
        positions = [self.source.position_at(self.ir.op_start[op]) for op in ops[: NAMED_CANDIDATES + 1]]
        is_unique = len({position.line for position in positions}) == len(positions)
        named = []
        for op, position in zip(ops[:NAMED_CANDIDATES], positions, strict=False):
            place = str(position.line) if is_unique else f"{position.line}:{position.column}"
            function = self.dump.functions[self.ir.op_block[op]]
            words = [self.ir.name(op), *self.ir.results(op)[:1], *([f"in {function}"] if function else [])]
            named.append(f"{place} ({' '.join(words)})")
        if len(ops) > len(named):
            named.append(f"... and {len(ops) - len(named):,} more")
        return ", ".join(named)

    def _error(self, message: str) -> InputError:
        return InputError(self.source.name, None, message)
