"""What aliases of attributes, types and locations stand for, with the aliases in them expanded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from eio_audit.mlir.tokens import ALIAS_NAME, STRING

_ALIAS = re.compile(STRING + rb"|(?P<alias>" + ALIAS_NAME + rb"(?!<))")

LONGEST_EXPANSION = 1 << 16
"""Bytes that an alias may stand for: aliases that use others twice can stand for any number."""


class AliasTexts:
    """The texts that the aliases of one dump stand for.

    ``definition`` gives the text of an alias' value, None for one that is not defined. ``finish`` makes the
    text of an alias from its value, in which all aliases are expanded. ``known`` are the texts of some.
    """

    def __init__(
        self,
        definition: Callable[[bytes], bytes | None],
        finish: Callable[[bytes, bytes], bytes] | None = None,
        known: Mapping[bytes, bytes] | None = None,
    ) -> None:
        self._definition = definition
        self._finish = finish or shortened
        self._known = dict(known or {})

    def of(self, alias: bytes) -> bytes:
        """What an alias stands for; the alias itself if it is not defined, or defined by itself."""
        if (known := self._known.get(alias)) is not None:
            return known
        for name in definitions_first(alias, self._used_in, self._known):
            value = self._definition(name)
            self._known[name] = name if value is None else self._finish(name, self._replaced(value))
        return self._known[alias]

    def expanded(self, text: bytes) -> bytes:
        """A text with what the aliases in it stand for."""
        if b"#" not in text and b"!" not in text:
            return text
        return _ALIAS.sub(lambda match: self.of(match[0]) if match["alias"] else match[0], text)

    def _replaced(self, value: bytes) -> bytes:
        return _ALIAS.sub(lambda match: self._known.get(match[0], match[0]), value)

    def _used_in(self, alias: bytes) -> set[bytes]:
        used = aliases_in(self._definition(alias) or b"")
        return {name for name in used if self._definition(name) is not None}


def shortened(alias: bytes, value: bytes) -> bytes:
    """The value, or the alias if that is too long."""
    return value if len(value) <= LONGEST_EXPANSION else alias


def aliases_in(text: bytes) -> set[bytes]:
    """What may be aliases in a text, outside of strings."""
    return {match["alias"] for match in _ALIAS.finditer(text)} - {None}


def definitions_first(
    root: bytes, used_in: Callable[[bytes], Iterable[bytes]], known: Mapping[bytes, object]
) -> Iterator[bytes]:
    """An alias and those that its definition uses, each after what it uses itself; a loop is cut.

    Those that are known are left out; the caller adds what it gets to them.
    """
    pending, entered = [root], {root}
    while pending:
        missing = [name for name in used_in(pending[-1]) if name not in known and name not in entered]
        if missing and pending[-1] not in known:
            pending += missing
            entered.update(missing)
        elif (alias := pending.pop()) not in known:
            yield alias
