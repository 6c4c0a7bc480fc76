"""Find the end of alias definitions (``#name = ...``, ``!name = ...``) and expand aliases.

A definition ends at the first line end outside brackets. ``<`` is a bracket if a ``>`` closes it before
another statement begins. Otherwise it is an operator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import TypeVar

from eio_audit.mlir.source import InputError, Source, Span
from eio_audit.mlir.tokens import ALIAS, ALIAS_NAME, OPEN_ANGLE, OR_FAIL, OUTER, STRING, Brackets, string_end

_Node = TypeVar("_Node")
_GOES_ON = rb"(?:(?<=[<(\[{,])|(?<=[<(\[{,]\r))"  # matches after the last character of an incomplete line
# Compiled on first use: few dumps need them.
_LINE = rb"(?m)^(%b) = ([^\n]*+)(?:\n|\Z)" % ALIAS_NAME
_ALL_BUT_LAST = rb"(?:%b = [^\n]*+(?!%b)\n(?=%b = )%b)*+" % (ALIAS_NAME, _GOES_ON, ALIAS_NAME, OR_FAIL)
"""The lines that are one whole definition each, as long as another definition follows."""
_TABLE = (
    rb"(?m)^(?:%b = [^\n]*+(?!%b)(?:\n|\Z)%b)++(?P<other>(?!module\b|func\.func\b|\"|[ \t\r]*+(?:\n|\Z)))?"
    rb"|^(?P<first>%b = )" % (ALIAS_NAME, _GOES_ON, OR_FAIL, ALIAS_NAME)
)
"""Consecutive definitions. A group matches if one of them may span several lines."""
_STATEMENT = (
    rb"(?m)[ \t]*+(?:%b\s*+=|\{-#|%b\s*+\(|%%[\w$.-]++(?::\d++)?\s*+[=,]"
    rb"|(?:module|[A-Za-z_]\w*+\.[\w.$]++) [^\n]*?(?:@|\bloc\(|[{(\[][ \t\r]*$))" % (ALIAS_NAME, STRING)
)
"""The start of a statement: another definition, metadata, or an op."""
_ALIAS_USE = re.compile(STRING + rb"|(?P<alias>" + ALIAS_NAME + rb"(?!<))")
LONGEST_EXPANSION = 1 << 16
"""The most bytes that an alias may expand to. Without a limit, expansion is exponential."""


def post_order(
    roots: Iterable[_Node],
    below: Callable[[_Node], Iterable[_Node]],
    done: Container[object],
    key: Callable[[_Node], object] = lambda node: node,
) -> Iterator[_Node]:
    """Yield the roots and all nodes below them, each after those below it, the last first. Cut cycles.

    Nodes whose ``key`` is in ``done`` are skipped. The caller adds each node it gets to ``done``.
    """
    pending, entered = [*roots], set[object]()
    while pending:
        node = pending[-1]
        if key(node) in done:
            pending.pop()
        elif key(node) in entered:
            yield pending.pop()
        else:
            entered.add(key(node))
            pending += (n for n in below(node) if key(n) not in done and key(n) not in entered)


def definition_end(source: Source, span: Span) -> int:
    """Return where the definition ends whose value starts the span: at a line end, or with the span.

    Raises:
        InputError: a bracket does not balance, or a string is not closed.
    """
    data = source.data
    brackets, offset = Brackets(source), span.start
    first_line_end = None
    """The first line end where only ``<`` is open. The definition ends here unless all of them are closed."""
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
    """Return where the alias definitions at the start of the span end. A damaged one ends with the span."""
    offset = span.start
    while definition := ALIAS.match(source.data, offset, span.end):
        offset = _next_line(source, Span(definition.end(), span.end))
        lines = re.compile(_ALL_BUT_LAST).match(source.data, offset, span.end)
        offset = lines.end() if lines else offset
    return offset


def without_definitions(text: bytes) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Return the (alias, value) pairs that a text defines at line starts, and the text without them."""
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
    """Return the start of the line after a definition, or the span's end if the definition is damaged."""
    try:
        return min(definition_end(source, span) + 1, span.end)
    except InputError:
        return span.end


class AliasTexts:
    """Expands the aliases of one dump.

    ``definition`` returns the value of an alias as text, or None if the alias is undefined. ``finish`` makes
    the final text from an alias and its expanded value. ``known`` has texts that are expanded already.
    """

    def __init__(
        self,
        definition: Callable[[bytes], bytes | None],
        finish: Callable[[bytes, bytes], bytes] | None = None,
        known: Mapping[bytes, bytes] | None = None,
    ) -> None:
        self._definition = definition
        self._finish = finish or unless_too_long
        self._known = dict(known or {})

    def of(self, alias: bytes) -> bytes:
        """Return the expansion of an alias, or the alias itself if it is undefined or refers to itself."""
        if (known := self._known.get(alias)) is not None:
            return known
        for name in post_order([alias], self._used_in, self._known):
            value = self._definition(name)
            if value is not None:
                value = _ALIAS_USE.sub(lambda match: self._known.get(match[0], match[0]), value)
            self._known[name] = name if value is None else self._finish(name, value)
        return self._known[alias]

    def expanded(self, text: bytes) -> bytes:
        """Return a text with its aliases expanded."""
        if b"#" not in text and b"!" not in text:
            return text
        return _ALIAS_USE.sub(lambda match: self.of(match[0]) if match["alias"] else match[0], text)

    def _used_in(self, alias: bytes) -> list[bytes]:
        found = _ALIAS_USE.finditer(self._definition(alias) or b"")
        return [name for match in found if (name := match["alias"]) and self._definition(name) is not None]


def unless_too_long(alias: bytes, value: bytes) -> bytes:
    """Return the value, or the alias if the value is too long."""
    return value if len(value) <= LONGEST_EXPANSION else alias
