"""Read printed MLIR into an ``IR``: any dialect, generic or custom assembly, registered anywhere or not.

No dialect is built in. Custom assembly is free text, so its structure comes from what all of it shares:
brackets balance, strings are quoted, and values begin with ``%``. An op begins with ``%results =`` or its
name. It ends with its ``loc(...)``, or at a line end where nothing continues it (boundaries.py).

Grammar (MLIR Language Reference, the parts that carry structure)::

    dump       ::= (attribute-alias | type-alias | operation | file-metadata)*
    operation  ::= (results `=`)? op-name body location?
    results    ::= value-id (`:` integer)? (`,` value-id (`:` integer)?)*
    op-name    ::= string-literal | bare-id
    body       ::= (text | value-use | `{` region `}` | bracketed text)*
    region     ::= operation* (block-label operation*)*
    location   ::= `loc` `(` ... `)`

There is no recursion, so only memory limits nesting. Every byte is visited a bounded number of times.
"""

from __future__ import annotations

import gc
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, partial

from eio_audit.mlir.input.markers import EXCERPT
from eio_audit.mlir.input.media import disguise, foreign_text
from eio_audit.mlir.ir import IR, NO_OFFSET, Fault
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.reading.boundaries import BARE_OPS, Boundaries
from eio_audit.mlir.reading.builder import Builder, Mentions, OpenOp, split_use
from eio_audit.mlir.reading.plain_lines import PlainLines
from eio_audit.mlir.source import InputError, Source, Span, Text, decoded, line_end, without_constants
from eio_audit.mlir.tokens import (
    ALIAS,
    ARGUMENT,
    COMMENT,
    DIALECT_NAME,
    FILE_METADATA,
    GAP,
    HEADER,
    INNER,
    LABEL,
    LONGEST_REST,
    OPEN_ANGLE,
    OPEN_BRACE,
    OPEN_PAREN,
    OR_FAIL,
    OUTER,
    SIMPLE_LOCATION,
    STRING,
    TRIVIA,
    VALUE,
    VALUE_NAME,
    Brackets,
    comment_start,
    definition_end,
    dialect_body_end,
    match_end,
    string_end,
)
from eio_audit.mlir.traits import OpTable, listed_dialects

_PERCENT, _SLASH = b"%/"
_BLANK = b" \t\r\n"
_CUSTOM_REST = pattern(
    rb"(?m)[ \t]+%[\w$.-]|(?=[ \t(<{\[@])[^\n]*?(?:@|\bloc\(|\{[A-Za-z_][\w$.]*+ = [^\n]*\}[ \t\r]*$"
    rb"|(?:[{(\[]|[}\]\"\d][ \t\r]*(?://[^\n]*)?\n\s*+(?://[^\n]*+\s*+)*+(?:[a-z_]++ )?\{)[ \t\r]*$)"
)
"""What follows the name of an unlisted top-level op: an operand, symbol, location, dictionary or bracket.

The dictionary or open bracket ends the line. Or a dictionary, list, string or number does, and the region
begins on the next line but comments, as ``{`` or ``init {``.
"""
_DEFINITIONS = rb"(?:\s|" + COMMENT + rb"|[#!][\w$.-]++ = [^\n]*+" + OR_FAIL + rb")*+"
_ONLY_OP = pattern(
    _DEFINITIONS + rb"[A-Za-z_][\w$]*+\.[\w$.]*+(?<!\.)"
    rb"(?:[ \t]*+[{<\[(][^\n]*+| (?:->|:|attributes) [^\n]*+| [#!@\"\d][^\n]*+|[ \t]*+(?=[\n\r/]|\Z))"
    + _DEFINITIONS
    + rb"\Z"
)
"""A text of one unlisted op that has little more than a name, on one line. Among others it is no op."""
_DECLARATION = pattern(rb"[A-Za-z_][\w$.]*+(?:" + GAP + rb"(?<!\w)\w++" + OR_FAIL + rb")*+" + GAP + rb"@")
_PARAMETER = pattern(VALUE + GAP + rb"(?:" + STRING + GAP + rb")?:")
"""``%name: type`` or ``%name "port": type`` in an op with a symbol and no region: a parameter, not a use."""
_LOCATION_LINE = pattern(rb"(?m)loc\([^\n]*\)[ \t\r]*+(?://[^\n]*+)?+$")
"""A line that is only a location. A line of a diagnostic, ``loc(...): error: ...``, is not one."""
_COLOURED = pattern(rb"\x1b[^\n]*+")
_LEFT_OUT = (b"{...}", b"<<")  # what is in the texts that follow
_STAND_IN = pattern(
    STRING + rb"|" + COMMENT + rb"|(?P<region>\{\.\.\.\})"
    rb"|(?P<nothing><<(?:UNKNOWN SSA VALUE|NULL VALUE|NULL TYPE|NULL ATTRIBUTE|INVALID[A-Z ]*)>>)"
)
"""What is printed instead of a region or what invalid IR lacks, or what may hold the same text."""
_COLOUR = pattern(rb"\x1b\[[0-9;]*+[A-Za-z]")
_IR_LINE = pattern(
    rb"[ \t]*+(?:%[\w$.-]++[^=\n]*+= |\"[\w$.-]++\"\("
    rb"|(?:(?:builtin\.)?module|func\.func|return)\b|\})"
)
_DIALECT_NAME = pattern(DIALECT_NAME + rb"\Z")
_LONGEST_NAME = 200
_LINE_END = pattern(rb"[ \t\r]*+\n")
_BEFORE_LOC = frozenset({b"", b" ", b"\t", b"\n", b"\r", b")", b"}", b">"})
_END_OF_DUMP = pattern(rb"(?P<token>)")  # stands for the token that is missing at the end


def read_ir(
    source: Source,
    span: Span | None = None,
    op_table: OpTable | None = None,
    *,
    mentions: Mentions | None = None,
    may_be_invalid: bool = False,
) -> IR:
    """Read the dump in ``span`` of the source, or the whole source without ``span``.

    ``op_table`` says which ops are isolated or hold graph regions. The default is the shipped table. Lines
    outside operations that cannot be MLIR, such as a compiler's log, are ignored. ``mentions`` is filled in.

    A dump that ``may_be_invalid`` is that of a pass that failed, read to show it, never to write it again.
    What is wrong with its values is in ``IR.faults``. Its regions with a use before the definition count as
    graph regions.

    Raises:
        InputError: brackets do not balance, a string or the dump is cut off, or a value is undefined, defined
            twice, or used before its definition outside a graph region. Or a region is not printed.
    """
    span = span or Span(0, len(source.data))
    _refuse_colours(source, span)
    if foreign := foreign_text(source, span):
        raise foreign
    reader = Reader(source, span, op_table or OpTable(), mentions=mentions, may_be_invalid=may_be_invalid)
    was_enabled = gc.isenabled()
    gc.disable()  # reading makes many objects and no cycles
    try:
        ir = reader.read()
    except InputError as error:  # the medium, or what is left out, may be the cause
        if named := disguise(source, span, has_ops=True):
            raise named from error
        _refuse_stand_ins(source, span, list(_stand_ins(source.data, span)), may_be_invalid=may_be_invalid)
        raise
    finally:
        if was_enabled:
            gc.enable()
    _refuse_stand_ins(source, span, reader.stand_ins, may_be_invalid=may_be_invalid)
    for match in reader.stand_ins:
        op = bisect_right(ir.op_start, match.start()) - 1
        what = f"{ir.name(op)} (line {source.line_at(ir.op_start[op])})" if op >= 0 else "the dump"
        ir.faults.append(Fault(op, "undefined value", f"{what} has {match[0].decode()}"))
    ir.faults.sort(key=lambda fault: fault.op)
    return ir


def _refuse_colours(source: Source, span: Span) -> None:
    """Raise an error if a line of IR has colours, or what else a terminal obeys, in the middle."""
    escape = source.data.find(b"\x1b", span.start, span.end)  # a byte is found faster than two
    if escape < 0 or source.data.find(b"\x1b[", escape, span.end) < 0:
        return
    for coloured in _COLOURED.finditer(source.data, span.start, span.end):
        line_start = max(source.data.rfind(b"\n", span.start, coloured.start()) + 1, span.start)
        line = source.data[line_start : coloured.end()]
        if _IR_LINE.match(_COLOUR.sub(b"", line)):
            raise source.error(coloured.start(), "colours in a line of IR: print it without them")


def _stand_ins(data: Text, span: Span) -> Iterator[re.Match[bytes]]:
    """Yield what stands for what invalid IR lacks, or for a region that is not printed."""
    if any(data.find(text, *part) >= 0 for part in without_constants(data, span) for text in _LEFT_OUT):
        for match in _STAND_IN.finditer(data, *span):
            if match["region"] or match["nothing"]:
                yield match


def _refuse_stand_ins(
    source: Source, span: Span, found: list[re.Match[bytes]], *, may_be_invalid: bool
) -> None:
    """Raise an error for a region that is not printed, or for what is missing in IR that must be valid."""
    if region := next((match for match in found if match["region"]), None):
        message = "the regions are not printed: print the dump without --mlir-print-ir-skip-regions"
        raise disguise(source, span, has_ops=True) or source.error(region.start(), message)
    if found and not may_be_invalid:
        raise source.error(found[0].start(), f"the IR is invalid: {found[0][0].decode()}")


def _read_exactly(op_table: OpTable, text: bytes) -> IR | None:
    reader = Reader(Source("", text), Span(0, len(text)), op_table, exact=True)
    try:
        ir = reader.read()
    except InputError:
        return None
    return None if reader.stand_ins else ir


class Reader:
    """Reads one dump. ``exact`` turns the fast path, plain_lines.py, off. ``mentions`` is filled in."""

    def __init__(
        self,
        source: Source,
        span: Span,
        op_table: OpTable,
        *,
        exact: bool = False,
        mentions: Mentions | None = None,
        may_be_invalid: bool = False,
    ) -> None:
        self.source = source
        self.data = source.data
        self.start = span.start
        self.end = span.end
        self.ir = IR(source, span, op_table)
        self.builder = Builder(self.ir, span.end, mentions, may_be_invalid=may_be_invalid)
        self.traits = self.builder.traits
        self.scopes = self.builder.scopes
        self.text = Boundaries(source, span, self.traits)
        self.exact = exact
        # What stands for what is not printed. Only the lines that the fast path did not read may hold it.
        self.stand_ins: list[re.Match[bytes]] = []
        self._searched_to = span.start
        self.ops = self.builder.ops
        self.regions = self.builder.regions
        self._body_ends: dict[int, int] = {}
        self._last_body = Span(0, 0)  # the one found last

    @cached_property
    def plain(self) -> PlainLines:
        """The fast path."""
        read_exactly = partial(_read_exactly, self.ir.op_table)  # a method of this reader would be a cycle
        return PlainLines(self.builder, self.text, self.end, read_exactly)

    def read(self) -> IR:
        """Read the dump to its end; see ``read_ir``."""
        offset = self.start
        if self.data[offset : offset + 3] == b"\xef\xbb\xbf":
            offset += 3
        while offset < self.end:
            self.source.reached(offset)
            if self.ops and not self.exact:
                offset = self._plain_lines(offset)
            offset = self.text.skip_trivia(offset)
            if offset < self.end:
                offset = self._statement(offset)
        if self.ops:
            raise self._cut_off()
        self.builder.close_region(self.end)
        self._skip_plain(self.end, self.end)
        self.scopes.remove_undefined_operands()
        return self.ir

    def _plain_lines(self, offset: int) -> int:
        """Read the plain lines from the next line start, if only blanks precede it."""
        line = _LINE_END.match(self.data, offset, self.end)
        start = line.end() if line else offset
        if line is None and self.data[offset - 1 : offset] != b"\n":
            return offset
        end = self.plain.read(start)
        if end == start:
            return offset
        self._skip_plain(start, end)
        return end

    def _skip_plain(self, start: int, end: int) -> None:
        """Search what is above plain lines for stand-ins."""
        self.stand_ins += _stand_ins(self.data, Span(self._searched_to, start))
        self._searched_to = end

    def _cut_off(self) -> InputError:
        opened = self.source.position_at(self.ir.region_start[self.regions[-1]])
        end = self.start + len(self.data[self.start : self.end].rstrip())
        return self.source.error(
            end,
            f"the dump ends inside a region: expected '}}' to match '{{' at {opened.line}:{opened.column}",
        )

    def _statement(self, offset: int) -> int:
        first = self.data[offset : offset + 1]
        if not self.ops:
            return self._top_level(offset)
        if first == b"}":
            self.builder.close_region(offset)
            return self._body(self.ops[-1], offset + 1)
        if first == b"^":
            return self._label(offset)
        header = HEADER.match(self.data, offset, self.end)
        if header is None and first == b"%" and VALUE_NAME.match(self.data, offset, self.end) is None:
            raise self._bad_name(offset)
        if header is None:
            what = "an op name with '(' after it" if first == b'"' else "an operation, a block label or '}'"
            raise self.source.error(offset, f"expected {what}")
        if header["custom"] == b"loc":
            raise self._stray_location(header.start("custom"))
        return self._operation(header)

    def _top_level(self, offset: int) -> int:
        if alias := ALIAS.match(self.data, offset, self.end):
            return self._aliases(alias)
        if metadata := FILE_METADATA.match(self.data, offset, self.end):
            if not metadata[0].endswith(b"#-}"):
                raise self.source.error(offset, "'{-#' is never closed: is the dump cut off?")
            return metadata.end()
        if excerpt := EXCERPT.match(self.data, offset, self.end):
            return excerpt.end()
        header = HEADER.match(self.data, offset, self.end)
        if header and self._is_op(header):
            return self._operation(header)
        if _LOCATION_LINE.match(self.data, offset, self.end):
            raise self._stray_location(offset)
        if self.data[offset : offset + 1] in (b"}", b")", b"]"):
            raise self.source.error(offset, f"unbalanced '{chr(self.data[offset])}': nothing is open here")
        return min(line_end(self.data, offset, self.end) + 1, self.end)

    def _stray_location(self, offset: int) -> InputError:
        return self.source.error(offset, "expected an operation before this location")

    def _is_op(self, header: re.Match[bytes]) -> bool:
        if header["results"] or header["generic"]:
            return True
        name = header["custom"]
        if name in BARE_OPS or name.decode() in self.traits:
            return self.data[header.end() : header.end() + 1] != b":"
        if b"." not in name:  # MLIR before 2022 printed functions without dialect
            return name == b"func" and _DECLARATION.match(self.data, header.start(), self.end) is not None
        is_listed = name.partition(b".")[0].decode() in listed_dialects()
        # This is true at the end of the dump, too, where the slice is empty.
        if is_listed and self.data[header.end() : header.end() + 1] in b" \n":
            return True
        rest = _CUSTOM_REST.match(self.data, header.end(), self.end)
        return rest is not None or self._is_only_op

    @cached_property
    def _is_only_op(self) -> bool:
        return _ONLY_OP.match(self.data, self.start, self.end) is not None

    def _aliases(self, match: re.Match[bytes]) -> int:
        """Read this alias, and the whole table of locations that may begin with it."""
        offset = match.start()
        if self.exact or self.data[offset - 1 : offset] not in (b"", b"\n"):
            return self._alias(match)
        end = min(self.plain.read_aliases(offset), self.end)
        if end == offset:
            return self._alias(match)
        self._skip_plain(offset, end)
        return end

    def _alias(self, match: re.Match[bytes]) -> int:
        """Read ``#name = ...`` or ``!name = ...``. For a location, keep the text inside ``loc(...)``."""
        name, start = match[1], match.end()
        if name in self.ir.aliases:
            raise self.source.error(match.start(), f"redefinition of alias '{decoded(name)}'")
        end = definition_end(self.source, Span(start, self.end))
        last_line = self.data.rfind(b"\n", start, end) + 1 or start
        end = comment_start(self.data, last_line, end) or end
        end = start + len(self.data[start:end].rstrip())
        if self.data[start : start + 3] == b"loc" and self.data[end - 1 : end] == b")":
            self.ir.aliases[name] = Span(match_end(TRIVIA, self.data, start + 3) + 1, end - 1)
        else:
            self.ir.aliases[name] = Span(start, end)
        return end

    def _label(self, offset: int) -> int:
        match = LABEL.match(self.data, offset, self.end)
        if match is None:
            raise self.source.error(offset, "expected a block label, '^name:' or '^name(arguments):'")
        block = self.builder.label_block(offset)
        position = match.end()
        if not match[1]:
            return position
        for token, depth in self._tokens_inside(position - 1):
            text, start, position = token["token"], token.start("token"), token.end()
            if text[0] == _PERCENT and depth == 1:
                self.ir.argument_names.append(start)
                if self.scopes.is_argument(text, block):
                    self.scopes.mention(text, start)
                else:
                    self.scopes.define(text, self.builder.add_values(-1 - block), start)
        colon = match_end(TRIVIA, self.data, position, self.end)
        if self.data[colon : colon + 1] != b":":
            raise self.source.error(colon, "expected ':' after the block's arguments")
        return colon + 1

    def _operation(self, header: re.Match[bytes]) -> int:
        quoted = header["generic"]
        name = self.builder.intern(quoted[1:-1] if quoted else header["custom"], is_whole=bool(quoted))
        results = header["results"] or b""
        current = self.builder.begin_op(header.start(), name, results, is_generic=quoted is not None)
        return self._body(current, header.end())

    def _body(self, current: OpenOp, offset: int) -> int:
        brackets, op_start = current.brackets, self.ir.op_start[current.op]
        while True:
            outside = not brackets
            if outside and offset >= self.end:
                return self._end_op(current, offset)
            token = self._token(OUTER if outside else INNER, offset, brackets)
            text, start, offset = token["token"], token.start("token"), token.end()
            if not text:
                return self._end_op(current, self.end)
            first = text[0]
            if outside and (text == b"\n" or (first == _SLASH and self._returns_at(offset))):
                around = self.ops[-2] if len(self.ops) > 1 else None
                after = self.text.continuation(start, op_start, current, around)
                if after is None:
                    return self._end_op(current, start)
                offset = after
            elif outside and (text == b"}" or self.text.next_on_line(text, start, op_start)):
                return self._end_op(current, start)
            elif first == _PERCENT:
                if outside or not self._is_in_dialect_body(brackets, start):
                    self._value(current, text, start)
            elif first == OPEN_BRACE and self._opens_region(current, offset):
                self.builder.open_region(start, current)
                return offset
            elif first == OPEN_PAREN and self._is_location(brackets, start):
                offset = self._location(current, start)
                if not self.ops or self.ops[-1] is not current:
                    return offset
            elif first == _SLASH and self._begins_no_comment(brackets, start, offset):
                offset = start + 2
            else:
                if first == OPEN_PAREN and outside:
                    current.in_region_list = self._begins_region_list(current, offset)
                brackets.feed(text, start)

    def _token(self, pattern: re.Pattern[bytes], offset: int, brackets: Brackets) -> re.Match[bytes]:
        match = pattern.match(self.data, offset, self.end)
        while match and match["token"] == b'"':
            end = string_end(self.data, match.start("token"), self.end)
            if end is None:
                raise self.source.error(match.start("token"), "unterminated string")
            match = pattern.match(self.data, end, self.end)
        if match is None:
            brackets.check_closed()
            if len(self.regions) > 1:
                raise self._cut_off()
            match = _END_OF_DUMP.match(self.data, self.end)
            assert match
        if match["token"] == b"%" and not self._is_in_dialect_body(brackets, match.start("token")):
            raise self._bad_name(match.start("token"))
        return match

    def _bad_name(self, percent: int) -> InputError:
        return self.source.error(percent, "expected a value's name after '%': a number, or a letter first")

    def _returns_at(self, offset: int) -> bool:
        """Whether a carriage return alone is here. It ends a comment, and so its line."""
        return self.data[offset : offset + 1] == b"\r" and self.data[offset + 1 : offset + 2] != b"\n"

    def _begins_no_comment(self, brackets: Brackets, offset: int, end: int) -> bool:
        """Whether ``//`` at ``offset`` is in a dialect type or attribute; ``end`` is that of its line."""
        return end - offset <= LONGEST_REST and self._is_in_dialect_body(brackets, offset)

    def _is_in_dialect_body(self, brackets: Brackets, offset: int) -> bool:
        """Whether an offset is in ``#name<...>`` or ``!name<...>``, where ``%`` begins no value's name.

        A body that has been found counts to its end: ``%a->`` in it looks like a name and a bracket.
        """
        if self._last_body.start < offset < self._last_body.end:
            return True
        for byte, opening in brackets:
            if byte != OPEN_ANGLE:
                continue
            if opening not in self._body_ends:
                name = self.data[max(0, opening - _LONGEST_NAME) : opening]
                is_body = _DIALECT_NAME.search(name) is not None
                end = dialect_body_end(self.data, opening, self.end) if is_body else opening
                self._body_ends[opening] = end
            if offset < self._body_ends[opening]:
                self._last_body = Span(opening, self._body_ends[opening])
                return True
        return False

    def _value(self, current: OpenOp, token: bytes, offset: int) -> None:
        """Read a value in an op's text: a use, or the name of an argument of the region that follows."""
        if not current.is_generic:
            is_visible = self.scopes.is_visible(split_use(token)[0])
            may_be_argument = not is_visible or ARGUMENT.match(self.data, offset, self.end) is not None
            if may_be_argument or (current.is_isolated and not current.has_region):
                current.names.append((token, offset, is_visible))
            if not is_visible:
                return
        self.scopes.use(current.op, token, offset)

    def _is_location(self, brackets: Brackets, paren: int) -> bool:
        before = self.data[max(0, paren - 8) : paren].rstrip()
        is_loc = before.endswith(b"loc") and before[-4:-3] in _BEFORE_LOC
        return not brackets and is_loc and self.data[paren + 1 : paren + 2] != b"["

    def _location(self, current: OpenOp, paren: int) -> int:
        """Read ``(...)`` after ``loc``. It ends the op unless text follows (``%i loc("i") = 0 to 4``)."""
        match = SIMPLE_LOCATION.match(self.data, paren + 1, self.end)
        end = match.end() if match else [token.end() for token, _ in self._tokens_inside(paren)][-1]
        if self.text.op_ends_at(end):
            return self._end_op(current, end, paren + 1)
        return end

    def _tokens_inside(self, paren: int) -> Iterator[tuple[re.Match[bytes], int]]:
        """Yield the tokens up to the closing parenthesis, each with the number of open brackets before it."""
        brackets, end = Brackets(self.source), paren + 1
        brackets.append((OPEN_PAREN, paren))
        while brackets:
            token = self._token(INNER, end, brackets)
            yield token, len(brackets)
            start, end = token.start("token"), token.end()
            if token["token"][0] == _SLASH and self._begins_no_comment(brackets, start, end):
                end = start + 2
            brackets.feed(token["token"], start)

    def _end_op(self, current: OpenOp, end: int, location_start: int = NO_OFFSET) -> int:
        """End an op. Without location, its text ends before the blanks and the comment before ``end``."""
        ir, op = self.ir, current.op
        declares = bool(current.names) and _DECLARATION.match(self.data, ir.op_start[op], end) is not None
        for token, offset, is_used in current.names:
            if not is_used and not (declares and _PARAMETER.match(self.data, offset, end)):
                self.scopes.use(op, token, offset)
        self.builder.end_op(
            self._end_of_text(op, end) if location_start == NO_OFFSET else end, location_start
        )
        return end

    def _end_of_text(self, op: int, end: int) -> int:
        while self.data[end - 1] in _BLANK:
            end -= 1
        line_start = self.data.rfind(b"\n", self.ir.op_start[op], end) + 1 or self.ir.op_start[op]
        comment = comment_start(self.data, line_start, end)
        return end if comment is None else self._end_of_text(op, comment)

    def _begins_region_list(self, current: OpenOp, offset: int) -> bool:
        brace = self.text.skip_trivia(offset)
        if self.data[brace : brace + 1] != b"{":
            return False
        return current.is_generic or self._looks_like_region(current, brace + 1)

    def _opens_region(self, current: OpenOp, offset: int) -> bool:
        """Whether the ``{`` before ``offset`` opens a region, not a dictionary or other braced text."""
        brackets = current.brackets
        if len(brackets) == 1 and brackets[0][0] == OPEN_PAREN and current.in_region_list:
            return current.is_generic or self._looks_like_region(current, offset)
        return not brackets and not current.is_generic and self._looks_like_region(current, offset)

    def _looks_like_region(self, current: OpenOp, offset: int) -> bool:
        return self.text.region(offset, current.dialect, has_arguments=bool(current.names))
