"""The last known text of a program: what a pass found when it began.

Every dump shows the program or one op of it: a module, a function, an executable, an initializer. The text
before a dump is the last one that shows the same op, with what later dumps show of the ops inside it.

An op is the same in two dumps if it has the same name and symbol. If several have, or if it has no symbol, it
is the one that shares most symbols inside it, or else most lines.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import reduce

from eio_audit.audit.functions import find_scopes, only_function
from eio_audit.audit.log.scope_text import Line, Lines, Scope, ScopeStep, ScopeText
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import Aliases, DumpText
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.source import InputError
from eio_audit.mlir.traits import OpTable

_MODULE = "builtin.module"
_LINE_END = re.compile(rb"\n")
_LINE_REST = re.compile(rb"[ \t\r]*+(?://|\n|\Z)")


@dataclass(frozen=True, slots=True)
class _Showing:
    """The last text that shows a scope; ``number`` counts the dumps of the program."""

    number: int
    text: ScopeText


class ProgramText:
    """The last known text of one program: ``before`` a dump, then ``take`` what it shows.

    Attributes:
        namesakes: the symbols that several of its functions or modules have, one not around the other.
    """

    def __init__(self) -> None:
        self.namesakes: frozenset[str] = frozenset()
        self._last: dict[Scope, _Showing] = {}
        self._names: dict[Scope, str] = {}
        self._number = 0

    def before(self, shown: ShownText) -> tuple[Scope | None, ScopeText | None]:
        """Return which known scope a dump shows, and its known text; None for what is not known.

        Of a dump that shows no known scope, the text is that of all known scopes in it.
        """
        root = self._find(shown)
        if root is not None:
            return root, self._known(root)
        known = [scope for scope in shown.scopes if scope in self._last]
        known += [scope[1:] for scope in shown.scopes if len(scope) > 1 and scope[1:] in self._last]
        texts = [self._known(scope) for scope in known if not any(_is_in(scope, other) for other in known)]
        return None, reduce(ScopeText.joined_with, texts) if texts else None

    def _find(self, shown: ShownText) -> Scope | None:
        root = shown.scopes[0]
        if not root:
            return root if root in self._last else None
        name, symbol, _ = root[-1]
        namesakes = [scope for scope in self._last if scope and scope[-1].symbol == symbol]
        named = [scope for scope in namesakes if self._names.get(scope, scope[-1].name) == name]
        if not named and symbol is not None:  # a conversion may change the name of a function
            named = namesakes
        if len(named) == 1 and (symbol is not None or name == _MODULE):
            return named[0]
        # of equals, the oldest is it
        named.sort(key=lambda scope: (self._last[scope].number, [step.place for step in scope]))
        likest = _likest(named, _symbols(shown.scopes), self._symbols_in)
        if len(likest) != 1:
            likest = _likest(likest or named, _texts(shown.text.lines), self._texts_in) or likest
        return likest[0] if likest else None

    def _symbols_in(self, scope: Scope) -> Counter[object]:
        return _symbols([inner for inner in self._last[scope].text.extents if inner[: len(scope)] == scope])

    def _texts_in(self, scope: Scope) -> Counter[object]:
        text = self._last[scope].text
        extent = text.extents[scope]
        return _texts(text.lines[extent.start : extent.end])

    def take(self, text: ScopeText, name: str) -> None:
        """Take the text of a dump as known; ``name`` is that of its outermost op."""
        self._number += 1
        root = next(iter(text.extents))
        self._names[root] = name
        gone = [scope for scope in self._last if scope[: len(root)] == root]
        if len(root) == 1:  # scopes that were outermost so far may be in it
            gone += [scope for scope in self._last if (*root, *scope) in text.extents and scope not in gone]
        for scope in gone:
            del self._last[scope]
        self._last |= dict.fromkeys(text.extents, _Showing(self._number, text))
        if {*gone} != text.extents.keys():
            self.namesakes = _namesakes(self._last)

    def _known(self, scope: Scope, *, with_aliases: bool = True) -> ScopeText:
        """Return the last known text of a scope; if it is all of a dump, with the definitions around it."""
        showing = self._last[scope]
        is_all = with_aliases and next(iter(showing.text.extents)) == scope
        text = showing.text if is_all else showing.text.part(scope)
        newer = {
            inner
            for inner in text.extents
            if inner != scope and self._last.get(inner, showing).number > showing.number
        }
        for other in newer:
            if not any(_is_in(other, more) for more in newer):
                text = text.with_part(other, self._known(other, with_aliases=False))
        return text


def _likest(
    scopes: Sequence[Scope], wanted: Counter[object], contents: Callable[[Scope], Counter[object]]
) -> list[Scope]:
    """Return the scopes that share most with what is wanted; none if no scope shares anything."""
    shares = [_share(contents(scope), wanted) for scope in scopes]
    most = max(shares, default=0)
    return [scope for scope, share in zip(scopes, shares, strict=True) if share == most and share]


def _is_in(scope: Scope, other: Scope) -> bool:
    return scope != other and scope[: len(other)] == other


def _namesakes(scopes: Collection[Scope]) -> frozenset[str]:
    around = {scope[:-1] for scope in scopes if scope}
    symbols = Counter(scope[-1].symbol for scope in scopes if scope and scope not in around)
    return frozenset(symbol for symbol, number in symbols.items() if symbol is not None and number > 1)


def _symbols(scopes: Iterable[Scope]) -> Counter[object]:
    return Counter(scope[-1].symbol for scope in scopes if scope and scope[-1].symbol is not None)


def _texts(lines: Iterable[Line]) -> Counter[object]:
    return Counter(line.text.strip() for line in lines)


def _share(one: Counter[object], other: Counter[object]) -> float:
    return 2 * (one & other).total() / (one.total() + other.total() or 1)


class ShownText:
    """What a dump shows.

    Attributes:
        text: its lines, without blank ones around them, and without extents.
        scopes: its scopes, the outermost first; an empty one first if it has several outermost ops.
        name: the name of the outermost op; empty if there are several.
        only_function: the symbol of the function if the dump shows only that; None for a program.
        function_texts: by symbol, the functions that were found by their text.

    Raises:
        InputError: the dump cannot be read.
    """

    def __init__(self, dump: Dump, op_table: OpTable) -> None:
        divided = DumpText(dump, op_table)
        self.text = ScopeText(dump, lines_of(dump, divided.aliases), {}, divided.aliases)
        self._first_line = self.text.lines[0].number if self.text.lines else 0
        self.function_texts = divided.functions if divided.aliases.are_unique else {}
        try:
            around = divided.around
            ir = read_ir(around.source, around.span, op_table)
        except InputError:  # the dump as a whole may be valid
            self.function_texts = {}
            ir = read_ir(dump.source, dump.span, op_table)
        self.scopes = [*scopes_of(ir)]
        self.name = self.scopes[0][-1].name if self.scopes[0] else ""
        self.only_function = only_function(ir)

    def again(self, dump: Dump) -> ShownText:
        """Return what another dump with the same text shows."""
        shown = copy(self)
        shown.text = replace(self.text, dump=dump, lines=lines_of(dump, self.text.lines[0].aliases))
        return shown

    @property
    def functions(self) -> dict[str, Lines]:
        """By symbol, the lines of the functions that were found by their text."""
        found: dict[str, Lines] = {}
        for symbol, function in self.function_texts.items():
            start = function.line - self._first_line
            length = function.raw.removesuffix(b"\n").count(b"\n") + 1
            found[symbol] = Lines(start, start + length)
        return found


def text_before(dumps: Iterable[Dump], dump: Dump, op_table: OpTable) -> Dump | None:
    """Return what a dump shows as the dumps before it left it; None if none of them shows it.

    It is the last dump that shows the same, if that is one dump. Else it is put together from several.

    Args:
        dumps: the dumps of its program before it. Those that cannot be read do not count.
        dump: the dump.
        op_table: tells which ops are functions.

    Raises:
        InputError: the dump cannot be read.
    """
    texts = ProgramText()
    for earlier in dumps:
        with suppress(InputError):
            _take(texts, earlier, op_table)
    _, before = texts.before(ShownText(dump, op_table))
    if before is None:
        return None
    return before.dump if before.is_whole_dump else before.readable(range(len(before.lines)))


def next_of_same(dumps: Iterable[Dump], op_table: OpTable) -> dict[Dump, Dump]:
    """Return, by dump, the next dump that shows the same op. Dumps that no later dump follows have none.

    Args:
        dumps: the dumps of a log. Those that cannot be read do not count.
        op_table: tells which ops are functions.
    """
    texts: dict[str, ProgramText] = defaultdict(ProgramText)
    last: dict[tuple[str, Scope], Dump] = {}
    following: dict[Dump, Dump] = {}
    for dump in dumps:
        with suppress(InputError):
            scope = dump.program, _take(texts[dump.program], dump, op_table)
            if scope in last:
                following[last[scope]] = dump
            last[scope] = dump
    return following


def _take(texts: ProgramText, dump: Dump, op_table: OpTable) -> Scope:
    """Take what a dump shows as known, and return which scope it is."""
    shown = ShownText(dump, op_table)
    root, before = texts.before(shown)
    if before is not None and before.is_same_as(shown.text):
        text = shown.text.with_all_of(before)
    else:
        text = _with_extents(shown.text, root, op_table)
    texts.take(text, shown.name)
    return next(iter(text.extents))


def _with_extents(text: ScopeText, root: Scope | None, op_table: OpTable) -> ScopeText:
    dump = text.readable(range(len(text.lines)))
    ir = read_ir(dump.source, dump.span, op_table)
    return replace(text, extents=extents_of(ir, line_ends(ir), range(len(text.lines)), root))


def extents_of(ir: IR, ends: Sequence[int], kept: Sequence[int], root: Scope | None) -> dict[Scope, Lines]:
    """Return the lines of the scopes of a text, as scopes of its program.

    A scope that shares its first or last line with other ops has no lines of its own, and is left out.

    Args:
        ir: what was read from some of its lines.
        ends: the offset after each of their line ends (``line_ends``).
        kept: per line that was read, its number in the text.
        root: the scope that the text is of; None if it is not known.
    """
    extents: dict[Scope, Lines] = {}
    scopes = scopes_of(ir)
    outermost = next(iter(scopes))
    for scope, op in scopes.items():
        lines = Lines(0, kept[-1] + 1 if kept else 0)
        if op >= 0:
            if scope != outermost and not _has_own_lines(ir, op):
                continue
            first, last = (bisect_right(ends, place) for place in (ir.op_start[op], ir.op_end[op] - 1))
            lines = Lines(kept[first], kept[last] + 1)
        extents[scope if root is None else (*root, *scope[1:])] = lines
    return extents


def _has_own_lines(ir: IR, op: int) -> bool:
    """Return whether no other op is on the first and the last line of an op."""
    data, start, end = ir.source.data, ir.op_start[op], ir.op_end[op]
    before = data[data.rfind(b"\n", 0, start) + 1 : start]
    return not before.strip() and _LINE_REST.match(data, end) is not None


def line_ends(ir: IR) -> list[int]:
    """Return the offset after each line end of a text that was read."""
    return [match.end() for match in _LINE_END.finditer(ir.source.data)]


def lines_of(dump: Dump, aliases: Aliases) -> list[Line]:
    """Return the lines of a dump, without blank ones around it."""
    first = dump.source.line_at(dump.span.start)
    lines = [Line(text, first + k, 0, aliases) for k, text in enumerate(dump.text.split(b"\n"))]
    full = [k for k, line in enumerate(lines) if line.text.strip()]
    return lines[full[0] : full[-1] + 1] if full else []


def scopes_of(ir: IR) -> dict[Scope, int]:
    """Return the scopes of a dump and the op of each; -1 for all of a dump with several outermost ops.

    They are its functions, its modules and the ops around them, and ops with regions directly in those.
    """
    holding = find_scopes(ir)
    around = {ir.parent_op(ir.op_block[op]) for op in holding}
    scopes: dict[Scope, int] = {}
    of_op: dict[int, Scope] = {-1: ()}
    seen = Counter[tuple[Scope, str, str | None]]()
    outermost = ir.block_ops[0] if ir.block_count else []
    if len(outermost) != 1:
        scopes[()] = -1
    for op in sorted({*ir.regions_of, *outermost}):
        parent = ir.parent_op(ir.op_block[op])
        if parent not in of_op or (parent not in around and parent >= 0):
            continue
        symbol = ir.symbol(op) if op in holding else None
        kind = of_op[parent], ir.name(op), symbol
        of_op[op] = (*of_op[parent], ScopeStep(ir.name(op), symbol, seen[kind]))
        seen[kind] += 1
        scopes[of_op[op]] = op
    return scopes
