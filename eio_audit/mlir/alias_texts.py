"""What aliases of attributes, types and locations stand for, with the aliases in them expanded."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from eio_audit.mlir.post_order import post_order
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
        for name in post_order([alias], self._used_in, self._known):
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

    def _used_in(self, alias: bytes) -> list[bytes]:
        found = _ALIAS.finditer(self._definition(alias) or b"")
        return [name for match in found if (name := match["alias"]) and self._definition(name) is not None]


def shortened(alias: bytes, value: bytes) -> bytes:
    """The value, or the alias if that is too long."""
    return value if len(value) <= LONGEST_EXPANSION else alias
