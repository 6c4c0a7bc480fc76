"""Reads printed MLIR into an ``IR``: any dialect, generic or custom assembly, registered anywhere or not.

No dialect is built in. Custom assembly is free text, so structure comes from what all of it shares: brackets
balance, strings are quoted, values begin with ``%``, an op begins with ``%results =`` or its name and ends
with its ``loc(...)``, or at the end of a line where nothing continues it (boundaries.py).

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
from array import array

from eio_audit.mlir.boundaries import BARE_OPS, Boundaries
from eio_audit.mlir.ir import IR, NO_OFFSET, NO_VALUE
from eio_audit.mlir.plain_lines import PlainLines
from eio_audit.mlir.scopes import Mentions, Scopes, split_use
from eio_audit.mlir.source import InputError, Source, Span
from eio_audit.mlir.tokens import (
    ALIAS,
    FILE_METADATA,
    HEADER,
    INNER,
    LABEL,
    OPEN_BRACE,
    OPEN_PAREN,
    OUTER,
    RESULT,
    SIMPLE_LOCATION,
    SPACE,
    Brackets,
    comment_start,
    string_end,
)
from eio_audit.mlir.traits import UNLISTED, OpTable, OpTraits, listed_dialects

_PERCENT = ord("%")
_BLANK = b" \t\r\n"
_CUSTOM_REST = re.compile(rb"(?=[ \t(<{\[@])[^\n]*?(?:@|\bloc\(|[{(\[][ \t\r]*$)", re.MULTILINE)
"""What follows the name of an unlisted op outside all ops: a symbol, a location, or an open bracket."""
_DECLARATION = re.compile(rb"[A-Za-z_][\w$.]*+(?:[ \t]+\w++)*+[ \t]+@")
_ARGUMENT = re.compile(rb"%[\w$.-]++(?: = |:)")
"""``%name = value`` or ``%name: type`` in a custom header: an argument of the region, if it opens one."""
_PARAMETER = re.compile(rb"%[\w$.-]++[ \t]*+:")
"""``%name: type`` in an op that declares a symbol and has no region: a parameter's name, no use."""
_LINE_END = re.compile(rb"[ \t\r]*+\n")
_BEFORE_LOC = frozenset({b"", b" ", b"\t", b"\n", b"\r", b")", b"}", b">"})


class _OpenOp:
    """An op whose end has not been reached.

    Attributes:
        op: its number.
        is_generic: it is printed in generic form.
        traits: its row of the table.
        brackets: what is open in its text, its open region not counted.
        has_region: a region of it has been opened.
        in_region_list: its outermost bracket is the ``(`` of a list of regions.
        names: values in its custom header that may be arguments of its region, each with its offset and
            whether it means a value outside too, as which it has been used then: a dependence too many
            is safe, one too few is not.
        undo: what these names meant before.
        results: the text of its results; they are defined where it ends, so nothing inside it sees them.
    """

    __slots__ = (
        "brackets",
        "has_region",
        "in_region_list",
        "is_generic",
        "names",
        "op",
        "results",
        "traits",
        "undo",
    )

    def __init__(self, op: int, is_generic: bool, traits: OpTraits, source: Source) -> None:
        self.op = op
        self.is_generic = is_generic
        self.traits = traits
        self.brackets = Brackets(source)
        self.has_region = False
        self.in_region_list = False
        self.results: bytes | None = None
        self.names: list[tuple[bytes, int, bool]] = []
        self.undo: list[tuple[bytes, int | None]] = []

    @property
    def is_isolated(self) -> bool:
        """Whether values from outside are not visible in its regions."""
        return "isolated" in self.traits.flags


def read_ir(source: Source, span: Span | None = None, op_table: OpTable | None = None) -> IR:
    """Reads the one dump that ``span`` of the source holds (the whole source without it).

    Args:
        source: the file.
        span: where the dump stands in it.
        op_table: says which ops are isolated or hold graph regions; the shipped table without it.

    Returns:
        Its structure. Lines outside operations that cannot be MLIR (a compiler's log) are ignored.

    Raises:
        InputError: brackets do not balance, a string or the dump is cut off, a value is used but never
            defined, defined twice, or used before its definition outside a graph region.
    """
    return Reader(source, span or Span(0, len(source.data)), op_table or OpTable()).read()


class Reader:
    """Reads one dump.

    ``exact`` reads every line by itself, without the fast path (plain_lines.py); so does noting ``mentions``.
    """

    def __init__(
        self,
        source: Source,
        span: Span,
        op_table: OpTable,
        *,
        exact: bool = False,
        mentions: Mentions | None = None,
    ) -> None:
        self.source = source
        self.data = source.data
        self.start = span.start
        self.end = span.end
        self.ir = IR(source, span, op_table)
        self.traits = op_table.rows
        self.scopes = Scopes(self.ir, self.traits, mentions)
        self.text = Boundaries(source, span.end, self.traits)
        self.name_ids: dict[str, int] = {}
        self.plain = PlainLines(
            self.ir, self.scopes, span.end, self._is_one_op, self._intern, self._current_block
        )
        self.exact = exact or mentions is not None
        self.ops: list[_OpenOp] = []
        self.regions: list[int] = []
        self.blocks: list[int] = []  # the current block of each open region, -1 before the first

    def read(self) -> IR:
        """Reads the dump to its end; see ``read_ir``."""
        self._open_region(NO_OFFSET, None)
        offset = self.start
        if self.data.startswith(b"\xef\xbb\xbf", offset):
            offset += 3
        while offset < self.end:
            if self.ops and not self.exact:
                offset = self._plain_lines(offset)
            offset = self.text.skip_trivia(offset)
            if offset < self.end:
                offset = self._statement(offset)
        if self.ops:
            raise self._cut_off()
        self._close_region(self.end)
        return self.ir

    def _plain_lines(self, offset: int) -> int:
        """Reads the plain lines from the next line start on, if nothing stands before it."""
        line = _LINE_END.match(self.data, offset, self.end)
        start = line.end() if line else offset
        if line is None and self.data[offset - 1 : offset] != b"\n":
            return offset
        end = self.plain.read(start)
        return offset if end == start else end

    def _is_one_op(self, line: bytes) -> bool:
        """Whether a line, with ``%v`` for every value, is one op without region, ended by its location."""
        text = b'"judge"() ({\n^bb0(%v: i1):\n' + line + b"\n}) : () -> ()"
        try:
            ir = Reader(Source("", text), Span(0, len(text)), self.ir.op_table, exact=True).read()
        except InputError:
            return False
        return len(ir) == 2 and ir.location_start[1] != NO_OFFSET and ir.text(1) == line

    def _error(self, offset: int, message: str) -> InputError:
        return self.source.error(offset, message)

    def _cut_off(self) -> InputError:
        opened = self.source.position_at(self.ir.region_start[self.regions[-1]])
        end = self.start + len(self.data[self.start : self.end].rstrip())
        return self._error(
            end,
            f"the dump ends inside a region: expected '}}' to match '{{' at {opened.line}:{opened.column}",
        )

    # ------------------------------------------------------------------ statements

    def _statement(self, offset: int) -> int:
        """Reads what begins at ``offset`` inside the current region; returns where the next may begin."""
        first = self.data[offset : offset + 1]
        if not self.ops:
            return self._top_level(offset)
        if first == b"}":
            self._close_region(offset)
            self.ir.regions_end[self.ops[-1].op] = offset
            return self._body(self.ops[-1], offset + 1)
        if first == b"^":
            return self._label(offset)
        header = HEADER.match(self.data, offset, self.end)
        if header is None:
            what = "an op name with '(' behind it" if first == b'"' else "an operation, a block label or '}'"
            raise self._error(offset, f"expected {what}")
        return self._operation(header)

    def _top_level(self, offset: int) -> int:
        """Reads an alias, metadata or an op; a line of a compiler's log is skipped."""
        if alias := ALIAS.match(self.data, offset, self.end):
            return self._aliases(alias)
        if metadata := FILE_METADATA.match(self.data, offset, self.end):
            return metadata.end()
        header = HEADER.match(self.data, offset, self.end)
        if header and self._is_op(header):
            return self._operation(header)
        if self.data[offset : offset + 1] in (b"}", b")", b"]"):
            raise self._error(offset, f"unbalanced '{chr(self.data[offset])}': nothing is open here")
        line_end = self.data.find(b"\n", offset, self.end)
        return self.end if line_end < 0 else line_end + 1

    def _is_op(self, header: re.Match[bytes]) -> bool:
        """Whether a header outside all ops begins an op rather than a line of a log."""
        if header["results"] or header["generic"]:
            return True
        name = header["custom"]
        if name in BARE_OPS or name.decode() in self.traits:
            return not self.data.startswith(b":", header.end())
        dialect = name.partition(b".")[0].decode()
        if (
            b"." in name
            and dialect in listed_dialects()
            and self.data[header.end() : header.end() + 1] in b" \n"
        ):
            return True
        return b"." in name and _CUSTOM_REST.match(self.data, header.end(), self.end) is not None

    def _aliases(self, match: re.Match[bytes]) -> int:
        """Reads this alias, and the whole table of locations that may begin with it."""
        offset = match.start()
        if self.exact or self.data[offset - 1 : offset] not in (b"", b"\n"):
            return self._alias(match)
        end = self.plain.read_aliases(offset)
        return min(end, self.end) if end > offset else self._alias(match)

    def _alias(self, match: re.Match[bytes]) -> int:
        """Reads ``#name = ...`` or ``!name = ...``; of a location the text inside ``loc(...)`` is kept."""
        name, start = match[1], match.end()
        if name in self.ir.aliases:
            raise self._error(match.start(), f"redefinition of alias '{name.decode('utf-8', 'replace')}'")
        brackets, end = Brackets(self.source), start
        while token := OUTER.match(self.data, end, self.end):
            if token["token"] == b"\n" and brackets.only_angles():
                end = token.start("token")
                break
            brackets.feed(token["token"], token.start("token"))
            end = token.end()
        else:
            brackets.check_closed()
            end = self.end
        last_line = self.data.rfind(b"\n", start, end) + 1 or start
        end = comment_start(self.data, last_line, end) or end
        end = start + len(self.data[start:end].rstrip())
        if self.data.startswith(b"loc", start) and self.data[end - 1 : end] == b")":
            self.ir.aliases[name] = Span(self.data.index(b"(", start) + 1, end - 1)
        else:
            self.ir.aliases[name] = Span(start, end)
        return end

    def _label(self, offset: int) -> int:
        """Reads ``^name`` with its arguments and the colon, and begins the block."""
        match = LABEL.match(self.data, offset, self.end)
        if match is None:
            raise self._error(offset, "expected a block label, '^name:' or '^name(arguments):'")
        block = self._entry_block_of_header(offset)
        position = match.end()
        if not match[1]:
            return position
        brackets = Brackets(self.source)
        brackets.push(OPEN_PAREN, position - 1)
        while brackets:
            token = self._token(INNER, position, brackets)
            text, position = token["token"], token.end()
            if text[0] == _PERCENT and len(brackets) == 1:
                if self.scopes.is_argument(text, block):
                    self.scopes.mention(text, token.start("token"))
                else:
                    self.scopes.define(text, 1, -1 - block, token.start("token"))
            brackets.feed(text, token.start("token"))
        space = SPACE.match(self.data, position, self.end)
        assert space
        if self.data[space.end() : space.end() + 1] != b":":
            raise self._error(space.end(), "expected ':' behind the block's arguments")
        return space.end() + 1

    # ------------------------------------------------------------------ operations

    def _operation(self, header: re.Match[bytes]) -> int:
        ir, op = self.ir, len(self.ir)
        block = self._current_block()
        quoted = header["generic"]
        ir.op_start.append(header.start())
        ir.op_end.append(NO_OFFSET)
        ir.op_name.append(self._intern(quoted[1:-1] if quoted else header["custom"], is_whole=bool(quoted)))
        ir.op_is_generic.append(quoted is not None)
        ir.op_block.append(block)
        ir.location_start.append(NO_OFFSET)
        ir.subtree_end.append(op + 1)
        ir.first_result.append(NO_VALUE)
        ir.operand_start.append(len(ir.operands))
        ir.block_ops[block].append(op)
        current = _OpenOp(op, quoted is not None, self.traits.get(ir.name(op), UNLISTED), self.source)
        current.results = header["results"]
        self.ops.append(current)
        return self._body(current, header.end())

    def _intern(self, name: bytes, *, is_whole: bool) -> int:
        """The number of an op name; one that is printed without quotes may lack its dialect."""
        full = name.decode("utf-8", "replace")
        if "." not in full and not is_whole:
            full = self._full_name(full)
        number = self.name_ids.get(full)
        if number is None:
            number = self.name_ids[full] = len(self.ir.names)
            self.ir.names.append(full)
        return number

    def _full_name(self, name: str) -> str:
        """``return`` is printed without its dialect where the op around it implies one."""
        around = self.ir.name(self.ir.region_op[self.regions[-1]]) if self.ops else ""
        dialects = (around.partition(".")[0], "func", "builtin")
        return next((full for d in dialects if (full := f"{d}.{name}") in self.traits), name)

    def _body(self, current: _OpenOp, offset: int) -> int:
        """Reads an op from ``offset`` up to its end or to the next region it opens."""
        brackets = current.brackets
        while True:
            outside = not brackets
            if outside and offset >= self.end:
                return self._end_op(current, offset)
            token = self._token(OUTER if outside else INNER, offset, brackets)
            text, start, offset = token["token"], token.start("token"), token.end()
            if not text:
                return self._end_op(current, self.end)
            first = text[0]
            if outside and text == b"\n":
                after = self._continuation(current, start)
                if after is None:
                    return self._end_op(current, start)
                offset = after
            elif outside and (text == b"}" or self._next_begins(current, text, start)):
                return self._end_op(current, start)
            elif first == _PERCENT:
                self._value(current, text, start)
            elif first == OPEN_BRACE and self._opens_region(current, offset):
                self._open_region(start, current)
                return offset
            elif first == OPEN_PAREN and self._is_location(brackets, start):
                offset = self._location(current, start)
                if not self.ops or self.ops[-1] is not current:
                    return offset
            else:
                if first == OPEN_PAREN and outside:
                    current.in_region_list = self._begins_region_list(current, offset)
                brackets.feed(text, start)

    def _token(self, pattern: re.Pattern[bytes], offset: int, brackets: Brackets) -> re.Match[bytes]:
        """The next token that matters, or the error that there is none."""
        match = pattern.match(self.data, offset, self.end)
        while match and match["token"] == b'"':
            end = string_end(self.data, match.start("token"), self.end)
            if end is None:
                raise self._error(match.start("token"), "unterminated string")
            match = pattern.match(self.data, end, self.end)
        if match is None:
            brackets.check_closed()
            if len(self.regions) > 1:
                raise self._cut_off()
            match = _END_OF_DUMP.match(self.data, self.end)
            assert match
        if match["token"] == b"%":
            raise self._error(match.start("token"), "expected a value's name behind '%'")
        return match

    def _next_begins(self, current: _OpenOp, token: bytes, offset: int) -> bool:
        return self.text.next_on_line(token, offset, self.ir.op_start[current.op])

    def _value(self, current: _OpenOp, token: bytes, offset: int) -> None:
        """A value in an op's text: a use, or the name of an argument of the region that follows."""
        if not current.is_generic:
            is_visible = self.scopes.is_visible(split_use(token)[0])
            may_be_argument = not is_visible or _ARGUMENT.match(self.data, offset, self.end) is not None
            if may_be_argument or (current.is_isolated and not current.has_region):
                current.names.append((token, offset, is_visible))
            if not is_visible:
                return
        self.scopes.use(current.op, token, offset)

    def _continuation(self, current: _OpenOp, line_end: int) -> int | None:
        return self.text.continuation(
            line_end,
            self.ir.op_start[current.op],
            at_top=len(self.regions) == 1,
            has_region=current.has_region,
            needs_region=any(not is_used for *_, is_used in current.names),
            dialect=self._dialect(self.ops[-2]) if len(self.ops) > 1 else "",
        )

    def _dialect(self, current: _OpenOp) -> str:
        return self.ir.name(current.op).partition(".")[0]

    def _is_location(self, brackets: Brackets, paren: int) -> bool:
        """Whether ``(`` belongs to the op's own ``loc(...)``, which ends it."""
        before = self.data[max(0, paren - 8) : paren].rstrip()
        is_loc = before.endswith(b"loc") and before[-4:-3] in _BEFORE_LOC
        return not brackets and is_loc and self.data[paren + 1 : paren + 2] != b"["

    def _location(self, current: _OpenOp, paren: int) -> int:
        """Reads ``(...)`` behind ``loc``; it ends the op unless text follows (``%i loc("i") = 0 to 4``)."""
        match = SIMPLE_LOCATION.match(self.data, paren + 1, self.end)
        end = match.end() if match else self._closing_paren(paren)
        if self.text.op_ends_at(end):
            return self._end_op(current, end, paren + 1)
        return end

    def _closing_paren(self, paren: int) -> int:
        brackets, end = Brackets(self.source), paren + 1
        brackets.push(OPEN_PAREN, paren)
        while brackets:
            token = self._token(INNER, end, brackets)
            brackets.feed(token["token"], token.start("token"))
            end = token.end()
        return end

    def _end_op(self, current: _OpenOp, end: int, location_start: int = NO_OFFSET) -> int:
        """Finishes an op; without location its text ends before the blanks and the comment before ``end``."""
        ir, op = self.ir, current.op
        declares = bool(current.names) and _DECLARATION.match(self.data, ir.op_start[op], end) is not None
        for token, offset, is_used in current.names:
            if not is_used and not (declares and _PARAMETER.match(self.data, offset, end)):
                self.scopes.use(op, token, offset)
        self.scopes.restore(current.undo)
        ir.first_result[op] = len(ir.value_owner)
        for result in RESULT.finditer(current.results or b""):
            count = int(result[2][:6]) if result[2] else 1
            self.scopes.define(result[1], count, op, ir.op_start[op] + result.start())
        ir.location_start[op] = location_start
        ir.op_end[op] = end if location_start != NO_OFFSET else self._end_of_text(op, end)
        ir.subtree_end[op] = len(ir)
        self.ops.pop()
        return end

    def _end_of_text(self, op: int, end: int) -> int:
        while self.data[end - 1] in _BLANK:
            end -= 1
        line_start = self.data.rfind(b"\n", self.ir.op_start[op], end) + 1 or self.ir.op_start[op]
        comment = comment_start(self.data, line_start, end)
        return end if comment is None else self._end_of_text(op, comment)

    # ------------------------------------------------------------------ regions and blocks

    def _begins_region_list(self, current: _OpenOp, offset: int) -> bool:
        """Whether the ``(`` before ``offset`` opens a list of regions."""
        brace = self.text.skip_trivia(offset)
        if self.data[brace : brace + 1] != b"{":
            return False
        return current.is_generic or self._looks_like_region(current, brace + 1)

    def _opens_region(self, current: _OpenOp, offset: int) -> bool:
        """Whether the ``{`` before ``offset`` opens a region, not a dictionary or other braced text."""
        brackets = current.brackets
        if len(brackets) == 1 and brackets.outermost == OPEN_PAREN and current.in_region_list:
            return current.is_generic or self._looks_like_region(current, offset)
        return not brackets and not current.is_generic and self._looks_like_region(current, offset)

    def _looks_like_region(self, current: _OpenOp, offset: int) -> bool:
        return self.text.region(offset, self._dialect(current), has_arguments=bool(current.names))

    def _open_region(self, brace: int, owner: _OpenOp | None) -> None:
        ir, region = self.ir, len(self.ir.region_op)
        traits = owner.traits if owner else self.traits["builtin.module"]
        ir.region_op.append(owner.op if owner else -1)
        ir.region_start.append(brace)
        ir.region_end.append(self.end)
        ir.region_is_graph.append("graph_region" in traits.flags)
        self.regions.append(region)
        self.blocks.append(-1)
        isolated = owner is not None and owner.is_isolated
        self.scopes.open(region, isolated=isolated, may_shadow=traits is UNLISTED)
        if owner is not None:
            owner.has_region = True
            self._header_arguments(owner)

    def _header_arguments(self, owner: _OpenOp) -> None:
        """The names in a custom header that nothing defines are arguments of the region it opens."""
        if not owner.names:
            return
        block = self._begin_block(NO_OFFSET)
        for name in dict.fromkeys(split_use(token)[0] for token, *_ in owner.names):
            undo = self.scopes.define_header_argument(name, block)
            if not owner.is_isolated:  # other regions of the op see them too, until it ends
                owner.undo.append(undo)
        for token, offset, is_visible in owner.names:
            is_argument = owner.is_isolated and _ARGUMENT.match(self.data, offset, self.end) is not None
            self.scopes.mention(split_use(token)[0], offset, as_outside=is_visible and not is_argument)
        owner.names.clear()

    def _entry_block_of_header(self, label: int) -> int:
        """Begins the block of a label: a new one, or that of the arguments that the op's header has named."""
        block = self.blocks[-1]
        if block >= 0 and not self.ir.block_ops[block] and self.ir.block_label[block] == NO_OFFSET:
            self.ir.block_label[block] = label
            return block
        return self._begin_block(label)

    def _current_block(self) -> int:
        """The block that ops go into: the one begun last, or an entry block without label."""
        return self.blocks[-1] if self.blocks[-1] >= 0 else self._begin_block(NO_OFFSET)

    def _begin_block(self, label: int) -> int:
        ir, block = self.ir, len(self.ir.block_region)
        self.blocks[-1] = block
        ir.block_region.append(self.regions[-1])
        ir.block_label.append(label)
        ir.block_depth.append(len(self.regions) - 1)
        ir.block_ops.append(array("i"))
        return block

    def _close_region(self, brace: int) -> None:
        self.ir.region_end[self.regions.pop()] = brace
        self.blocks.pop()
        self.scopes.close()


_END_OF_DUMP = re.compile(rb"(?P<token>)")
