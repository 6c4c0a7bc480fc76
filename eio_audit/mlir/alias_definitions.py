"""Where definitions of aliases end: ``#name = ...`` and ``!name = ...``, on one line or on several.

A definition ends at the first line end outside brackets. ``<`` is a bracket where a ``>`` closes it, and an
operator where another statement begins before that.
"""

from __future__ import annotations

import re

from eio_audit.mlir.source import InputError, Source, Span
from eio_audit.mlir.tokens import ALIAS, ALIAS_NAME, OR_FAIL, OUTER, STRING, Brackets, string_end

_GOES_ON = rb"(?:(?<=[<(\[{,])|(?<=[<(\[{,]\r))"
"""After a line that is not complete, by its last character."""
# Compiled where they are used: few dumps need them.
_LINE = rb"(?m)^(%b) = ([^\n]*+)(?:\n|\Z)" % ALIAS_NAME
_LAST_OR_OTHER_LINE = rb"(?m)^(?!%b = [^\n]*+(?!%b)\n%b = )" % (ALIAS_NAME, _GOES_ON, ALIAS_NAME)
"""The start of a line that is not one whole definition with another below it."""
_TABLE = (
    rb"(?m)^(?:%b = [^\n]*+(?!%b)(?:\n|\Z)%b)++(?P<other>(?!module\b|func\.func\b|\"|[ \t\r]*+(?:\n|\Z)))?"
    rb"|^(?P<first>%b = )" % (ALIAS_NAME, _GOES_ON, OR_FAIL, ALIAS_NAME)
)
"""Definitions one below the other; in a group what tells that one may have several lines."""
_STATEMENT = (
    rb"(?m)[ \t]*+(?:%b\s*+=|\{-#|%b\s*+\(|%%[\w$.-]++(?::\d++)?\s*+[=,]"
    rb"|(?:module|[A-Za-z_]\w*+\.[\w.$]++) [^\n]*?(?:@|\bloc\(|[{(\[][ \t\r]*$))" % (ALIAS_NAME, STRING)
)
"""What begins a line outside all brackets: another definition, metadata, an op."""


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
        elif brackets.only_angles():
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
