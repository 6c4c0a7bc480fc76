"""Find where ops begin and end in custom assembly, from the text alone.

Generic assembly does not need this: its ops end with a type or a location, and its regions are in
``({ ... })``. Custom assembly is free text. A few tokens around an offset must answer three questions: does
another op begin on this line (``next_on_line``), does an op go on after a line end (``continuation``), and is
a brace a region (``region``)? docs/internals/reading.md lists the answers as the reader's assumptions.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container
from functools import cached_property

from eio_audit.mlir.input.markers import noise_end
from eio_audit.mlir.ir import IR
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.reading.builder import OpenOp
from eio_audit.mlir.source import Source, Span, Text, line_end
from eio_audit.mlir.tokens import (
    ALIAS,
    ASSIGNED_NAME,
    COMMENT,
    FILE_METADATA,
    GAP,
    GENERIC_NAME,
    GENERIC_OP,
    HEADER,
    IDENTIFIER,
    LABEL,
    TRIVIA,
    VALUE,
    VALUE_NAME,
    closing_end,
    comment_start,
    match_end,
    nesting,
    without_definitions,
)
from eio_audit.mlir.traits import listed_dialects

_BLANKS_BEFORE = pattern(rb"[ \t]*+")
_COMMENT = pattern(rb"[ \t]*+//(?! ?-----)[^\r\n]*+\r?+\n")
"""A line that is only a comment. ``// -----`` splits a file or begins a marker."""
_COMMENT_LINE = pattern(rb"\n[ \t]*+//")
_TRAILING_COMMENT = pattern(rb"[ \t]*+" + COMMENT)
_COLON = pattern(rb"\s*+:\s*+")
_ARROW = pattern(rb"\s*+->\s*+")
_TYPE_NAME = pattern(rb"!?+[A-Za-z_](?:-(?!>)|[\w$.]++)*+")
_DICTIONARY = pattern(rb"\s*+(?=\{)")
_LOCATION = pattern(rb"\s*+\bloc\s*+(?=\()")
_USUAL_ARGUMENT = pattern(
    VALUE + rb": [A-Za-z]\w*+(?:<\w*+>)?(?: \{[\w$. =#]++(?:<\w*+>)?\})?"
    rb'(?P<location> loc\((?:"[^"\\\n]*+"|#[\w$-]++)\))'
)
"""An argument as a printer writes most: its name, type, perhaps an attribute, and its location."""
_UNREAD = pattern(
    rb"(?m)^[ \t]*+(?:(?:[A-Za-z_][\w$]*+\.[\w$.]*+(?=[ \t(<{\[@]|\r?$)|func (?:\w++ )?@)[^\n]*+"
    rb"(?:\n[ \t]++\S[^\n]*+)*|\{-#[^\n]*+(?:\n[^\n]*+)*)"
)
"""A line that begins like an op, with indented lines below it, or metadata that is not closed.

A compiler's log has few such lines."""
BARE_OPS = frozenset({b"return", b"call", b"call_indirect", b"module", b"unrealized_conversion_cast"})
"""Ops that MLIR prints without dialect inside every function or module."""
_HAVE_DEFAULT_DIALECT = frozenset(
    f"{dialect}.{op}"
    for dialect, ops in {
        "async": ("func",),
        "builtin": ("module",),
        "emitc": ("do", "expression", "file", "for", "func", "if", "switch"),
        "emitpy": ("expression",),
        "func": ("func",),
        "handshake": ("func",),
        "pdl": ("pattern", "rewrite"),
        "shape": ("func", "function_library"),
        "ssp": ("graph", "instance", "library", "resource"),
        "systemc": ("cpp.func",),
        "transform": ("foreach", "sequence", "with_pdl_patterns"),
    }.items()
    for op in ops
)
"""Listed ops in whose regions MLIR prints the ops of their dialect without it (``getDefaultDialect``)."""
_ALL_LISTED = frozenset({"func.func", "builtin.module"})
"""Those of a dialect with no other ops than the table lists."""
_BOUND = pattern(VALUE + rb" = (?:max|min)\b")
_OLD_FUNCTION = pattern(rb"(?m)^[ \t]*+func\s++(?:\w++\s++)?@")
"""MLIR before 2022 printed the ops of its standard dialect without dialect in any region."""
_BEGIN_WITH_STRING = frozenset(
    {
        *("emitc.apply", "emitc.call", "emitc.call_opaque", "emitpy.call_opaque", "llvm.call_intrinsic"),
        *("torch.operator", "util.string.format", "vm.print", "vm.trace"),
        *("pdl.apply_native_constraint", "pdl.apply_native_rewrite", "pdl.operation"),
        *("apply_native_constraint", "apply_native_rewrite", "operation"),
        *("pdl_interp.apply_constraint", "pdl_interp.apply_rewrite", "pdl_interp.create_operation"),
    }
)
"""Ops that may go on after their name as if with an op in generic form: ``torch.operator "f"(%a)``."""
_CLAUSES = frozenset(
    {
        *(b"attributes", b"case", b"cond", b"default", b"do", b"else", b"from", b"in", b"into", b"loc"),
        *(b"of", b"step", b"to", b"with"),
    }
)
"""Keywords that may start a line at the indentation of the op they belong to."""
_GOES_ON = pattern(rb"\{|[ \t\r]*+[,<%:A-Za-z_]")
"""What follows a keyword in the middle of an op. After the name of an op it may follow, too."""
_TYPE_COLON = pattern(rb"(?<!:):(?!:)")  # none of ``@module::@function``
_NEEDS_MORE = (b",", b":", b"=", b"->", b"(", b"[", b"{", b"<")
_OPEN_WORD = pattern(rb"(?<![\w$.%#!@^-])(?:applies|with)\Z")
"""A word that ends no op: an op's name (``applies stablehlo.add``) or a string (``with "f"(%a)``) follows."""
_ENDS_LIKE_AN_OP = (b")", b"]", b"}", b">", b'"')
_WORD_BEFORE = pattern(rb"(?<![\w$.%#!@^-])[\w$.%#!@^-]++\Z")
_BUILTIN_TYPE = pattern(rb"(?:[su]?i\d+|b?f\d\w*|tf32|index|none)\Z")
_BLANKS = pattern(rb"[ \t\r]*+")
_ATTRIBUTES = pattern(rb"(?<![\w$.@])attributes\Z")
_REGION_CLAUSE = pattern(rb"(?m)" + GAP + rb"[a-z_]++" + GAP + rb"\{[ \t\r]*+$")
"""``combiner {`` after a line end: another region of an op at top level."""
_LONGEST_WORD = 200
_NO_OPS = frozenset((b"case", b"handle", b"ro", b"rw", b"wo"))
"""Words of listed ops behind a brace that opens no region: ``firrtl.match %v { case a(%x) { ... } }``,
``rtg.handlers { handle @f(%x: i32) { ... } }``, ``stream.cmd.dispatch @e { rw %r[%a for %b] : ... }``."""


def comment_lines(data: Text, floor: int, op_start: int) -> Span:
    """Return the whole comment lines directly above an op, or an empty span before the op.

    ``floor`` is where the text before the op ends. The search stops there.
    """
    end = start = data.rfind(b"\n", floor, op_start) + 1
    blanks = _BLANKS_BEFORE.match(data, end, op_start)
    if not end or blanks is None or blanks.end() < op_start:
        return Span(op_start, op_start)
    while start > floor:
        line = data.rfind(b"\n", floor, start - 1) + 1 or floor
        is_whole = line == 0 or data[line - 1 : line] == b"\n"
        if not is_whole or not _COMMENT.match(data, line, start):
            break
        start = line
    return Span(start, end) if start < end else Span(op_start, op_start)


def comments_above(ir: IR) -> dict[int, bytes]:
    """Return the comment lines directly above each op that has any."""
    data, comments, looked_at = ir.source.data, {}, -1
    for line in _COMMENT_LINE.finditer(data, ir.span.start, ir.span.end):
        op = bisect_left(ir.op_start, line.end())
        if op == looked_at or op == len(ir):
            continue
        looked_at = op
        lines = comment_lines(data, ir.span.start, ir.op_start[op])
        if lines.start < lines.end:
            comments[op] = data[lines.start : lines.end]
    return comments


def own_header(ir: IR, block: int) -> bytes:
    """Return a block's label and arguments, and comments below that belong to no op. Empty without label."""
    start, end = ir.header_span(block)
    if start < end and ir.block_ops[block]:
        end = comment_lines(ir.source.data, start, end).start
    return ir.source.data[start:end].rstrip()


def trailing_comment_end(data: Text, op_end: int, end: int) -> int:
    """Return where the comment after an op on its line ends, or ``op_end`` if none is before ``end``."""
    comment = _TRAILING_COMMENT.match(data, op_end, end)
    return comment.end() if comment else op_end


def argument_locations(ir: IR, span: Span) -> list[Span]:
    """Return where the locations of the arguments that a span names are, with the blanks before them."""
    return [location for location in locations_of_arguments(ir, span) if location is not None]


def locations_of_arguments(ir: IR, span: Span) -> list[Span | None]:
    """Return the same for each argument that a span names; None for one without a location."""
    data, names, found = ir.source.data, ir.argument_names, list[Span | None]()
    for offset in names[bisect_left(names, span.start) : bisect_left(names, span.end)]:
        if usual := _USUAL_ARGUMENT.match(data, offset, span.end):
            found.append(Span(*usual.span("location")))
            continue
        start = _end_of_type(data, match_end(VALUE_NAME, data, offset), span.end)
        dictionary = _DICTIONARY.match(data, start, span.end)
        if dictionary is not None:
            start = closing_end(data, dictionary.end(), span.end)
        location = _LOCATION.match(data, start, span.end)
        found.append(location and Span(start, closing_end(data, location.end(), span.end)))
    return found


def _end_of_type(data: Text, offset: int, end: int) -> int:
    """Return where the type of an argument ends whose name ends at ``offset``. There may be none."""
    before = _COLON.match(data, offset, end)
    while before is not None:
        offset = before.end()
        if data[offset : offset + 1] == b"(":
            offset = closing_end(data, offset, end)
            before = _ARROW.match(data, offset, end)
            continue
        offset = match_end(_TYPE_NAME, data, offset, end)
        return closing_end(data, offset, end) if data[offset : offset + 1] == b"<" else offset
    return offset


def meaning_outside_ops(ir: IR) -> list[bytes]:
    """Return the metadata of a dump, and the lines at top level that may be ops which were not read."""
    found = []
    for text in gaps(ir):
        found += FILE_METADATA.findall(text)
        rest = FILE_METADATA.sub(b"", text)
        if _UNREAD.search(rest):
            found += [line.strip() for line in _UNREAD.findall(without_definitions(rest)[1])]
    return found


def gaps(ir: IR) -> list[bytes]:
    """Return the texts before, between and after the ops at top level. These never move."""
    ops = ir.block_ops[0] if ir.block_count else ()
    starts = [ir.span.start, *(ir.op_end[op] for op in ops)]
    ends = [*(ir.op_start[op] for op in ops), ir.span.end]
    return [ir.source.data[start:end] for start, end in zip(starts, ends, strict=True)]


class Boundaries:
    """Looks at the text of one dump. Every method takes offsets into it."""

    def __init__(self, source: Source, span: Span, listed_ops: Container[str]) -> None:
        self._data = source.data
        self._start, self._end = span
        self._listed = listed_ops

    @cached_property
    def _is_old(self) -> bool:
        """Whether MLIR before 2022 printed the dump."""
        return _OLD_FUNCTION.search(self._data, self._start, self._end) is not None

    def skip_trivia(self, offset: int) -> int:
        """Return the first offset from ``offset`` that is not in white space, a comment or a log line."""
        data = self._data
        while True:
            offset = match_end(TRIVIA, data, offset, self._end)
            before = data[max(0, offset - _LONGEST_WORD) : offset].rpartition(b"\n")[2]
            if before.strip():
                return offset
            noise = noise_end(data, offset, self._end)
            if noise is None:
                return offset
            offset = noise

    def op_with_results(self, offset: int, *, any_name: bool) -> bool:
        """Whether ``%a, %b:2 = op-name`` is here, and not an assignment inside an op (``%i = %c0``).

        ``any_name`` also accepts a name without dialect, as where a line or region begins. In the middle of
        an op such a name is a keyword (``%i = max ...``), unless it is one of BARE_OPS.
        """
        match = ASSIGNED_NAME.match(self._data, offset, self._end)
        return match is not None and (any_name or match["bare"] is None or match["bare"] in BARE_OPS)

    def label(self, offset: int) -> bool:
        """Whether a block label is here, and not a successor."""
        match = LABEL.match(self._data, offset, self._end)
        if match is None or not match[1]:
            return match is not None
        closed = closing_end(self._data, match.end() - 1, self._end)
        colon = match_end(TRIVIA, self._data, closed, self._end)
        return self._data[colon : colon + 1] == b":"

    def _op_begins(self, offset: int, first: bytes) -> bool:
        if first == b"%":
            return self.op_with_results(offset, any_name=True)
        if first == b'"':
            return GENERIC_NAME.match(self._data, offset, self._end) is not None
        return first == b"^" and self.label(offset)

    def next_on_line(self, token: bytes, offset: int, op_start: int) -> bool:
        """Whether a token outside brackets begins another op or block after the op from ``op_start``."""
        first = token[:1]
        if first == b"%":
            # In this order: ``op_with_results`` would read a list of operands to its end from each of them.
            return self._can_end(op_start, offset) and self.op_with_results(offset, any_name=False)
        if first == b'"':  # unlike in custom assembly, where any list may follow: ``"{{0}}"([@a])``
            begins = GENERIC_OP.match(self._data, offset, self._end) is not None
        else:
            begins = first.isalpha() or self._op_begins(offset, first)
        return begins and self._can_end(op_start, offset)

    def _can_end(self, op_start: int, offset: int) -> bool:
        before = self._data[max(op_start, offset - _LONGEST_WORD) : offset].rstrip()
        if before.endswith(_NEEDS_MORE):
            return False
        if before.endswith(_ENDS_LIKE_AN_OP):
            return True
        word = _WORD_BEFORE.search(before)
        if word is None:
            return False
        return word[0][0] in b"%#!@^0123456789-" or _BUILTIN_TYPE.match(word[0]) is not None

    def op_ends_at(self, offset: int) -> bool:
        """Whether an op may end here, after a ``loc(...)``: no further text of the op follows."""
        next_offset = match_end(_BLANKS, self._data, offset, self._end)
        following = self._data[next_offset : next_offset + 1]
        is_comment = self._data[next_offset : next_offset + 2] == b"//"
        if next_offset >= self._end or following in b"\n}" or is_comment:
            return True
        if following in (b"%", b'"', b"^"):
            return self._op_begins(next_offset, following)
        word = IDENTIFIER.match(self._data, next_offset, self._end)
        return word is not None and (b"." in word[0] or word[0] in BARE_OPS)

    def continuation(self, line_end: int, op_start: int, op: OpenOp, around: OpenOp | None) -> int | None:
        """Return where an op continues after a line end outside brackets, or None if it ends there.

        ``around`` is the enclosing op, or None. Ops of its dialect may be printed without dialect.
        """
        offset = self.skip_trivia(line_end)
        first = self._data[offset : offset + 1]
        if offset >= self._end or first == b"}":
            return None
        if self._needs_more(line_end):
            return None if first == b"%" and self.op_with_results(offset, any_name=False) else offset
        if self._op_begins(offset, first):
            return offset if self._is_after_name(op, op_start, offset) else None
        word = IDENTIFIER.match(self._data, offset, self._end)
        if word and self._is_op_name(word, around.name if around else "builtin.module"):
            return None
        if around is not None:
            needs_region = any(not is_visible for *_, is_visible in op.names)
            if word is None or needs_region or not self._is_aligned(word, op_start):
                return offset
            return None if self._may_be_op(word, Span(op_start, line_end), op, around) else offset
        if self._data[offset : offset + 3] == b"{-#" or ALIAS.match(self._data, offset, self._end):
            return None
        is_message = word is not None and self._data[word.end() : word.end() + 1] == b":"  # "error: ..."
        may_follow_region = word[0] == b"loc" if word else first in b"{:,-"
        may_follow_region |= _REGION_CLAUSE.match(self._data, line_end, self._end) is not None
        return None if is_message or (op.has_region and not may_follow_region) else offset

    def _is_after_name(self, op: OpenOp, op_start: int, offset: int) -> bool:
        """Whether what looks like an op comes directly after the name of ``op``, and so is its own text."""
        is_bound = op.name == "affine.for" and _BOUND.match(self._data, offset, self._end) is not None
        if not is_bound and not (op.name in _BEGIN_WITH_STRING and self._data[offset : offset + 1] == b'"'):
            return False
        header = HEADER.match(self._data, op_start, offset)
        return header is not None and match_end(TRIVIA, self._data, header.end(), offset) == offset

    def _needs_more(self, line_end: int) -> bool:
        line_start = self._data.rfind(b"\n", 0, line_end) + 1
        comment = comment_start(self._data, line_start, line_end)
        text = self._data[max(line_start, (comment or line_end) - _LONGEST_WORD) : comment or line_end]
        text = text.rstrip()
        if text.endswith((b"applies", b"with")):
            return _OPEN_WORD.search(text) is not None
        return text.endswith(_NEEDS_MORE)

    def _is_aligned(self, word: re.Match[bytes], op_start: int) -> bool:
        """Whether a word has the same indentation as the op, as the next op would."""
        if word[0] in _CLAUSES or _BUILTIN_TYPE.match(word[0]):
            return False
        after = match_end(_BLANKS, self._data, word.end(), self._end)
        if self._data[after : after + 1] in (b"(", b"="):
            return False
        own, other = (self._indentation(offset) for offset in (op_start, word.start()))
        return own is not None and own == other

    def _indentation(self, offset: int) -> bytes | None:
        """Return the blanks between the line's start and ``offset``, or None if there is other text."""
        before = self._data[max(0, offset - _LONGEST_WORD) : offset].rpartition(b"\n")[2]
        return None if before.strip() else before

    def _is_op_name(self, word: re.Match[bytes], around: str) -> bool:
        """Whether a line's first word is an op's name rather than a keyword of the op before it."""
        text = word[0]
        if text == b"loc" and self._data[word.end() : word.end() + 1] in b"( ":
            return False
        if b"." in text or text in BARE_OPS or text == b"func":
            return True
        return around in _HAVE_DEFAULT_DIALECT and self._is_listed(text, around)

    def _is_listed(self, name: bytes, around: str) -> bool:
        """Whether the dialect of the op ``around`` has an op of that name."""
        return f"{around.partition('.')[0]}.{name.decode()}" in self._listed

    def _may_be_op(self, word: re.Match[bytes], above: Span, op: OpenOp, around: OpenOp) -> bool:
        """Whether an aligned word that is no known op's name begins one, not a torn line of ``op``.

        ``above`` is the text of ``op`` so far.
        """
        if self._is_old:
            return True
        is_known = around.name in self._listed and not self._is_listed(word[0], around.name)
        if is_known and (around.name in _ALL_LISTED or around.name not in _HAVE_DEFAULT_DIALECT):
            return False
        may_be_torn = not op.has_region and _GOES_ON.match(self._data, word.end(), self._end) is not None
        return not may_be_torn or self._is_whole(op, above)

    def _is_whole(self, op: OpenOp, text: Span) -> bool:
        """Whether an op shows a type, after ``:`` or ``->``, or lacks its dialect, as all ops around it."""
        if not op.searched_to:
            header = HEADER.match(self._data, *text)
            assert header is not None
            op.searched_to, op.is_whole = header.end(), b"." not in (header["custom"] or b".")
        for token, depth in () if op.is_whole else nesting(self._data, op.searched_to, text.end):
            is_type = token[0] == b"->" or _TYPE_COLON.match(self._data, token.start(), self._end) is not None
            op.is_whole |= depth == 0 and is_type
        op.searched_to = text.end
        return op.is_whole

    def region(self, offset: int, dialect: str, *, has_arguments: bool) -> bool:
        """Whether the ``{`` that ends at ``offset`` opens a region and not an attribute dictionary.

        ``dialect`` is that of the op. ``has_arguments``: the op names values that may be region arguments.
        """
        before = self._data[max(0, offset - 1 - _LONGEST_WORD) : offset - 1].rstrip()
        if _ATTRIBUTES.search(before):
            return False
        inside = self.skip_trivia(offset)
        first = self._data[inside : inside + 1]
        has_line = b"\n" in self._data[offset:inside]
        if first in (b"^", b"}"):
            return first == b"^" or has_arguments or has_line
        if first in (b"%", b'"'):
            return self._op_begins(inside, first)
        word = IDENTIFIER.match(self._data, inside, self._end)
        if word is None:  # braced text of custom assembly, unless it has lines of its own
            return first not in b"@#![" and has_line
        next_offset = self.skip_trivia(word.end())
        after = self._data[next_offset : next_offset + 1]
        if after == b"=":
            return self._data[next_offset + 1 : next_offset + 2] == b"="
        if word[0] == b"loc":  # a location without op; the reader of the region reports it
            return has_line and after == b"("
        if after == b"}":  # a unit attribute, or an op that is only a name
            return self._is_lone_op(word[0], dialect, has_line=has_line)
        if b"." in word[0]:
            return after not in (b",", b":") or (after == b":" and has_line)
        return after not in (b",", b":") and self._is_bare_op(word[0], dialect, offset - 1, next_offset)

    def _is_bare_op(self, name: bytes, dialect: str, brace: int, next_offset: int) -> bool:
        """Whether a region may begin with a name without dialect. An unlisted dialect needs a location."""
        if name in BARE_OPS:
            return True
        if dialect in listed_dialects():
            return name not in _NO_OPS
        location = self._data.find(b" loc(", next_offset, line_end(self._data, next_offset, self._end))
        return location >= 0 and closing_end(self._data, brace, location + 1) > location

    def _is_lone_op(self, name: bytes, dialect: str, *, has_line: bool) -> bool:
        if b"." in name:
            return has_line or name.decode() in self._listed
        is_listed = any(f"{prefix}.{name.decode()}" in self._listed for prefix in ("func", dialect))
        return name in BARE_OPS or (has_line and is_listed)
