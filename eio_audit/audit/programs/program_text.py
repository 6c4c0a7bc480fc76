"""The last known text of a program: what a pass found when it began.

Every dump shows the program or one op of it: a module, a function, an executable, an initializer. The text
before a dump is the last one that shows the same op, with what later dumps show of the ops inside it.

An op is the same in two dumps if it has the same name and symbol. If several have, or if it has no symbol, it
is the one that shares most symbols inside it. Of these it is the one with the same functions and modules, or
else the one that shares most lines, and of equals the one that was shown last.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, reduce
from itertools import takewhile

from eio_audit.audit.programs.scope_text import (
    Lines,
    Outline,
    Scope,
    ScopeOp,
    ScopeText,
    ShownText,
    extents_of,
    read_shown,
)
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.source import InputError, line_ends
from eio_audit.mlir.traits import OpTable

_MODULE = "builtin.module"


class _Showing:
    """The last text that shows some scopes; ``number`` counts the dumps of the program."""

    def __init__(self, number: int, text: ScopeText) -> None:
        self.number = number
        self.text = text

    @cached_property
    def inside(self) -> Mapping[Scope, list[Scope]]:
        """Per scope, itself and those in it, in textual order."""
        found = defaultdict[Scope, list[Scope]](list)
        for scope in self.text.extents:
            for depth in range(len(scope) + 1):
                found[scope[:depth]].append(scope)
        return found


class ProgramText:
    """The last known text of one program: ``find`` what a dump shows, and its text ``before``."""

    def __init__(self) -> None:
        # The symbols that several of its functions or modules have or had, one not around the
        # other. If only one of them is left, it may not be the one that a dump showed last.
        self.namesakes: frozenset[str] = frozenset()
        self._last: dict[Scope, _Showing] = {}
        self._inside = defaultdict[Scope, set[Scope]](set)  # per scope, itself and the known ones in it
        self._holders = defaultdict[object, set[Scope]](set)  # per symbol, scopes that hold or held it
        self._names: dict[Scope, str] = {}
        self._number = 0

    def before(self, shown: ShownText, root: Scope | None) -> ScopeText | None:
        """Return the known text of what a dump shows, the known scope ``root``; None if it is not known.

        Of a dump that shows no known scope, the text is that of all known scopes in it.
        """
        if root is not None:
            return self._known(root)
        known = [scope for scope in shown.outline.scopes if scope in self._last]
        known += [scope[1:] for scope in shown.outline.scopes if len(scope) > 1 and scope[1:] in self._last]
        outermost = [scope for scope in known if not any(_is_in(scope, other) for other in known)]
        texts = [self._known(scope, with_aliases=False) for scope in outermost]
        return reduce(ScopeText.joined_with, texts) if texts else None

    def all_known(self) -> ScopeText:
        """Return the text of all that is known."""
        outermost = [scope for scope in self._last if not any(_is_in(scope, other) for other in self._last)]
        return reduce(ScopeText.joined_with, map(self._known, outermost))

    def lines(self, symbol: str | None) -> Iterator[Lines]:
        """Yield the lines of all that is known, or only of what has a symbol, if that is known."""
        scopes = [scope for scope in self._last if scope and scope[-1].symbol == symbol] if symbol else []
        for scope in scopes or self._last:
            if not any(_is_in(scope, other) for other in scopes or self._last):
                yield self._known(scope, with_aliases=False).lines

    def find(self, shown: ShownText) -> Scope | None:
        """Return which known scope a dump shows; None if it shows none, or more than one."""
        root = shown.outline.scopes[0]
        if not root:
            return root if root in self._last else None
        name, symbol, _ = root[-1]
        wanted = _symbols(shown.outline.scopes)
        if symbol is None:  # of many, only those that share a symbol are compared
            sharing = {scope for one in wanted for scope in self._holders.get(one, ())} & self._last.keys()
            likest = self._likest(self._named(root[-1], sharing), wanted)
            if len(likest) == 1:
                return likest[0]
        named = self._named(root[-1], self._last)
        if len(named) == 1 and (symbol is not None or name == _MODULE):
            return named[0]
        likest = self._likest(named, wanted)
        if len(likest) > 1:
            parts = [scope[len(root) :] for scope in shown.outline.scopes]
            likest = [scope for scope in likest if self._parts(scope) == parts] or likest
        if len(likest) != 1:
            own = self._texts_in(likest or named)
            likest = _likest(own, _texts(shown.text.lines.texts)) or likest
        return likest[-1] if likest else None

    def _named(self, root: ScopeOp, scopes: Iterable[Scope]) -> list[Scope]:
        """Return those of some known scopes that have the name and symbol of an op, the oldest first."""
        namesakes = [scope for scope in scopes if scope and scope[-1].symbol == root.symbol]
        named = [scope for scope in namesakes if self._names.get(scope, scope[-1].name) == root.name]
        if not named and root.symbol is not None:  # a conversion may change the name of a function
            named = namesakes
        return sorted(named, key=lambda scope: (self._last[scope].number, [op.place for op in scope]))

    def _likest(self, scopes: Iterable[Scope], wanted: Counter[object]) -> list[Scope]:
        return _likest({scope: _symbols(self._inside[scope]) for scope in scopes}, wanted)

    def _parts(self, scope: Scope) -> list[Scope]:
        """Return a known scope and those in it, as seen from it."""
        return [inner[len(scope) :] for inner in self._last[scope].inside[scope]]

    def _texts_in(self, scopes: Collection[Scope]) -> dict[Scope, Counter[object]]:
        texts = {scope: self._last[scope].text for scope in scopes}
        lines = {
            scope: text.lines.texts[text.extents[scope].start : text.extents[scope].stop]
            for scope, text in texts.items()
        }
        return {scope: _texts(own) for scope, own in lines.items()}

    def take(self, text: ScopeText, outline: Outline) -> None:
        """Take the text of a dump as known."""
        self._number += 1
        root = next(iter(text.extents))
        self._names[root] = "".join(op.name for op in outline.scopes[0])
        gone = {*self._inside[root]}
        if len(root) == 1:  # scopes that were outermost so far may be in it
            gone.update(scope for scope in self._last if (*root, *scope) in text.extents)
        for scope in gone:
            del self._last[scope]
            for depth in range(len(scope) + 1):
                self._inside[scope[:depth]].discard(scope)
        self._last |= dict.fromkeys(text.extents, _Showing(self._number, text))
        for scope in text.extents:
            for depth in range(len(scope) + 1):
                self._inside[scope[:depth]].add(scope)
                if scope and scope[-1].symbol is not None:
                    self._holders[scope[-1].symbol].add(scope[:depth])
        if gone != text.extents.keys():
            around = {scope[:-1] for scope in self._last if scope}
            symbols = Counter(scope[-1].symbol for scope in self._last if scope and scope not in around)
            self.namesakes |= {
                symbol for symbol, number in symbols.items() if symbol is not None and number > 1
            }

    def _known(self, scope: Scope, *, with_aliases: bool = True) -> ScopeText:
        """Return the last known text of a scope; if it is all of a dump, with the definitions around it."""
        showing = self._last[scope]
        is_all = with_aliases and next(iter(showing.text.extents)) == scope
        text = showing.text if is_all else showing.text.part(scope, showing.inside[scope])
        newer = {
            inner
            for inner in showing.inside[scope]
            if inner != scope and self._last.get(inner, showing).number > showing.number
        }
        outermost = [one for one in newer if not any(one[:depth] in newer for depth in range(len(one)))]
        return text.with_parts({one: self._known(one, with_aliases=False) for one in outermost})


def _likest(contents: Mapping[Scope, Counter[object]], wanted: Counter[object]) -> list[Scope]:
    """Return the scopes whose contents share most with what is wanted; none if no scope shares anything."""
    size = wanted.total()
    shares = {
        scope: 2 * (own & wanted).total() / (own.total() + size)
        for scope, own in contents.items()
        if not wanted.keys().isdisjoint(own.keys())
    }
    most = max(shares.values(), default=0)
    return [scope for scope, share in shares.items() if share == most]


def _is_in(scope: Scope, other: Scope) -> bool:
    return scope != other and scope[: len(other)] == other


def _symbols(scopes: Iterable[Scope]) -> Counter[object]:
    return Counter(scope[-1].symbol for scope in scopes if scope and scope[-1].symbol is not None)


def _texts(lines: Iterable[bytes]) -> Counter[object]:
    return Counter(map(bytes.strip, lines))


def text_before(dumps: Iterable[Dump], dump: Dump, op_table: OpTable) -> Dump | None:
    """Return what a dump shows as the dumps before it left it; None if none of them shows it.

    It is the last dump that shows the same, if that is one dump. Else it is put together from several. The
    ``dumps`` are those of its program before it. Those that cannot be read do not count. An InputError says
    that the dump itself cannot be read.
    """
    texts = ProgramText()
    for earlier in dumps:
        with suppress(InputError):
            _take(texts, earlier, op_table)
    shown = ShownText(dump, op_table)
    before = texts.before(shown, texts.find(shown))
    if before is None:
        return None
    return before.dump if before.is_whole_dump else before.readable(range(len(before.lines)))


def program_at(dumps: Iterable[Dump], dump: Dump, op_table: OpTable) -> Dump:
    """Return all that is known of a program at one of its dumps; this dump if it shows all.

    Dumps that cannot be read do not count. An InputError says that the dump itself cannot be read.
    """
    texts = ProgramText()
    for earlier in takewhile(lambda one: one != dump, dumps):
        with suppress(InputError):
            _take(texts, earlier, op_table)
    _take(texts, dump, op_table)
    known = texts.all_known()
    return known.dump if known.is_whole_dump else known.readable(range(len(known.lines)))


def next_of_same(dumps: Iterable[Dump], op_table: OpTable) -> dict[Dump, Dump]:
    """Return, by dump of a log, the next dump that shows the same op, if there is one.

    Dumps that cannot be read do not count.
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
    root = texts.find(shown)
    before = texts.before(shown, root)
    if before is not None and before.is_same_as(shown.text):
        text = shown.text.with_all_of(before)
    else:
        kept = range(len(shown.text.lines))
        ir = read_shown(shown.text.readable(kept), op_table)
        extents = extents_of(ir, line_ends(ir.source.data), kept, root)
        text = shown.text._replace(extents=extents)
    texts.take(text, shown.outline)
    return next(iter(text.extents))
