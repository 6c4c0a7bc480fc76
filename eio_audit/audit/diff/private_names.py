"""The names of private functions: a program is the same whatever they are.

Outside of its program nobody can refer to a private function with a body. So a dump may be compared as if
its private functions had the names of their counterparts, if no other meaning changes with that: each name is
that of one function only, in both dumps, and appears in no text but as a symbol.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.mlir.reading.op_text import OpText
from eio_audit.mlir.tokens import STRING, SYMBOL, symbol_of

_SYMBOL_USE = re.compile(
    rb"(?P<own>\bsym_name\b\"?\s*+=\s*+)(?P<string>" + STRING + rb")|(?P<symbol>" + SYMBOL + rb")"
)
_PRIVATE = re.compile(rb'\A[\w$.]+ private |\bsym_visibility\b"?\s*+=\s*+"private"')
_WORD = re.compile(rb"[\w$.-]+")


def other_names(before: ComparedDump, after: ComparedDump, became: Mapping[int, int]) -> dict[str, str]:
    """Return, by private symbol of the later dump, the one that its counterpart has in the earlier dump.

    It is empty if none has another name, or if a name may mean something else, too.
    """
    names = dict[str, str]()
    for old, new in became.items():
        was, now = before.symbols[old], after.symbols[new]
        if was is None or now is None or was == now:
            continue
        if not (_is_private(before, old) and _is_private(after, new)):
            return {}
        names[now] = was
    if not names:
        return {}
    counts = [_symbols_in(side.texts) for side in (before, after)]
    for now, was in names.items():
        is_free = was not in counts[1][0] or was in names
        if not is_free or any(_bare(name) in words for name in (now, was) for _, words in counts):
            return {}
    defined = [Counter(filter(None, side.symbols)) for side in (before, after)]
    is_one = all(defined[0][was] == defined[1][now] == 1 for now, was in names.items())
    return names if is_one and len({*names.values()}) == len(names) else {}


def renamed(text: OpText, names: Mapping[str, str]) -> OpText:
    """Return a text with other names of symbols."""

    def name_of(match: re.Match[bytes]) -> bytes:
        symbol = symbol_of(match["symbol"] or match["string"])
        if symbol not in names:
            return match[0]
        new = names[symbol].encode("utf-8", "surrogateescape")
        return new if match["symbol"] else match["own"] + b'"%b"' % new.removeprefix(b"@")

    changed = _SYMBOL_USE.sub(name_of, text.text)
    return text if changed == text.text else OpText(changed, text.is_generic, text.is_plain)


def _is_private(side: ComparedDump, op: int) -> bool:
    """Whether an op is a private function with a body."""
    is_function = "function" in side.ir.op_table.flags(side.names[op])
    return is_function and op in side.blocks_of and _PRIVATE.search(side.texts[op].text) is not None


def _symbols_in(texts: Iterable[OpText]) -> tuple[set[str], set[bytes]]:
    """Return the symbols in texts, and all other words, of which one may be the name of a symbol, too."""
    symbols, words = set[str](), set[bytes]()
    for text in {id(one): one.text for one in texts}.values():
        for match in _SYMBOL_USE.finditer(text):
            symbols.add(symbol_of(match["symbol"] or match["string"]))
        words |= {*_WORD.findall(_SYMBOL_USE.sub(b"", text))}
    return symbols, words


def _bare(symbol: str) -> bytes:
    return symbol.removeprefix("@").strip('"').encode("utf-8", "surrogateescape")
