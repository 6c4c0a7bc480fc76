"""Reads printed MLIR into an ``IR``: any dialect, generic or custom assembly, registered anywhere or not.

No dialect is built in. Custom assembly is free text, so structure comes from what all of it shares:
brackets balance, strings are quoted, values begin with ``%``, an op begins with ``%results =`` or its name and
ends with its ``loc(...)``, or at the end of a line where nothing can continue it. docs/reading.md lists
what is assumed.

Grammar that is read (MLIR Language Reference, the parts that carry structure)::

    dump       ::= (attribute-alias | type-alias | operation | file-metadata)*
    operation  ::= (results `=`)? op-name body location?
    results    ::= value-id (`:` integer)? (`,` value-id (`:` integer)?)*
    op-name    ::= string-literal | bare-id
    body       ::= (text | value-use | `{` region `}` | bracketed text)*
    region     ::= operation* (block-label operation*)*
    location   ::= `loc` `(` ... `)`

There is no recursion, so nesting is limited by memory alone, and every byte is visited a bounded number
of times.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.source import InputError, Source, Span
from eio_audit.mlir.traits import op_traits

_STRING = rb'"(?:[^"\\\n]|\\.)*+"'
_TRIVIA = re.compile(rb"(?:[ \t\r\n\f\v]++|//[^\n]*+)*+")
_SPACE = re.compile(rb"[ \t\r\n\f\v]*+")

_RESULTS = rb"%[\w$.-]++(?::\d++)?\s*+(?:,\s*+%[\w$.-]++(?::\d++)?\s*+)*+="
_HEADER = re.compile(
    rb"(?:(?P<results>" + _RESULTS + rb")\s*+)?"
    rb"(?:(?P<generic>" + _STRING + rb")\s*+(?=\()|(?P<custom>[A-Za-z_][\w$.]*+))"
)
_RESULT = re.compile(rb"(%[\w$.-]+)(?::(\d+))?")
_OP_BEGINS = re.compile(rb"(?:" + _RESULTS + rb'\s*+(?:"|[A-Za-z_][\w$]*+[.]|(?P<bare>[A-Za-z_]\w*+)))')
_LABEL = re.compile(rb"\^[\w$.-]++\s*+(?:(\()|:)")
_GENERIC_NAME = re.compile(_STRING + rb"\s*+\(")
_ALIAS = re.compile(rb"([#!][A-Za-z_][\w$.-]*+)\s*+=\s*+")
_METADATA = re.compile(rb'\{-#(?:[^"#]|' + _STRING + rb"|#(?!-\}))*+#-\}")
_IDENTIFIER = re.compile(rb"[A-Za-z_][\w$.]*+")
_WORD_BEFORE = re.compile(rb"[\w$.%#!@^-]+\Z")
_SIMPLE_LOCATION = re.compile(rb"\s*+(?:#[\w$.-]++|unknown|" + _STRING + rb")\s*+\)")

# Text inside brackets: everything but strings, comments, values and brackets is skipped in one match.
_INNER = re.compile(
    rb'(?:[^"%(){}\[\]<>/=-]++|<[\w ?*x.!,:#@]*+>|-(?!>)|=(?!=|>)|/(?!/))*+'
    rb"(?P<token>" + _STRING + rb"|//[^\n]*+|->|[<>]=|=>|==|%[\w$.-]++(?:#\d++)?|[(){}\[\]<>]|[%\"])"
)
# Text of an op outside all brackets: line ends, op names and block names count as well.
_OUTER = re.compile(
    rb"(?:[^\"%(){}\[\]<>/=\n^A-Za-z_!#@\d-]++|<[\w ?*x.!,:#@]*+>|-(?!>)|=(?!=|>)|/(?!/)"
    rb"|[A-Za-z_][\w$]*+(?![\w$.])|[!#@][\w$.:-]*+|\d[\w.]*+)*+"
    rb"(?P<token>" + _STRING + rb"|//[^\n]*+|->|[<>]=|=>|==|%[\w$.-]++(?:#\d++)?"
    rb"|\^[\w$.-]*+|[(){}\[\]<>\n]|[A-Za-z_][\w$]*+\.[\w$.]*+|[%\"])"
)

_CLOSES = {ord(")"): ord("("), ord("]"): ord("["), ord("}"): ord("{"), ord(">"): ord("<")}
_OPEN_PAREN, _OPEN_BRACE, _OPEN_BRACKET, _OPEN_ANGLE = b"({[<"
_BUILTIN_TYPE = re.compile(rb"(?:[su]?i\d+|b?f\d\w*|tf32|index|none)\Z")
_BARE_OPS = frozenset({b"return", b"call", b"call_indirect", b"module", b"unrealized_conversion_cast"})
"""Ops of the dialects that MLIR prints without their prefix in every function or module."""

_GRAPH, _SSA = 1, 0


class _OpenOp:
    """An op whose end has not been reached."""

    __slots__ = (
        "brackets",
        "defs",
        "has_region",
        "header_names",
        "in_region_list",
        "is_generic",
        "is_isolated",
        "is_listed",
        "op",
        "undo",
        "unknown",
    )

    def __init__(self, op: int, is_generic: bool, is_listed: bool, is_isolated: bool) -> None:
        self.op = op
        self.is_generic = is_generic
        self.is_listed = is_listed
        self.is_isolated = is_isolated
        self.has_region = False
        self.in_region_list = False
        self.brackets: list[tuple[int, int]] = []  # (opening byte, offset)
        self.header_names: dict[bytes, None] = {}  # of an isolated op: candidates for region arguments
        self.unknown: list[tuple[bytes, int, int]] = []  # (name, result number, offset): not yet visible
        self.undo: list[tuple[bytes, int | None]] = []


class _OpenRegion:
    """A region whose closing brace has not been reached."""

    __slots__ = ("block", "may_shadow", "outer_defs", "region", "undo", "unresolved")

    def __init__(self, region: int, may_shadow: bool, outer_defs: dict[bytes, int] | None) -> None:
        self.region = region
        self.block = -1
        self.may_shadow = may_shadow
        self.outer_defs = outer_defs  # set when the region is isolated from above
        self.undo: list[tuple[bytes, int | None]] = []
        self.unresolved: dict[bytes, list[_Use]] = {}


class _Use:
    """A use of a value that was not visible where it stands; ``slot`` is its place in ``operands``."""

    __slots__ = ("number", "offset", "op", "slot")

    def __init__(self, op: int, slot: int, number: int, offset: int) -> None:
        self.op = op
        self.slot = slot  # negative: ~slot indexes the op's late operands
        self.number = number
        self.offset = offset


def read_ir(source: Source, span: Span | None = None) -> IR:
    """Reads the one dump that ``span`` of the source holds (the whole source without it).

    Returns:
        Its structure. Text outside operations that cannot be MLIR (a compiler's log lines) is ignored.

    Raises:
        InputError: brackets do not balance, a string or the dump is cut off, a value is used but never
            defined, defined twice, or used before its definition outside a graph region.
    """
    return _Reader(source, span or Span(0, len(source.data))).read()


class _Reader:
    def __init__(self, source: Source, span: Span) -> None:
        self.source = source
        self.data = source.data
        self.end = span.end
        self.start = span.start
        self.ir = IR(source, span)
        self.name_ids: dict[bytes, int] = {}
        self.defs: dict[bytes, int] = {}
        self.ops: list[_OpenOp] = []
        self.regions: list[_OpenRegion] = []
        self.traits = op_traits()
        self._open_region(NO_OFFSET, None)

    def read(self) -> IR:
        offset = self.start
        if self.data.startswith(b"\xef\xbb\xbf", offset):
            offset += 3
        if self.data.startswith(b"ML\xefR", offset):
            raise self.error(offset, "this is MLIR bytecode; print it as text first (mlir-opt file -o file.mlir)")
        while True:
            match = _TRIVIA.match(self.data, offset, self.end)
            assert match
            offset = match.end()
            if offset >= self.end:
                break
            offset = self._statement(offset)
        if self.ops:
            raise self._cut_off()
        self._close_scope(self.end)
        return self.ir

    def error(self, offset: int, message: str) -> InputError:
        return self.source.error(offset, message)

    def _cut_off(self) -> InputError:
        region = self.ir.region_start[self.regions[-1].region]
        opened = self.source.position_at(region)
        return self.error(
            len(self.data[self.start : self.end].rstrip()) + self.start,
            f"the dump ends inside a region: expected '}}' to match '{{' at {opened.line}:{opened.column}",
        )

    # ------------------------------------------------------------------ statements

    def _statement(self, offset: int) -> int:
        """Reads what begins at ``offset`` inside the current region and returns where the next begins."""
        first = self.data[offset : offset + 1]
        if first == b"}":
            return self._close_region(offset)
        if first == b"^":
            return self._label(offset)
        at_top = len(self.regions) == 1
        if at_top and first in b"#!" and (match := _ALIAS.match(self.data, offset, self.end)):
            return self._alias(match)
        if at_top and first == b"{" and (match := _METADATA.match(self.data, offset, self.end)):
            return match.end()
        match = _HEADER.match(self.data, offset, self.end)
        if at_top and (match is None or not self._is_top_level_op(match)):
            return self._skip_line(offset)
        if match is None:
            self._check_string(offset)
            raise self.error(offset, "expected an operation, a block label or '}'")
        return self._operation(match)

    def _is_top_level_op(self, header: re.Match[bytes]) -> bool:
        """Whether a header outside all ops begins an op rather than a line of a compiler's log."""
        if header["results"] or header["generic"]:
            return True
        name, after = header["custom"], self.data[header.end() : header.end() + 1]
        return (name in _BARE_OPS or b"." in name) and after in (b"", b" ", b"(", b"<", b"{", b"[", b"\n", b"\r", b"\t")

    def _skip_line(self, offset: int) -> int:
        if self.data[offset : offset + 1] in (b")", b"]"):
            raise self.error(offset, "unbalanced bracket: nothing is open here")
        line_end = self.data.find(b"\n", offset, self.end)
        return self.end if line_end < 0 else line_end + 1

    def _check_string(self, offset: int) -> None:
        if self.data[offset : offset + 1] == b'"':
            raise self.error(offset, "unterminated string, or an op name without '(' after it")

    def _alias(self, match: re.Match[bytes]) -> int:
        """Reads ``#name = ...`` or ``!name = ...``; of locations the text inside ``loc(...)`` is kept."""
        name, offset = match[1], match.end()
        if name in self.ir.aliases:
            raise self.error(match.start(), f"redefinition of alias '{name.decode('utf-8', 'replace')}'")
        brackets: list[tuple[int, int]] = []
        position = offset
        while token := _OUTER.match(self.data, position, self.end):
            text, position = token["token"], token.end()
            if text == b"\n" and not [b for b in brackets if b[0] != _OPEN_ANGLE]:
                break
            self._bracket(brackets, text, token.start("token"))
        else:
            position = self.end
            if brackets:
                raise self.error(brackets[-1][1], "unbalanced bracket: never closed")
        value = self.data[offset:position].rstrip()
        if value.startswith(b"loc") and value.endswith(b")") and name[:1] == b"#":
            inside = offset + value.index(b"(") + 1
            self.ir.aliases[name] = Span(inside, offset + len(value) - 1)
        else:
            self.ir.aliases[name] = Span(offset, offset + len(value))
        return position

    def _label(self, offset: int) -> int:
        """Reads ``^name`` with its arguments and the colon and begins the block."""
        match = _LABEL.match(self.data, offset, self.end)
        if match is None or len(self.regions) == 1:
            raise self.error(offset, "expected a block label '^name:' or '^name(arguments):' inside a region")
        block = self._begin_block(offset)
        position = match.end()
        if match[1]:
            brackets = [(_OPEN_PAREN, position - 1)]
            while brackets:
                token = self._token(_INNER, position, brackets)
                text, position = token["token"], token.end()
                if text[:1] == b"%" and len(brackets) == 1:
                    self._define(text, 1, -1 - block, token.start("token"))
                self._bracket(brackets, text, token.start("token"))
            colon = _SPACE.match(self.data, position, self.end)
            assert colon
            if self.data[colon.end() : colon.end() + 1] != b":":
                raise self.error(colon.end(), "expected ':' after the block's arguments")
            position = colon.end() + 1
        return position

    # ------------------------------------------------------------------ operations

    def _operation(self, header: re.Match[bytes]) -> int:
        ir, op = self.ir, len(self.ir.op_start)
        region = self.regions[-1]
        if region.block < 0:
            self._begin_block(NO_OFFSET)
        quoted = header["generic"]
        name = quoted[1:-1] if quoted else header["custom"]
        ir.op_start.append(header.start())
        ir.op_end.append(header.start())
        ir.op_name.append(self._intern(name))
        ir.op_is_generic.append(quoted is not None)
        ir.op_block.append(region.block)
        ir.location_start.append(NO_OFFSET)
        ir.subtree_end.append(op + 1)
        ir.first_result.append(len(ir.value_owner))
        ir.operand_start.append(len(ir.operands))
        ir.block_ops[region.block].append(op)
        if header["results"]:
            for result in _RESULT.finditer(header["results"]):
                count = int(result[2]) if result[2] and len(result[2]) < 9 else 1
                self._define(result[1], count, op, header.start() + result.start())
        traits = self.traits.get(ir.names[ir.op_name[op]])
        flags = traits.flags if traits else frozenset[str]()
        open_op = _OpenOp(op, bool(quoted), traits is not None, "isolated" in flags)
        self.ops.append(open_op)
        return self._body(open_op, header.end())

    def _intern(self, name: bytes) -> int:
        number = self.name_ids.get(name)
        if number is None:
            number = self.name_ids[name] = len(self.ir.names)
            self.ir.names.append(self._full_name(name.decode("utf-8", "replace")))
        return number

    def _full_name(self, name: str) -> str:
        """``return`` is printed without its dialect where the op around it implies one."""
        if "." in name:
            return name
        return next((full for full in (f"func.{name}", f"builtin.{name}") if full in self.traits), name)

    def _body(self, current: _OpenOp, offset: int) -> int:
        """Reads an op from ``offset`` up to its end or to the next region it opens."""
        brackets = current.brackets
        while True:
            outside = not brackets
            if outside and offset >= self.end:
                return self._end_op(current, offset, NO_OFFSET)
            token = self._token(_OUTER if outside else _INNER, offset, brackets)
            text, start = token["token"], token.start("token")
            first = text[0]
            if first == 0x25:  # %
                if outside and self._begins_op(start) and self._is_complete(current, start):
                    return self._end_op(current, start, NO_OFFSET)
                self._use(current, text, start)
            elif first == _OPEN_BRACE and self._opens_region(current, start):
                self._open_region(start, current)
                return start + 1
            elif first == _OPEN_PAREN:
                if self._is_location(brackets, start):
                    return self._location(current, start)
                if outside or len(brackets) == 0:
                    current.in_region_list = self._begins_region_list(current, token.end())
                brackets.append((first, start))
            elif outside and text == b"\n":
                after = self._continuation(current, start)
                if after is None:
                    return self._end_op(current, start, NO_OFFSET)
                offset = after
                continue
            elif outside and text == b"}":
                return self._end_op(current, start, NO_OFFSET)
            elif outside and self._next_op_on_line(text, start) and self._is_complete(current, start):
                return self._end_op(current, start, NO_OFFSET)
            elif not self._bracket(brackets, text, start):
                return self._end_op(current, start, NO_OFFSET)
            offset = token.end()

    def _token(self, pattern: re.Pattern[bytes], offset: int, brackets: list[tuple[int, int]]) -> re.Match[bytes]:
        match = pattern.match(self.data, offset, self.end)
        if match is None:
            opened = [b for b in brackets if b[0] != _OPEN_ANGLE] or brackets
            if not opened and self.regions[-1].region == 0:
                end = re.compile(rb"").match(self.data, self.end)
                assert end
                raise self.error(self.end, "expected the end of the operation")
            if not opened:
                raise self._cut_off()
            raise self.error(opened[-1][1], f"'{chr(opened[-1][0])}' is never closed: the dump is cut off or unbalanced")
        token = match["token"]
        if token == b'"':
            raise self.error(match.start("token"), "unterminated string")
        if token == b"%":
            raise self.error(match.start("token"), "expected a value name after '%'")
        return match

    def _bracket(self, brackets: list[tuple[int, int]], token: bytes, offset: int) -> bool:
        """Pushes or pops; angle brackets are operators where they do not match. False: closes the op itself."""
        first = token[0]
        if len(token) != 1 or first not in b"(){}[]<>":
            return True
        if first in b"([{":
            brackets.append((first, offset))
        elif first == _OPEN_ANGLE:
            around = self.data[offset - 1 : offset], self.data[offset + 1 : offset + 2]
            if not (around[0].isspace() and around[1].isspace()):
                brackets.append((first, offset))
        elif token == b">":
            if brackets and brackets[-1][0] == _OPEN_ANGLE:
                brackets.pop()
        else:
            while brackets and brackets[-1][0] == _OPEN_ANGLE:
                brackets.pop()
            if not brackets:
                raise self.error(offset, f"unbalanced '{token.decode()}': nothing is open here")
            opening, opened_at = brackets.pop()
            if opening != _CLOSES[first]:
                where = self.source.position_at(opened_at)
                raise self.error(
                    offset, f"expected the bracket that closes '{chr(opening)}' at {where.line}:{where.column}"
                )
        return True

    def _end_op(self, current: _OpenOp, end: int, location_start: int) -> int:
        """Finishes an op whose text ends before ``end`` (trailing blanks are not part of it)."""
        ir, op = self.ir, current.op
        if location_start == NO_OFFSET:
            stop = end
            while self.data[stop - 1 : stop] in (b" ", b"\t", b"\r", b"\n"):
                stop -= 1
            ir.op_end[op] = self._without_comment(op, stop)
        else:
            ir.op_end[op] = end
        ir.location_start[op] = location_start
        ir.subtree_end[op] = len(ir.op_start)
        for name, number, offset in current.unknown:
            self._defer(op, name, number, offset)
        for name, value in reversed(current.undo):
            _restore(self.defs, name, value)
        self.ops.pop()
        return end

    def _without_comment(self, op: int, stop: int) -> int:
        """The end of an op without location: a comment behind it is not part of it."""
        line_start = max(self.data.rfind(b"\n", 0, stop) + 1, self.ir.op_start[op])
        if b"//" not in self.data[line_start:stop]:
            return stop
        position = line_start
        while token := _INNER.match(self.data, position, stop):
            if token["token"].startswith(b"//"):
                return line_start + len(self.data[line_start : token.start("token")].rstrip())
            position = token.end()
        return stop

    # ------------------------------------------------------------------ where an op ends

    def _is_location(self, brackets: list[tuple[int, int]], paren: int) -> bool:
        """Whether ``(`` belongs to the op's trailing ``loc(...)``."""
        if any(opening != _OPEN_ANGLE for opening, _ in brackets):
            return False
        before = self.data[max(0, paren - 8) : paren].rstrip()
        if not before.endswith(b"loc") or before[-4:-3] in b"!#@%^.$_" or before[-4:-3].isalnum():
            return before == b"loc"
        return not brackets

    def _location(self, current: _OpenOp, paren: int) -> int:
        match = _SIMPLE_LOCATION.match(self.data, paren + 1, self.end)
        if match:
            end = match.end()
        else:
            brackets, end = [(_OPEN_PAREN, paren)], paren + 1
            while brackets:
                token = self._token(_INNER, end, brackets)
                self._bracket(brackets, token["token"], token.start("token"))
                end = token.end()
        return self._end_op(current, end, paren + 1)

    def _begins_op(self, offset: int) -> bool:
        """Whether ``%a, %b:2 = op-name`` stands at ``offset``."""
        match = _OP_BEGINS.match(self.data, offset, self.end)
        return bool(match) and (match["bare"] is None or match["bare"] in _BARE_OPS)  # type: ignore[index]

    def _is_complete(self, current: _OpenOp, offset: int) -> bool:
        """Whether the op's text before ``offset`` can end there."""
        ir = self.ir
        before = self.data[ir.op_start[current.op] : offset].rstrip()
        if before.endswith((b",", b":", b"=", b"->", b"(", b"[", b"{")):
            return False
        if before.endswith((b")", b"]", b"}", b">", b'"')):
            return True
        word = _WORD_BEFORE.search(before[-200:])
        return bool(word) and (word[0][:1] in b"%#!@^0123456789-" or bool(_BUILTIN_TYPE.match(word[0])))  # type: ignore[index]

    def _next_op_on_line(self, token: bytes, offset: int) -> bool:
        """Whether a token outside brackets can begin another op, or a block, on the same line."""
        first = token[:1]
        if first == b'"':
            return _GENERIC_NAME.match(self.data, offset, self.end) is not None
        if first == b"^":
            return self._is_label(offset)
        return first.isalpha() and b"." in token

    def _is_label(self, offset: int) -> bool:
        match = _LABEL.match(self.data, offset, self.end)
        if match is None or not match[1]:
            return match is not None
        depth, position = 1, match.end()
        while depth and (token := _INNER.match(self.data, position, self.end)):
            depth += {b"(": 1, b")": -1}.get(token["token"], 0)
            position = token.end()
        rest = _SPACE.match(self.data, position, self.end)
        return rest is not None and self.data[rest.end() : rest.end() + 1] == b":"

    def _continuation(self, current: _OpenOp, line_end: int) -> int | None:
        """Where the op continues after a line end outside brackets; None where it ends."""
        match = _TRIVIA.match(self.data, line_end, self.end)
        assert match
        offset = match.end()
        if offset >= self.end:
            return None
        first = self.data[offset : offset + 1]
        if first == b"}":
            return None
        if first == b"%" and self._begins_op(offset):
            return None
        if not self._ends_openly(line_end):
            if first == b"^" and self._is_label(offset):
                return None
            if first == b'"' and _GENERIC_NAME.match(self.data, offset, self.end):
                return None
            if first in b"#!" and len(self.regions) == 1 and _ALIAS.match(self.data, offset, self.end):
                return None
            if self.data.startswith(b"{-#", offset):
                return None
            word = _IDENTIFIER.match(self.data, offset, self.end)
            if word and self._word_begins_op(word):
                return None
            at_top = len(self.regions) == 1
            if at_top and current.has_region and not (word or first in b"{:,-"):
                return None
        return offset

    def _ends_openly(self, line_end: int) -> bool:
        """Whether the line before ``line_end`` ends with something that must be continued."""
        line_start = self.data.rfind(b"\n", 0, line_end) + 1
        line = self.data[line_start:line_end]
        if b"//" in line:
            line = _strip_comment(line)
        return line.rstrip().endswith((b",", b":", b"=", b"->", b"(", b"[", b"{", b"<"))

    def _word_begins_op(self, word: re.Match[bytes]) -> bool:
        """Whether a line's first word is an op's name rather than a keyword of the op before it."""
        text = word[0]
        after = self.data[word.end() : word.end() + 1]
        if text == b"loc" and after in b"( ":
            return False
        if b"." in text or text in _BARE_OPS:
            return True
        enclosing = self._enclosing_dialect()
        return any(f"{dialect}.{text.decode()}" in self.traits for dialect in ("func", "builtin", enclosing))

    def _enclosing_dialect(self) -> str:
        return self.ir.name(self.ops[-2].op).partition(".")[0] if len(self.ops) > 1 else ""

    # ------------------------------------------------------------------ regions and blocks

    def _begins_region_list(self, current: _OpenOp, offset: int) -> bool:
        """Whether ``(`` before ``offset`` opens a generic op's list of regions."""
        match = _TRIVIA.match(self.data, offset, self.end)
        assert match
        if self.data[match.end() : match.end() + 1] != b"{":
            return False
        return current.is_generic or self._looks_like_region(current, match.end() + 1)

    def _opens_region(self, current: _OpenOp, brace: int) -> bool:
        """Whether ``{`` opens a region rather than an attribute dictionary or other braced text."""
        brackets = current.brackets
        if len(brackets) == 1 and brackets[0][0] == _OPEN_PAREN and current.in_region_list:
            return current.is_generic or self._looks_like_region(current, brace + 1)
        if brackets or current.is_generic:
            return False
        return self._looks_like_region(current, brace + 1)

    def _looks_like_region(self, current: _OpenOp, offset: int) -> bool:
        """Tells a region from an attribute dictionary by the first tokens inside the brace."""
        match = _TRIVIA.match(self.data, offset, self.end)
        assert match
        inside = match.end()
        first = self.data[inside : inside + 1]
        if first == b"^":
            return True
        if first == b"%":
            return self._begins_op(inside)
        if first == b'"':
            return _GENERIC_NAME.match(self.data, inside, self.end) is not None
        word = _IDENTIFIER.match(self.data, inside, self.end)
        if word is None:
            return False
        space = _TRIVIA.match(self.data, word.end(), self.end)
        assert space
        after = self.data[space.end() : space.end() + 1]
        if after == b"}":
            name = word[0].decode()
            dialect = self.ir.name(current.op).partition(".")[0]
            known = any(f in self.traits for f in (name, f"func.{name}", f"{dialect}.{name}"))
            return known or (b"." in word[0] and b"\n" in match[0])
        if after == b"=":
            return self.data[space.end() + 1 : space.end() + 2] == b"="
        return after not in (b",", b":", b"")

    def _open_region(self, brace: int, owner: _OpenOp | None) -> None:
        ir, region = self.ir, len(self.ir.region_op)
        ir.region_op.append(owner.op if owner else -1)
        ir.region_start.append(brace)
        ir.region_end.append(self.end)
        name = ir.name(owner.op) if owner else "builtin.module"
        traits = self.traits.get(name)
        ir.region_is_graph.append(_GRAPH if traits and "graph_region" in traits.flags else _SSA)
        isolated = owner is not None and owner.is_isolated
        outer = self.regions[-1] if self.regions else None
        may_shadow = owner is None or not owner.is_listed or (outer is not None and outer.may_shadow)
        opened = _OpenRegion(region, may_shadow, self.defs if isolated else None)
        if isolated:
            self.defs = {}
        self.regions.append(opened)
        if owner is not None:
            self._header_arguments(owner)
            owner.has_region = True

    def _header_arguments(self, owner: _OpenOp) -> None:
        """Names in a custom header that nothing defines yet are the arguments of the region it opens."""
        names = owner.header_names if owner.is_isolated else dict.fromkeys(n for n, _, _ in owner.unknown)
        owner.unknown.clear()
        if not names:
            return
        block = self._begin_block(NO_OFFSET)
        for name in names:
            value = len(self.ir.value_owner)
            self.ir.value_owner.append(-1 - block)
            if not owner.is_isolated:
                owner.undo.append((name, self.defs.get(name)))
            self.defs[name] = value

    def _begin_block(self, label: int) -> int:
        ir, region = self.ir, self.regions[-1]
        block = region.block = len(ir.block_region)
        ir.block_region.append(region.region)
        ir.block_label.append(label)
        ir.block_depth.append(len(self.regions) - 1)
        ir.block_ops.append(type(ir.op_block)("i"))
        return block

    def _close_region(self, brace: int) -> int:
        if len(self.regions) == 1:
            raise self.error(brace, "unbalanced '}': nothing is open here")
        owner = self.ops[-1]
        self._close_scope(brace)
        return self._body(owner, brace + 1)

    def _close_scope(self, end: int) -> None:
        """Resolves the uses that came before their definitions, then forgets the region's names."""
        closed = self.regions.pop()
        self.ir.region_end[closed.region] = end
        self._resolve(closed)
        if closed.outer_defs is not None:
            self.defs = closed.outer_defs
        else:
            for name, value in reversed(closed.undo):
                _restore(self.defs, name, value)
        if not closed.unresolved:
            return
        if closed.outer_defs is not None or not self.regions:
            first = min((use.offset, name) for name, uses in closed.unresolved.items() for use in uses)
            name = first[1].decode("utf-8", "replace")
            raise self.error(first[0], f"use of value '{name}', which is not defined in this scope")
        self._hand_up(closed, self.regions[-1])

    def _hand_up(self, closed: _OpenRegion, outer: _OpenRegion) -> None:
        """Merges the smaller set of unresolved uses into the larger, so that depth costs no more than size."""
        small, large = sorted((closed.unresolved, outer.unresolved), key=len)
        for name, uses in small.items():
            if name not in large:
                large[name] = uses
                continue
            fewer, more = sorted((uses, large[name]), key=len)
            more.extend(fewer)
            large[name] = more
        outer.unresolved = large

    # ------------------------------------------------------------------ values

    def _define(self, name: bytes, count: int, owner: int, offset: int) -> None:
        ir, region = self.ir, self.regions[-1]
        old = self.defs.get(name)
        if old is not None and not self._may_redefine(old):
            raise self.error(offset, f"redefinition of value '{name.decode('utf-8', 'replace')}'")
        region.undo.append((name, old))
        self.defs[name] = len(ir.value_owner)
        for _ in range(count):
            ir.value_owner.append(owner)

    def _may_redefine(self, value: int) -> bool:
        """Names repeat across isolated regions, and a region may repeat the arguments of its sibling."""
        ir, region = self.ir, self.regions[-1]
        owner = ir.value_owner[value]
        block = ir.op_block[owner] if owner >= 0 else -1 - owner
        defined_in = ir.block_region[block]
        if defined_in == region.region:
            return False
        sibling = ir.region_op[defined_in] == ir.region_op[region.region]
        return region.may_shadow or sibling

    def _use(self, current: _OpenOp, token: bytes, offset: int) -> None:
        name, _, number_text = token.partition(b"#")
        number = int(number_text) if number_text and len(number_text) < 9 else 0
        if not current.is_generic and current.is_isolated:
            current.header_names[name] = None
        value = self.defs.get(name)
        if value is None:
            self._unknown(current, name, number, offset)
            return
        owner = self.ir.value_owner[value]
        if number and not self._has_result(value, number):
            raise self.error(offset, f"use of value '{token.decode('utf-8', 'replace')}', but the op has fewer results")
        if owner >= 0 and self._is_open(owner):
            self._use_before_definition(owner, name, offset)
        self._append_operand(current.op, value + number)

    def _has_result(self, value: int, number: int) -> bool:
        owners = self.ir.value_owner
        return value + number < len(owners) and owners[value + number] == owners[value]

    def _is_open(self, op: int) -> bool:
        """Whether the op's text has not ended: its results cannot be used inside it."""
        position = bisect_right(self.ops, op, key=lambda open_op: open_op.op) - 1
        return position >= 0 and self.ops[position].op == op

    def _unknown(self, current: _OpenOp, name: bytes, number: int, offset: int) -> None:
        if current.is_generic or current.has_region:
            self._defer(current.op, name, number, offset)
        elif not current.is_isolated:
            current.unknown.append((name, number, offset))

    def _append_operand(self, op: int, value: int) -> int:
        """Stores one operand; returns its slot, negative for one behind a region (see ``_Use``)."""
        ir = self.ir
        if op == len(ir.op_start) - 1:
            ir.operands.append(value)
            ir.operand_start[-1] = len(ir.operands)
            return len(ir.operands) - 1
        late = ir.late_operands.setdefault(op, [])
        late.append(value)
        return ~(len(late) - 1)

    def _defer(self, op: int, name: bytes, number: int, offset: int) -> None:
        slot = self._append_operand(op, -1)
        self.regions[-1].unresolved.setdefault(name, []).append(_Use(op, slot, number, offset))

    def _resolve(self, region: _OpenRegion) -> None:
        """Binds the uses that this region's definitions answer."""
        ir = self.ir
        for name in list(region.unresolved):
            value = self.defs.get(name)
            if value is None:
                continue
            for use in region.unresolved.pop(name):
                if use.number and not self._has_result(value, use.number):
                    text = f"{name.decode('utf-8', 'replace')}#{use.number}"
                    raise self.error(use.offset, f"use of value '{text}', but the op has fewer results")
                if use.slot >= 0:
                    ir.operands[use.slot] = value + use.number
                else:
                    ir.late_operands[use.op][~use.slot] = value + use.number
                owner = ir.value_owner[value]
                if owner >= 0 and self._stands_before(use.op, owner):
                    self._use_before_definition(owner, name, use.offset)

    def _stands_before(self, user: int, definer: int) -> bool:
        """Whether the use stands in the definer's own block, inside or before the definer."""
        ir = self.ir
        ops = ir.block_ops[ir.op_block[definer]]
        place = bisect_right(ops, user) - 1
        return place >= 0 and user < max(ir.subtree_end[ops[place]], ops[place] + 1) and ops[place] <= definer

    def _use_before_definition(self, definer: int, name: bytes, offset: int) -> None:
        """Legal in graph regions only; the region of an unlisted op that does it is one."""
        ir = self.ir
        region = ir.block_region[ir.op_block[definer]]
        if ir.region_is_graph[region]:
            return
        holder = ir.region_op[region]
        if holder >= 0 and ir.name(holder) in self.traits:
            raise self.error(offset, f"use of value '{name.decode('utf-8', 'replace')}' before its definition")
        ir.region_is_graph[region] = _GRAPH


def _restore(defs: dict[bytes, int], name: bytes, value: int | None) -> None:
    if value is None:
        defs.pop(name, None)
    else:
        defs[name] = value


def _strip_comment(line: bytes) -> bytes:
    position = 0
    while token := _INNER.match(line, position):
        if token["token"].startswith(b"//"):
            return line[: token.start("token")]
        position = token.end()
    return line
