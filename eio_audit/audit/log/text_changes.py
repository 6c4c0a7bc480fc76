"""How many lines each dump of a log changes, by comparison with earlier dumps.

No dump is read as IR, so this is fast, but coarse: ``diff`` of one pass tells what happened to its ops.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from eio_audit.audit.diff.matching_lines import matching_lines
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import DumpText, FunctionText
from eio_audit.mlir.input.shown_op import outermost_op
from eio_audit.mlir.tokens import SYMBOL, symbol_of
from eio_audit.mlir.traits import OpTable

_SYMBOL = re.compile(SYMBOL)

_LOCATION = re.compile(rb" loc\([^\n]*")
_NAME = re.compile(rb"[%#^][\w$.-]++")
"""A name of a value, block or alias. A printer numbers them anew in each dump."""


def changed_lines(dumps: Iterable[Dump], op_table: OpTable | None = None) -> Iterator[int]:
    """Yield, for each dump of a log, how many lines it changes.

    A function is compared with the last dump that shows it: lines removed, added and moved count, a moved
    line twice. Elsewhere only the lines count that no earlier dump has, since dumps of different scope show
    different text around functions. None counts in the first dump of an op, such as a function that the log
    did not show before. Locations, and names of values, blocks and aliases, do not count.

    Complexity: linear in the text, and O(n log n) in the lines of functions that changed.
    """
    programs: dict[str, _Known] = {}
    for dump in dumps:
        known = programs.setdefault(dump.program, _Known())
        text = dump.text
        is_same = text == known.text
        known.text = text
        yield 0 if is_same else known.update(dump, DumpText(dump, op_table))


@dataclass(slots=True)
class _Known:
    """What the dumps of one program have shown.

    Attributes:
        functions: by symbol, the last text of each function.
        op_names: the names of outermost ops.
        symbols: all symbols of functions, and all in the text around functions.
        arounds: by key, the symbols in each text around functions.
        lines: the digests of all lines.
        text: the last dump.
    """

    functions: dict[str, FunctionText] = field(default_factory=dict)
    op_names: set[str] = field(default_factory=set)
    symbols: set[str] = field(default_factory=set)
    arounds: dict[bytes, set[str]] = field(default_factory=dict)
    lines: set[int] = field(default_factory=set)
    text: bytes = b""

    def update(self, dump: Dump, text: DumpText) -> int:
        """Take what a dump shows as known. Return the number of lines that differ from what was known."""
        op, changed = outermost_op(dump), 0
        new: list[bytes] = []
        if text.around_key not in self.arounds:
            around = text.around.text
            self.arounds[text.around_key] = set(map(symbol_of, {*_SYMBOL.findall(around)}))
            new += _lines(around)
        for symbol in self.arounds[text.around_key] - text.functions.keys():  # maybe a newer text of it
            self.functions.pop(symbol, None)
        for symbol, function in text.functions.items():
            known = self.functions.get(symbol)
            if known is None:
                new += _lines(function.text)
            elif not known.is_same_as(function):
                lines = _lines(function.text)
                changed += _difference(_lines(known.text), lines)
                self.lines.update(map(hash, lines))
        if op.name in self.op_names and (op.symbol is None or op.symbol in self.symbols):
            changed += self._unseen(new)
        self.functions |= text.functions
        self.op_names.add(op.name)
        self.symbols.update(text.functions, self.arounds[text.around_key])
        self.lines.update(map(hash, new))
        return changed

    def _unseen(self, lines: Iterable[bytes]) -> int:
        return len({*map(hash, lines)} - self.lines)


def _lines(text: bytes) -> list[bytes]:
    return [line for line in map(bytes.strip, _NAME.sub(b"%", _LOCATION.sub(b"", text)).split(b"\n")) if line]


def _difference(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    return len(old) + len(new) - 2 * len(matching_lines(old, new))
