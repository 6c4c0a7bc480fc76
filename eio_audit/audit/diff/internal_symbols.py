"""Internal symbols: a program is the same whatever they are called.

Nobody outside of a program can refer to what is private and defined in it, nor to what is defined in that:
functions, executables with their functions, globals. So a dump may be compared as if its internal symbols had
the names of their counterparts, if no other meaning changes with that: no two symbols get one name, each
definition of a changed name is internal, and the name appears in no text but as a symbol.

Counterparts hold the same, whatever the names in them, and what they refer to does so, too. Where several
hold the same, or the content changed, the ops that were matched tell: those that use the symbols, or those
that define them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, count

from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.audit.diff.dump_comparison import DumpComparison
from eio_audit.audit.diff.pairs import groups_of
from eio_audit.audit.locations.parsed_locations import Numbers
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.reading.op_text import OpText
from eio_audit.mlir.tokens import STRING, SYMBOL, symbol_of

ROUNDS = 8  # through how many references contents are told apart

_SYMBOL_USE = pattern(
    rb"(?P<own>\bsym_name\b\"?\s*+=\s*+)(?P<string>" + STRING + rb")|(?P<symbol>" + SYMBOL + rb")|" + STRING
)
"""A symbol, or a string, which may look like one."""
_PRIVATE = pattern(
    rb'\A[\w$.]+ "?(?:private|internal)"? |\bsym_visibility\b"?\s*+=\s*+"private"'
    rb"|#llvm\.linkage<(?:private|internal)>"
)
_DECLARED = pattern(
    rb'\Amemref\.global [^=]*\Z|\A"memref\.global"(?![^\n]*\binitial_value\b)|\A"?llvm\.[^\n@]*external\b'
)
"""A global whose value is defined elsewhere."""
_DEFINES = pattern(r"\.(?:global|export)(?:\.\w+)?\Z")
"""The name of an op without regions that defines what it names."""
_WORD = pattern(rb"[\w$.-]+")

Names = dict[str, str]  # by symbol of the later dump, what it is called instead


class InternalSymbols:
    """The internal symbols of two dumps, and what those of the later one are called in the earlier one."""

    def __init__(self, before: ComparedDump, after: ComparedDump) -> None:
        self._sides = _Side(before), _Side(after)
        self._alike = Names()  # by internal symbol of the later dump, the one that holds the same

    def match(self) -> DumpComparison:
        """Compare the dumps, whatever their internal symbols are called."""
        names = self._names_by_content()
        found = DumpComparison(*self._compared(names, by_uses=True))
        told = self._names_by_matches(found.became)
        is_told = told == names and not any(self._told_by_uses)
        return found if is_told else DumpComparison(*self._compared(told))

    def in_place(self) -> tuple[ComparedDump, ComparedDump]:
        """Return the dumps, in which internal symbols have one name where both define one in one place."""
        before, after = self._sides
        if before.outermost and after.outermost and before.written != after.written:
            number = Numbers().__getitem__
            for side in self._sides:
                side.label(number)
            defined = ([*chain.from_iterable(map(side.defined_in, side.outermost))] for side in self._sides)
            if names := self._legal({now: was for was, now in zip(*defined, strict=False)}):
                return before.dump, after.renamed(names, ())
        return before.dump, after.dump

    def _names_by_content(self) -> Names:
        """Return the other names of those that hold the same, or much of it."""
        before, after = self._sides
        if not before.outermost or not after.outermost or before.written == after.written:
            return {}
        self._classify()
        for old, new in self._counterparts():
            inside = after.defined_in(new), before.defined_in(old)
            is_alike = len(inside[0]) == len(inside[1])
            self._alike |= zip(*(names if is_alike else names[:1] for names in inside), strict=True)
        return self._legal(self._alike)

    def _counterparts(self) -> Iterator[tuple[int, int]]:
        """Yield the outermost ones that hold the same, namesakes first; then much of it; then namesakes."""
        free = [set(side.outermost) for side in self._sides]

        def name(side: int, op: int) -> Hashable:
            return self._sides[side].dump.symbols[op]

        def content(side: int, op: int) -> Hashable:
            return self._sides[side].classes[op]

        def both(side: int, op: int) -> Hashable:
            return content(side, op), name(side, op)

        for find in (
            partial(groups_of, key=both),
            partial(groups_of, key=content),
            self._most_alike,
            partial(groups_of, key=name),
        ):
            for group in find([sorted(ops) for ops in free]):
                for old, new in zip(*group, strict=False):
                    if old in free[0] and new in free[1]:
                        yield old, new
                        free[0].remove(old)
                        free[1].remove(new)

    def _most_alike(self, ops: Sequence[Iterable[int]]) -> Iterator[tuple[list[int], list[int]]]:
        """Yield pairs with three quarters of their ops, those first that share most of what no other has."""
        texts = [{op: side.texts_in(op) for op in own} for side, own in zip(self._sides, ops, strict=True)]
        holders = defaultdict[Hashable, tuple[list[int], list[int]]](lambda: ([], []))
        for side, own in enumerate(texts):
            for op, found in own.items():
                for text in found:
                    holders[text][side].append(op)
        votes = Counter((*old, *new) for old, new in holders.values() if len(old) == len(new) == 1)
        for (old, new), _ in votes.most_common():
            was, now = texts[0][old], texts[1][new]
            if (was & now).total() * 4 >= 3 * max(was.total(), now.total()):
                yield [old], [new]

    @cached_property
    def _told_by_uses(self) -> tuple[Names, Names]:
        """By side and symbol, one name for all that hold the same, where there are several."""
        times = [Counter(side.labels.values()) for side in self._sides]
        several = [label for label in times[0] if times[0][label] + times[1][label] > 2 and times[1][label]]
        common = {label: f"@same_{number}" for number, label in enumerate(several)}
        first, second = (
            {symbol: common[label] for symbol, label in side.labels.items() if label in common}
            for side in self._sides
        )
        return first, second

    def _compared(self, names: Names, *, by_uses: bool = False) -> list[ComparedDump]:
        """Return the dumps, the later one with the other names, so that what uses a symbol follows it.

        ``by_uses``: those that hold the same have one name, so that only their uses tell them apart.
        """
        own = Names(), names
        if by_uses:
            own = self._told_by_uses[0], names | self._told_by_uses[1]
        if not any(own):
            return [side.dump for side in self._sides]
        kept = {own[0].get(name, name) for name in self._alike.values()}
        return [side.renamed(names, kept) for side, names in zip(self._sides, own, strict=True)]

    def _names_by_matches(self, became: Mapping[int, int]) -> Names:
        """Return the names that matched ops tell, too: where several symbols hold the same, or none does."""
        before, after = self._sides
        if not before.labels or not after.labels:
            return self._legal(self._alike)
        shared = {*before.labels.values()} & {*after.labels.values()}
        votes = Counter[tuple[str, str]]()
        for old, new in became.items():
            pairs = [*zip(before.symbols_in(old), after.symbols_in(new), strict=False)]
            is_defined = before.dump.symbols[old] is not None
            for was, now in pairs:
                labels = before.labels.get(was), after.labels.get(now)
                is_alike = labels[0] == labels[1] and not is_defined
                if None not in labels and (is_alike or (is_defined and shared.isdisjoint(labels))):
                    votes[was, now] += 1
        told, taken = Names(), set[str]()
        for (was, now), _ in votes.most_common():
            if now not in told and was not in taken:
                told[now] = was
                taken.add(was)
        names = told | {now: was for now, was in self._alike.items() if now not in told and was not in taken}
        return self._legal(names | self._rest_of_alike(names))

    def _rest_of_alike(self, names: Names) -> Names:
        """Return names for the others that hold the same, in order of appearance."""
        before, after = self._sides
        taken = {*names.values()}
        free = [
            [one for one in before.labels if one not in taken],
            [one for one in after.labels if one not in names],
        ]
        groups = groups_of(free, lambda side, symbol: self._sides[side].labels[symbol])
        return {now: was for group in groups for was, now in zip(*group, strict=False)}

    def _classify(self) -> None:
        """Tell apart what symbols hold, at first without the internal symbols in it, then with these."""
        number, known = Numbers().__getitem__, 0
        for _ in range(ROUNDS):
            for side in self._sides:
                side.label(number)
                side.classes = {op: number(side.content(op)) for op in side.outermost}
            found = len({found for side in self._sides for found in side.classes.values()})
            if found == known:
                return
            known = found

    def _legal(self, names: Names) -> Names:
        """Return those of the names that change no other meaning. A name that another takes is replaced."""
        before, after = self._sides
        changed = {now: was for now, was in names.items() if now != was}
        if not changed:
            return {}
        unused = (name for k in count() if (name := f"@other_{k}") not in before.names | after.names)
        while True:
            taken = (was for was in changed.values() if was in after.names and was not in changed)
            legal = changed | {name: next(unused) for name in taken}
            times = Counter(legal.values())
            wrong = {
                now
                for now, was in legal.items()
                if now not in after.free or (now in changed and (was not in before.free or times[was] > 1))
            }
            if not wrong:
                return legal
            changed = {now: was for now, was in changed.items() if not {now, was} & wrong}


class _Side:
    """The internal symbols of one dump."""

    def __init__(self, dump: ComparedDump) -> None:
        self.dump = dump
        self.outermost = [*self._outermost()]  # the ops that define one and are in none
        self.classes = dict.fromkeys(self.outermost, 0)  # by such an op, a number for what it holds
        self.labels: dict[str, Hashable] = {}  # by internal symbol, what tells it, whatever its name

    def _outermost(self) -> Iterator[int]:
        end = 0
        for op in range(len(self.dump)):
            if op >= end and _defines(self.dump, op) and _PRIVATE.search(self.dump.texts[op].text):
                yield op
                end = self.dump.ir.nested_ops(op).stop

    def texts_in(self, outermost: int) -> Counter[Hashable]:
        """Return the ops in an op, by their texts without the names of symbols."""
        ops = self.dump.ir.nested_ops(outermost)
        return Counter(_SYMBOL_USE.sub(_masked, text.text) for text in self.dump.texts[ops.start : ops.stop])

    def renamed(self, names: Names, kept: Collection[str]) -> ComparedDump:
        """Return the dump with other names of symbols. What uses those that are kept follows them."""
        known = {id(text): _renamed(text, names) for text in self.dump.texts}
        texts = [known[id(text)] for text in self.dump.texts]
        dump = self.dump.with_names(names, texts, self.scopes)
        used = {
            id(one): tuple(name for name in _uses(one.text) if name in kept) for one in texts if one.is_plain
        }
        dump.followed = {op: uses for op, text in enumerate(texts) if (uses := used.get(id(text)))}
        return dump

    @property
    def scopes(self) -> list[str | None]:
        """By block, the symbol of the function around it, else that of the outermost op."""
        dump, scopes = self.dump, [*self.dump.functions]
        ends = [dump.ir.nested_ops(op).stop for op in self.outermost]
        for block, function in enumerate(scopes):
            place = bisect_right(self.outermost, dump.ir.parent_op(block)) - 1
            if function is None and place >= 0 and dump.ir.parent_op(block) < ends[place]:
                scopes[block] = dump.symbols[self.outermost[place]]
        return scopes

    @property
    def written(self) -> list[bytes]:
        """What the outermost ones are as they are written."""
        return [*map(self.dump.ir.text, self.outermost)]

    def defined_in(self, outermost: int) -> list[str]:
        """Return the symbols that an op and those in it define."""
        inside = range(outermost, self.dump.ir.nested_ops(outermost).stop)
        return [self.dump.symbols[op] or "" for op in inside if _defines(self.dump, op)]

    def symbols_in(self, op: int) -> list[str]:
        """Return the symbols in the text of an op."""
        return _uses(self.dump.texts[op].text)

    def label(self, number: Callable[[Hashable], int]) -> None:
        """Label each symbol that is defined in one of the outermost ones: by this, and its places in it."""
        defined, labels = Counter(self.dump.symbols), dict[str, Hashable]()
        for op in self.outermost:
            for symbol, places in self._places(op).items():
                if len(places) == defined[symbol]:
                    labels[symbol] = number(("label", self.classes[op], *places))
        self.labels = labels

    def _places(self, outermost: int) -> dict[str, list[int]]:
        places = defaultdict[str, list[int]](list)
        for place, symbol in enumerate(self.defined_in(outermost)):
            places[symbol].append(place)
        return places

    def content(self, outermost: int) -> Hashable:
        """Return what an op holds: the text and the producers of each op, without the names of symbols."""
        dump, ops = self.dump, range(outermost, self.dump.ir.nested_ops(outermost).stop)
        block = dump.blocks_of.get(outermost, (0,))[0]
        told = self.labels | {symbol: tuple(places) for symbol, places in self._places(outermost).items()}
        return tuple(
            (
                dump.names[op],
                _without_names(dump.texts[op].text, told),
                *(
                    (owner - (outermost if owner >= 0 else -block), value)
                    for owner, value in dump.producers[op]
                ),
            )
            for op in ops
        )

    @cached_property
    def names(self) -> set[str]:
        """All symbols in the dump."""
        return self._symbols_and_words[0]

    @cached_property
    def free(self) -> set[str]:
        """The symbols that may have another name: internal ones whose name is no other word."""
        words = self._symbols_and_words[1]
        return {symbol for symbol in self.labels if _bare(symbol) not in words}

    @cached_property
    def _symbols_and_words(self) -> tuple[set[str], set[bytes]]:
        symbols, words = set[str](), set[bytes]()
        for text in {id(one): one.text for one in self.dump.texts}.values():
            symbols.update(_uses(text))
            words |= {*_WORD.findall(_SYMBOL_USE.sub(_masked, text))}
        return symbols, words


def _renamed(text: OpText, names: Mapping[str, str]) -> OpText:
    """Return a text with other names of symbols."""

    def name_of(match: re.Match[bytes]) -> bytes:
        written = match["symbol"] or match["string"]
        symbol = symbol_of(written) if written else ""
        if symbol not in names:
            return match[0]
        new = names[symbol].encode("utf-8", "surrogateescape")
        return new if match["symbol"] else match["own"] + b'"%b"' % new.removeprefix(b"@")

    changed = _SYMBOL_USE.sub(name_of, text.text)
    return text if changed == text.text else OpText(changed, text.is_generic, text.is_plain)


def _defines(dump: ComparedDump, op: int) -> bool:
    """Whether an op defines its symbol. Others declare what another program defines under this name."""
    if dump.symbols[op] is None:
        return False
    is_whole = op in dump.blocks_of or _DEFINES.search(dump.names[op]) is not None
    return is_whole and not _DECLARED.search(dump.texts[op].text)


def _without_names(text: bytes, told: Mapping[str, Hashable]) -> Hashable:
    if b"@" not in text and b"sym_name" not in text:
        return text
    return _SYMBOL_USE.sub(_masked, text), tuple(told.get(symbol, symbol) for symbol in _uses(text))


def _masked(match: re.Match[bytes]) -> bytes:
    return b"@" if match["symbol"] or match["own"] else match[0]


def _uses(text: bytes) -> list[str]:
    found = (match["symbol"] or match["string"] for match in _SYMBOL_USE.finditer(text))
    return [symbol_of(written) for written in found if written]


def _bare(symbol: str) -> bytes:
    return symbol.removeprefix("@").strip('"').encode("utf-8", "surrogateescape")
