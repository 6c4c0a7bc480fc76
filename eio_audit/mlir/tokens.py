"""The lexical level of printed MLIR: strings, comments, values, brackets and the definitions of aliases.

A definition, ``#name = ...`` or ``!name = ...``, ends at the first line end outside brackets. ``<`` is a
bracket if a ``>`` closes it before another statement begins. Otherwise it is an operator.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TypeVar

from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import InputError, Source, Span, Text, line_end

OR_FAIL = rb"|(?!)"
"""The last alternative of a possessive repetition that may fail within a round.

Python 3.11.0 to 3.11.4 continues such a repetition at the wrong place in the failed round (CPython's
gh-106052). This alternative is tried at the start of the round. So is one like ``[^"]++``, if it comes last.
"""
STRING = rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
SUFFIX_ID = rb"(?:-(?!>)|[\w$.]++)++"
"""A name after ``@``. Unlike in MLIR, letters may follow a leading digit, so that no name is cut in two."""
SYMBOL = rb"@(?:" + SUFFIX_ID + rb"|" + STRING + rb")"
"""``@name`` or ``@"any text"``. A nested reference, ``@a::@b``, is several."""
SYMBOL_NAME = pattern(rb'\bsym_name\b"?\s*+=\s*+(' + STRING + rb")")
"""The attribute that gives an op its symbol in generic assembly. Its name may be in quotes."""
COMMENT = rb"//[^\r\n]*+"  # unlike a line, a comment ends at a carriage return, too
VALUE = rb"%(?:[0-9]++(?![\w$.])|[A-Za-z_$.-][\w$.-]*+)"
"""The name of a value: a number, or a name that does not begin with a digit."""
GAP = rb"\s*+(?:" + COMMENT + rb"\s*+)*+"  # what may stand between two tokens: white space and comments
_RESULT = VALUE + GAP + rb"(?::" + GAP + rb"\d++" + GAP + rb")?"
_RESULTS = _RESULT + rb"(?:," + GAP + _RESULT + OR_FAIL + rb")*+="
_STRING_OR_COMMENT = pattern(STRING + rb"|" + COMMENT)
_STRING_BUT_NAME = pattern(rb'"(?P<name>[\w$.-]+)"(?=\s*=)|' + _STRING_OR_COMMENT.pattern)
"""A string or comment. The string before ``=`` is an attribute's name."""
TRIVIA = pattern(rb"(?:[ \t\r\n\f\v]++|" + COMMENT + rb")*+")
HEADER = pattern(
    rb"(?:(?P<results>" + _RESULTS + rb")" + GAP + rb")?"
    rb"(?:(?P<generic>" + STRING + rb")" + GAP + rb"(?=\()|(?P<custom>[A-Za-z_][\w$.]*+))"
)
"""The start of an op: its results and its name."""
RESULT = pattern(
    rb"(?P<name>" + VALUE + rb")" + GAP + rb"(?::" + GAP + rb"(?P<count>\d++)" + GAP + rb")?[,=]" + GAP
)
"""One name for results of an op, up to the next one or to the op's own name."""
VALUE_NAME = pattern(VALUE)
SYMBOL_USE = pattern(SYMBOL)
ASSIGNED_NAME = pattern(_RESULTS + GAP + rb'(?:"|[A-Za-z_][\w$]*+[.]|(?P<bare>[A-Za-z_]\w*+))')
"""``%a, %b:2 =`` and the start of a word or string after it."""
GENERIC_NAME = pattern(STRING + GAP + rb"\(")
GENERIC_OP = pattern(STRING + GAP + rb"\(" + GAP + rb"[%)]")
"""The name of an op in generic form and the start of its operands."""
LABEL = pattern(rb"\^[\w$.-]++" + GAP + rb"(?:(\()|:(?!" + GAP + rb"\())")
"""A block label or its start; ``unwind ^bb1 : (i32) -> i32`` ends with a successor."""
IDENTIFIER = pattern(rb"[A-Za-z_][\w$.]*+")
_AFTER_SIGN = rb"[\w$](?:-(?!>)|[\w$.]++)*+"
ALIAS_NAME = rb"[#!]" + _AFTER_SIGN
DIALECT_NAME = rb"(?:!|(?<![\w$.-])#)" + _AFTER_SIGN
"""``#name`` or ``!name`` before a ``<``. A type may follow a size, ``2x!name``; ``%a#0`` is no attribute."""
ALIAS_USE = pattern(ALIAS_NAME)
ALIAS = pattern(rb"(" + ALIAS_NAME + rb")" + GAP + rb"=(?!=)" + GAP)
ARGUMENT = pattern(VALUE + rb"(?: = |:)")
"""``%name = value`` or ``%name: type`` in a custom header. If the op opens a region, it is its argument."""
FILE_METADATA = pattern(rb"\{-#(?:" + STRING + rb'|#(?!-\})|[^"#]++|"' + OR_FAIL + rb")*+(?:#-\})?+")
"""Resources or a reproducer, up to the end mark; without one, all of the text, so that none is read twice.

A quote stands for itself where a string was wrapped.
"""
REPRODUCER = b"mlir_reproducer:"  # the name of a reproducer among the resources
SIMPLE_LOCATION = pattern(rb"\s*+(?:#[\w$.-]++|unknown|" + STRING + rb")\s*+\)")
_SHORT_STRING = rb'"[^"\\\n]{0,4096}+(?:\\.[^"\\\n]{0,4096}+){0,64}+"'
"""A string that a pattern matches. ``string_end`` finds the end of a longer one, from quote to quote."""
OUTER = pattern(
    rb"(?:<[\w ?*x.!,:#@]*+>|-(?!>)|=(?!=|>)|/(?!/)"
    rb"|[A-Za-qs-z_][\w$]*+(?![\w$.])|r(?!eturn\b)[\w$]*+(?![\w$.])|" + SYMBOL + rb"|[!#@][\w$.:-]*+"
    rb"|\d[\w.]*+|[^\"%(){}\[\]<>/=\n^A-Za-z_!#@\d-]++)*+"
    rb"(?P<token>" + _SHORT_STRING + rb"|" + COMMENT + rb"|->|[<>]=|=>|==|" + VALUE + rb"(?:#\d++)?"
    rb"|\^[\w$.-]*+|[(){}\[\]<>\n]|[A-Za-z_][\w$]*+\.[\w$.]*+|return\b|[%\"])"
)
"""The next relevant token outside brackets, where line ends, op names and block names also count."""
_INTERVAL = pattern(rb"\s\[" + VALUE + rb"(?:#\d++)?,\s*+" + VALUE + rb"(?:#\d++)?\)")
"""A half-open interval, ``[%a, %b)``. Subscripts have no blank before them."""
_NESTING = pattern(STRING + rb"|" + COMMENT + rb"|->|=>|[<>]=|[(){}\[\]<>,:]")
_DIALECT_BODY = pattern(
    STRING + rb"|" + COMMENT + rb"|" + VALUE + rb"(?:#\d++)?|(?P<name>" + DIALECT_NAME + rb")<"
)
_BODY_START = pattern(DIALECT_NAME + rb"<")
LONGEST_REST = 1000  # how many bytes of its line may follow an offset in a body, so that time stays linear
_LONGEST_BODY = 1000  # how many bytes before an offset the body may begin that it is in
_IN_DIALECT_BODY = pattern(STRING + rb"|->|[(){}\[\]<>]")
_DEPTHS = {b"(": 1, b"[": 1, b"{": 1, b"<": 1, b")": -1, b"]": -1, b"}": -1, b">": -1}
_KEY = pattern(rb"\s*+(" + STRING + rb"|[A-Za-z_][\w$.]*+)\s*+(?:=(?!=))?\s*+")
OPEN_PAREN, OPEN_BRACE, OPEN_BRACKET, OPEN_ANGLE = b"({[<"
_BACKSLASH = ord("\\")
_ESCAPE = pattern(rb'\\(?:([0-9A-Fa-f]{2})|(["\\nt]))')
_NAMED_ESCAPES = {b"n": b"\n", b"t": b"\t", b'"': b'"', b"\\": b"\\"}
_PRINTED_AS_IS = frozenset(range(0x20, 0x7F)) - frozenset(b'"\\')
_PRINTED_BARE = pattern(r"[A-Za-z_][A-Za-z0-9_$.]*")
_OPENING = {ord(")"): OPEN_PAREN, ord("]"): OPEN_BRACKET, ord("}"): OPEN_BRACE}


def all_but(excluded: bytes) -> bytes:
    """Return a pattern for any byte but some, as a class of the others. Twice as fast as ``[^...]``."""
    gaps = pairwise([-1, *sorted(excluded), 256])
    return b"[%s]" % b"".join(b"\\x%02x-\\x%02x" % (a + 1, b - 1) for a, b in gaps if b - a > 1)


INNER = pattern(
    rb"(?:<[\w ?*x.!,:#@]*+>|-(?!>)|=(?!=|>)|/(?!/)|" + all_but(b'"%(){}[]<>/=-') + rb"++)*+"
    rb"(?P<token>" + _SHORT_STRING + rb"|" + COMMENT + rb"|->|[<>]=|=>|==|" + VALUE + rb"(?:#\d++)?"
    rb"|[(){}\[\]<>]|[%\"])"
)
"""The next relevant token inside brackets. The same match skips all text before it."""


class Brackets(list[tuple[int, int]]):
    """The open brackets at a place: the byte of each, and its offset.

    ``()``, ``[]`` and ``{}`` must balance, except in an interval, ``[%a, %b)``. ``<`` and ``>`` are brackets
    if they balance and operators if they do not, since custom assembly may compare.
    """

    __slots__ = ("_source",)

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source

    def feed(self, token: bytes, offset: int) -> None:
        """Open or close a bracket. Ignore other tokens. Raise InputError if no bracket is open to close."""
        if len(token) != 1:
            return
        byte = token[0]
        if byte in b"([{":
            self.append((byte, offset))
        elif byte == OPEN_ANGLE:
            before, after = self._source.data[offset - 1 : offset], self._source.data[offset + 1 : offset + 2]
            if not (before.isspace() and after.isspace()):
                self.append((byte, offset))
        elif token == b">":
            if self and self[-1][0] == OPEN_ANGLE:
                self.pop()
        elif byte in _OPENING:
            self._close(byte, offset)

    def _close(self, closing: int, offset: int) -> None:
        while self and self[-1][0] == OPEN_ANGLE:
            self.pop()
        if not self:
            raise self._source.error(offset, f"unbalanced '{chr(closing)}': nothing is open here")
        opening, opened_at = self.pop()
        if opening == _OPENING[closing]:
            return
        if not _INTERVAL.match(self._source.data, opened_at - 1, offset + 1):
            where = self._source.position_at(opened_at)
            raise self._source.error(
                offset, f"expected the bracket that closes '{chr(opening)}' at {where.line}:{where.column}"
            )

    def check_closed(self) -> None:
        """Raise InputError at the innermost open bracket, since the dump ends here."""
        certain = [bracket for bracket in self if bracket[0] != OPEN_ANGLE] or self
        if certain:
            opening, offset = certain[-1]
            raise self._source.error(offset, f"'{chr(opening)}' is never closed: is the dump cut off?")


def nesting(text: Text, start: int = 0, end: int = sys.maxsize) -> Iterator[tuple[re.Match[bytes], int]]:
    """Yield the brackets and separators of an op's text from ``start`` on, each with the depth after it.

    The depth is 0 at ``start``. Strings and comments are skipped. ``->`` and ``<=`` are not brackets. The
    text must have been read: its brackets balance, and nothing is checked.
    """
    depth = 0
    for token in matches(_NESTING, text, start, end):
        depth += _DEPTHS.get(token[0], 0)
        yield token, depth


def matches(pattern: re.Pattern[bytes], text: Text, start: int, end: int) -> Iterator[re.Match[bytes]]:
    """Yield the matches of a pattern that matches comments, without ``//`` where it begins none."""
    offset = start
    while offset >= 0:
        found, offset = pattern.finditer(text, offset, end), -1
        for match in found:
            if match[0].startswith(b"//") and in_dialect_body(text, match.start(), start):
                offset = match.start() + 2
                break
            yield match


def without_strings(text: bytes) -> bytes:
    """Return a text with ``""`` for each string and comment: words in it mean nothing."""
    return _STRING_OR_COMMENT.sub(b'""', _without_slashes(text))


def attribute_words(text: bytes) -> bytes:
    """Return a text without strings and comments, but with the names of attributes that are in quotes."""
    return _STRING_BUT_NAME.sub(rb" \g<name> ", _without_slashes(text))


def _without_slashes(text: bytes) -> bytes:
    """Return a text with blanks for ``//`` in dialect attributes and types, where it begins no comment."""
    if b"//" not in text:
        return text
    return b"".join(before + body.replace(b"//", b"  ") for before, body in dialect_bodies(text))


def match_end(pattern: re.Pattern[bytes], text: Text, start: int, end: int = sys.maxsize) -> int:
    """Return the end of a pattern's match at ``start``, or ``start`` without a match."""
    match = pattern.match(text, start, end)
    return match.end() if match else start


def closing_end(text: Text, opening: int, end: int = sys.maxsize) -> int:
    """Return the end of the bracket that closes the one at ``opening``, or the end of the text."""
    closing = (token.end() for token, depth in nesting(text, opening, end) if depth == 0)
    return next(closing, min(len(text), end))


def dialect_body_end(text: Text, opening: int, end: int = sys.maxsize) -> int:
    """Return the end of the body of a dialect attribute or type whose ``<`` is at ``opening``.

    As in MLIR's own parser, only strings and ``->`` are skipped. An unclosed body ends with the text.
    """
    depth = 0
    for token in _IN_DIALECT_BODY.finditer(text, opening, end):
        depth += _DEPTHS.get(token[0], 0)
        if depth == 0:
            return token.end()
    return min(len(text), end)


def in_dialect_body(text: Text, offset: int, start: int = 0) -> bool:
    """Whether an offset, that of no bracket, is in the body of a dialect attribute or type on its line.

    It is in none if much of its line follows. What matches a comment has read that, each time.
    """
    rest = offset + LONGEST_REST + 1
    if len(text) >= rest and text.find(b"\n", offset, rest) < 0:
        return False
    earliest = max(start, offset - _LONGEST_BODY)
    line = max(earliest, text.rfind(b"\n", earliest, offset) + 1)
    bodies = _BODY_START.finditer(text, line, offset)
    return any(dialect_body_end(text, body.end() - 1, offset + 1) > offset for body in bodies)


def dialect_bodies(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Split a text at its dialect attributes and types with a body, ``#name<...>`` and ``!name<...>``.

    Yield the text before each, and the attribute or type itself. In the last pair that is empty. No name in a
    body is that of a value or block.
    """
    done = offset = 0
    while match := _DIALECT_BODY.search(text, offset):
        offset = match.end()
        if match["name"] is not None:
            offset = dialect_body_end(text, match.end() - 1)
            yield text[done : match.start()], text[match.start() : offset]
            done = offset
    yield text[done:], b""


def list_parts(text: bytes, start: int = 0) -> Iterator[bytes]:
    """Yield the parts between commas from ``start`` to the closing bracket or the end of the text.

    Empty parts are left out. The text is read as far as they are needed.
    """
    for token, depth in nesting(text, start):
        if depth < 0 or (depth == 0 and token[0] == b","):
            if part := text[start : token.start()].strip():
                yield part
            start = token.end()
        if depth < 0:
            return
    if part := text[start:].strip():
        yield part


def after_arrow(types: str) -> str:
    """Return the types after the last ``->`` outside of all brackets, or the whole text without one.

    >>> after_arrow("(i32) -> tensor<4xf32, affine_map<(d0) -> (d0)>>")
    'tensor<4xf32, affine_map<(d0) -> (d0)>>'
    """
    text, start = types.encode(), 0
    for token, depth in nesting(text):
        if token[0] == b"->" and not depth:
            start = token.end()
    return text[start:].strip().decode()


def outermost_brackets(text: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the outermost brackets as (start, end, opening), up to the first ``:`` outside of them.

    The last item is that colon. A bracket that closes nothing is skipped: regions may have been cut out.
    """
    depth = start = 0
    for token, _ in nesting(text):
        step = _DEPTHS.get(token[0], 0)
        if step > 0 and not depth:
            start = token.start()
        depth = max(depth + step, 0)
        if step < 0 and not depth and start >= 0:
            yield start, token.end(), text[start : start + 1]
            start = -1
        elif token[0] == b":" and not depth:
            yield token.start(), token.end(), b":"
            return


def generic_attributes(text: bytes) -> list[tuple[bytes, bytes]]:
    """Return (name, value) of an op's properties and attributes in generic form. A unit has no value."""
    entries: list[tuple[bytes, bytes]] = []
    for number, (start, end, opening) in enumerate(outermost_brackets(text)):
        if opening == b"<":
            entries += sorted(dictionary_entries(text[start + 2 : end - 2]))
        elif opening == b"{" and number:
            entries += sorted(dictionary_entries(text[start + 1 : end - 1]))
    return entries


def dictionary_entries(dictionary: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield (name, value) of the entries of a dictionary, given without its braces. A unit has no value."""
    for part in list_parts(dictionary):
        if key := _KEY.match(part):
            yield key[1].strip(b'"'), part[key.end() :].strip()


def string_end(data: Text, quote: int, end: int) -> int | None:
    """Return where the string that begins at ``quote`` ends, after its closing quote. None if it is open."""
    stop, closing = line_end(data, quote, end), quote
    while (closing := data.find(b'"', closing + 1, stop)) >= 0:
        before = closing
        while data[before - 1] == _BACKSLASH:
            before -= 1
        if (closing - before) % 2 == 0:
            return closing + 1
    return None


def comment_start(data: Text, start: int, end: int) -> int | None:
    """Return where the comment begins that ends ``data[start:end]``, a part of one line, or None.

    Strings are skipped. Other comments may follow it.
    """
    if b"//" not in data[start:end]:
        return None
    line = start
    while token := INNER.match(data, start, end):
        start, offset = token.end(), token.start("token")
        if token["token"].startswith(b"//"):
            if in_dialect_body(data, offset, line):
                start = offset + 2
            elif match_end(TRIVIA, data, offset, end) == end:
                return offset
        if token["token"] == b'"':
            start = string_end(data, start - 1, end) or end
    return None


def unescaped(text: bytes) -> str:
    r"""Return what a string literal means, given without its quotes.

    ``\22`` is a byte in hex; ``\n``, ``\t``, ``\"`` and ``\\`` are as in C.
    """
    if b"\\" in text:
        text = _ESCAPE.sub(lambda m: bytes([int(m[1], 16)]) if m[1] else _NAMED_ESCAPES[m[2]], text)
    return text.decode("utf-8", "surrogateescape")


def quoted(text: str) -> bytes:
    r"""Return a string literal as MLIR prints it, with hex escapes for all but printable ASCII.

    >>> quoted('a"b')
    b'"a\\22b"'
    """
    raw = text.encode("utf-8", "surrogateescape")
    return b'"%s"' % b"".join(b"%c" % byte if byte in _PRINTED_AS_IS else b"\\%02X" % byte for byte in raw)


def symbol_of(literal: bytes) -> str:
    r"""Return a symbol as MLIR prints it, in quotes only if it must be: one text for each symbol.

    ``literal`` is the symbol as it is written, or the string of its ``sym_name``, or its bare name.

    >>> symbol_of(b'@main'), symbol_of(b'"main"'), symbol_of(b'@"ma\\69n"'), symbol_of(b'"a b"')
    ('@main', '@main', '@main', '@"a b"')
    """
    text = literal.removeprefix(b"@")
    is_string = len(text) > 1 and text[:1] == text[-1:] == b'"'
    name = unescaped(text[1:-1]) if is_string else text.decode("utf-8", "surrogateescape")
    return "@" + (name if _PRINTED_BARE.fullmatch(name) else quoted(name).decode())


_Node = TypeVar("_Node")
_GOES_ON = rb"(?:(?<=[<(\[{,])|(?<=[<(\[{,]\r))"  # matches after the last character of an incomplete line
_LINE = pattern(rb"(?m)^(%b) = ([^\n]*+)(?:\n|\Z)" % ALIAS_NAME)
_ALL_BUT_LAST = pattern(
    rb"(?:%b = [^\n]*+(?!%b)\n(?=%b = )%b)*+" % (ALIAS_NAME, _GOES_ON, ALIAS_NAME, OR_FAIL)
)
"""The lines that are one whole definition each, as long as another definition follows."""
_TABLE = pattern(
    rb"(?m)^(?:%b = [^\n]*+(?!%b)(?:\n|\Z)%b)++(?P<other>(?!module\b|func\.func\b|\"|[ \t\r]*+(?:\n|\Z)))?"
    rb"|^(?P<first>%b = )" % (ALIAS_NAME, _GOES_ON, OR_FAIL, ALIAS_NAME)
)
"""Consecutive definitions. A group matches if one of them may span several lines."""
_STATEMENT = pattern(
    rb"(?m)[ \t]*+(?:%b\s*+=|\{-#|%b\s*+\(|%%[\w$.-]++(?::\d++)?\s*+[=,]"
    rb"|(?:module|[A-Za-z_]\w*+\.[\w.$]++) [^\n]*?(?:@|\bloc\(|[{(\[][ \t\r]*$))" % (ALIAS_NAME, STRING)
)
"""The start of a statement: another definition, metadata, or an op."""
GOES_ON_BELOW = pattern(GAP + rb"(?:[(<:,]|->)")
"""At a line end outside brackets: what begins no statement and goes on with the definition."""
_ALIAS_USE = pattern(STRING + rb"|(?P<alias>" + ALIAS_NAME + rb"(?!<))")
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
        elif text.startswith(b"//"):
            if brackets and in_dialect_body(data, start, span.start):
                offset = start + 2
        elif text != b"\n":
            try:
                brackets.feed(text, start)
            except InputError:
                if first_line_end is None:
                    raise
                return first_line_end
        elif not brackets:
            if GOES_ON_BELOW.match(data, start, span.end) is None:
                return start
        elif all(opening == OPEN_ANGLE for opening, _ in brackets):
            first_line_end = start if first_line_end is None else first_line_end
            if _STATEMENT.match(data, offset, span.end):
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
        lines = _ALL_BUT_LAST.match(source.data, offset, span.end)
        offset = lines.end() if lines else offset
    return offset


def without_definitions(text: bytes) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Return the (alias, value) pairs that a text defines at line starts, and the text without them."""
    definitions: list[tuple[bytes, bytes]] = []
    rest, offset = [], 0
    for table in _TABLE.finditer(text):
        if table.lastgroup is not None:
            return _without_definitions_of_several_lines(text)
        definitions += _LINE.findall(text, table.start(), table.end())
        rest.append(text[offset : table.start()])
        offset = table.end()
    return definitions, b"".join([*rest, text[offset:]])


def _without_definitions_of_several_lines(text: bytes) -> tuple[list[tuple[bytes, bytes]], bytes]:
    source, offset = Source("", text), 0
    definitions, rest = [], []
    while line := _LINE.search(text, offset):
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
