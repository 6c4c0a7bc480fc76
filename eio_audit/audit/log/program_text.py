"""The last known text of a program: what a pass found when it began.

Every dump shows the program or one op of it: a module, a function, an executable, an initializer. The text
before a dump is the last one that shows the same op, with what later dumps show of the ops inside it.

An op is the same in two dumps if it has the same name and symbol. If several have, or if it has no symbol, it
is the one that shares most symbols inside it, or else most lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

from eio_audit.audit.functions import find_scopes
from eio_audit.audit.log.scope_text import Line, Lines, Scope, ScopeStep, ScopeText
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import Aliases
from eio_audit.mlir.ir import IR

_MODULE = "builtin.module"


@dataclass(frozen=True, slots=True)
class _Showing:
    """The last text that shows a scope; ``number`` counts the dumps of the program."""

    number: int
    text: ScopeText


class ProgramText:
    """The last known text of one program: ``before`` a dump, then ``take`` what it shows."""

    def __init__(self) -> None:
        self._last: dict[Scope, _Showing] = {}
        self._names: dict[Scope, str] = {}
        self._number = 0

    def find(self, scopes: Sequence[Scope], lines: Sequence[Line]) -> Scope | None:
        """Return the known scope that a dump shows; None if it shows several, or an unknown one.

        Args:
            scopes: the scopes of the dump, its outermost op first; an empty one first if it has several.
            lines: the lines of the dump.
        """
        root = scopes[0]
        if not root:
            return root if root in self._last else None
        name, symbol, _ = root[-1]
        namesakes = [scope for scope in self._last if scope and scope[-1].symbol == symbol]
        named = [scope for scope in namesakes if self._names.get(scope, scope[-1].name) == name]
        if not named and symbol is not None:  # a conversion may change the name of a function
            named = namesakes
        if len(named) == 1 and (symbol is not None or name == _MODULE):
            return named[0]
        own = _symbols(scopes), _texts(lines)
        likest = max(((self._likeness(scope, own), scope) for scope in named), default=None)
        return likest[1] if likest is not None and any(likest[0][:2]) else None

    def _likeness(self, scope: Scope, other: tuple[Counter[object], Counter[object]]) -> tuple[float, ...]:
        """Return how many symbols and lines are equal, as shares of both. Of equals, the oldest counts more."""
        showing = self._last[scope]
        extent = showing.text.extents[scope]
        symbols = _symbols([s for s in showing.text.extents if s[: len(scope)] == scope])
        lines = _texts(showing.text.lines[extent.start : extent.end])
        return _share(symbols, other[0]), _share(lines, other[1]), -showing.number, -scope[-1].place

    def before(self, root: Scope | None, scopes: Sequence[Scope]) -> ScopeText | None:
        """Return the known text of a dump's scope, or else of all known scopes in it; None if there is none."""
        if root is not None:
            return self._known(root)
        known = [scope for scope in scopes if scope in self._last]
        known += [scope[1:] for scope in scopes if len(scope) > 1 and scope[1:] in self._last]
        texts = [self._known(scope) for scope in known if not any(_is_in(scope, other) for other in known)]
        return reduce(ScopeText.joined_with, texts) if texts else None

    def take(self, text: ScopeText, name: str) -> None:
        """Take the text of a dump as known; ``name`` is that of its outermost op."""
        self._number += 1
        root = next(iter(text.extents))
        self._names[root] = name
        gone = [scope for scope in self._last if scope[: len(root)] == root or root[-1:] + scope in text.extents]
        for scope in gone:
            del self._last[scope]
        self._last |= dict.fromkeys(text.extents, _Showing(self._number, text))

    def _known(self, scope: Scope) -> ScopeText:
        showing = self._last[scope]
        text = showing.text.part(scope)
        newer = {
            inner
            for inner in text.extents
            if inner != scope and self._last.get(inner, showing).number > showing.number
        }
        for other in newer:
            if not any(_is_in(other, more) for more in newer):
                text = text.with_part(other, self._known(other))
        return text


def _is_in(scope: Scope, other: Scope) -> bool:
    return scope != other and scope[: len(other)] == other


def _symbols(scopes: Iterable[Scope]) -> Counter[object]:
    return Counter(scope[-1].symbol for scope in scopes if scope and scope[-1].symbol is not None)


def _texts(lines: Iterable[Line]) -> Counter[object]:
    return Counter(line.text.strip() for line in lines)


def _share(one: Counter[object], other: Counter[object]) -> float:
    return 2 * (one & other).total() / (one.total() + other.total() or 1)


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
    if ir.block_count and len(ir.block_ops[0]) != 1:
        scopes[()] = -1
    for op in sorted(ir.regions_of):
        parent = ir.parent_op(ir.op_block[op])
        if parent not in of_op or (parent not in around and parent >= 0):
            continue
        symbol = ir.symbol(op) if op in holding else None
        kind = of_op[parent], ir.name(op), symbol
        of_op[op] = (*of_op[parent], ScopeStep(ir.name(op), symbol, seen[kind]))
        seen[kind] += 1
        scopes[of_op[op]] = op
    return scopes
