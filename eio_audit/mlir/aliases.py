"""Aliases, ``#name = ...`` and ``!name = ...``: where their definitions end, and their expansions.

A definition ends at the first line end outside brackets. ``<`` is a bracket where a ``>`` closes it, and an
operator if another statement begins earlier.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from eio_audit.mlir.post_order import post_order
from eio_audit.mlir.source import InputError, Source, Span
from eio_audit.mlir.tokens import ALIAS, ALIAS_NAME, OPEN_ANGLE, OR_FAIL, OUTER, STRING, Brackets, string_end

_GOES_ON = rb"(?:(?<=[<(\[{,])|(?<=[<(\[{,]\r))"
"""Matches after the last character of an incomplete line."""
# Compiled where they are used: few dumps need them.
_LINE = rb"(?m)^(%b) = ([^\n]*+)(?:\n|\Z)" % ALIAS_NAME
_LAST_OR_OTHER_LINE = rb"(?m)^(?!%b = [^\n]*+(?!%b)\n%b = )" % (ALIAS_NAME, _GOES_ON, ALIAS_NAME)
"""The start of a line that is not one whole definition with another below it."""
_TABLE = (
    rb"(?m)^(?:%b = [^\n]*+(?!%b)(?:\n|\Z)%b)++(?P<other>(?!module\b|func\.func\b|\"|[ \t\r]*+(?:\n|\Z)))?"
    rb"|^(?P<first>%b = )" % (ALIAS_NAME, _GOES_ON, OR_FAIL, ALIAS_NAME)
)
"""Consecutive definitions; a group matches if one may have several lines."""
_STATEMENT = (
    rb"(?m)[ \t]*+(?:%b\s*+=|\{-#|%b\s*+\(|%%[\w$.-]++(?::\d++)?\s*+[=,]"
    rb"|(?:module|[A-Za-z_]\w*+\.[\w.$]++) [^\n]*?(?:@|\bloc\(|[{(\[][ \t\r]*$))" % (ALIAS_NAME, STRING)
)
"""The start of a statement: another definition, metadata, an op."""

_ALIAS_USE = re.compile(STRING + rb"|(?P<alias>" + ALIAS_NAME + rb"(?!<))")

LONGEST_EXPANSION = 1 << 16
"""The most bytes that an alias may expand to; without a limit, expansion is exponential."""


def definition_end(source: Source, span: Span) -> int:
    """Where the definition ends whose value begins the span: at a line end, or where the span does.

    Raises:
        InputError: a bracket does not balance, or a string has no end.
    """
    data = source.data
    brackets, offset = Brackets(source), span.start
    first_line_end = None
    """A line end where only ``<`` is open: the definition ends there unless each of them is closed."""
    while token := OUTER.match(data, offset, span.end):
        text, start, offset = token["token"], token.start("token"), token.end()
        if text == b'"':
            closing = string_end(data, start, span.end)
            if closing is None:
                raise source.error(start, "unterminated string")
            offset = closing
        elif text != b"\n":
            try:
                brackets.feed(text, start)
            except InputError:
                if first_line_end is None:
                    raise
                return first_line_end
        elif not brackets:
            return start
        elif all(opening == OPEN_ANGLE for opening, _ in brackets):
            first_line_end = start if first_line_end is None else first_line_end
            if re.compile(_STATEMENT).match(data, offset, span.end):
                return first_line_end
    if first_line_end is not None:
        return first_line_end
    brackets.check_closed()
    return span.end


def end_of_definitions(source: Source, span: Span) -> int:
    """Where the lines end that define aliases from the start of the span on; its end where one is damaged."""
    offset = span.start
    while definition := ALIAS.match(source.data, offset, span.end):
        offset = _next_line(source, Span(definition.end(), span.end))
        line = re.compile(_LAST_OR_OTHER_LINE).search(source.data, offset, span.end)
        offset = line.start() if line else offset
    return offset


def without_definitions(text: bytes) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """The aliases that a text defines at line starts, each with its value, and the text without them."""
    definitions: list[tuple[bytes, bytes]] = []
    rest, offset = [], 0
    for table in re.compile(_TABLE).finditer(text):
        if table.lastgroup is not None:
            return _without_definitions_of_several_lines(text)
        definitions += re.compile(_LINE).findall(text, table.start(), table.end())
        rest.append(text[offset : table.start()])
        offset = table.end()
    return definitions, b"".join([*rest, text[offset:]])


def _without_definitions_of_several_lines(text: bytes) -> tuple[list[tuple[bytes, bytes]], bytes]:
    source, offset = Source("", text), 0
    definitions, rest = [], []
    while line := re.compile(_LINE).search(text, offset):
        end = _next_line(source, Span(line.start(2), len(text)))
        definitions.append((line[1], text[line.start(2) : end]))
        rest.append(text[offset : line.start()])
        offset = end
    return definitions, b"".join([*rest, text[offset:]])


def _next_line(source: Source, span: Span) -> int:
    """The line after the definition whose value begins the span; the span's end where it is damaged."""
    try:
        return min(definition_end(source, span) + 1, span.end)
    except InputError:
        return span.end


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
        """The expansion of an alias; the alias itself if it is undefined or refers to itself."""
        if (known := self._known.get(alias)) is not None:
            return known
        for name in post_order([alias], self._used_in, self._known):
            value = self._definition(name)
            if value is not None:
                value = _ALIAS_USE.sub(lambda match: self._known.get(match[0], match[0]), value)
            self._known[name] = name if value is None else self._finish(name, value)
        return self._known[alias]

    def expanded(self, text: bytes) -> bytes:
        """A text with its aliases expanded."""
        if b"#" not in text and b"!" not in text:
            return text
        return _ALIAS_USE.sub(lambda match: self.of(match[0]) if match["alias"] else match[0], text)

    def _used_in(self, alias: bytes) -> list[bytes]:
        found = _ALIAS_USE.finditer(self._definition(alias) or b"")
        return [name for match in found if (name := match["alias"]) and self._definition(name) is not None]


def shortened(alias: bytes, value: bytes) -> bytes:
    """The value, or the alias if that is too long."""
    return value if len(value) <= LONGEST_EXPANSION else alias
