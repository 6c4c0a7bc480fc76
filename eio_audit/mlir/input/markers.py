"""Recognize the lines of a log: markers and separators of dumps, IR, and what loggers print among them.

Inside a dump, only lines of known form are skipped, so that a damaged op is never skipped. These are lines of
loggers (``[date] [LEVEL] ...``, ``date time | LEVEL ...``, ``I0821 12:00:00 ...``), diagnostics
(``file:line:col: error: ...``) with the op that they show or the source line and caret below them, and
warnings of Python.

Continuous integration, containers, test runners and loggers put a *prefix* before each line: a time, a name,
a colour. The marker of a dump shows it: it is what stands before the marker on its line. The lines below have
the same one, up to its numbers, such as those of a time. If the first of them has not, only the marker is
behind a prefix, and no line is changed. A line that is blank but for its prefix may lack the blanks at the
end of the prefix. Colours at the ends of lines are taken away with those at their starts.

A text without markers may have *titles*: the line above each module names it. So print tools that are not
MLIR's own, and scripts: ``IR after cse:``, ``=== lowered``, or a line with a rule below it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from eio_audit.mlir.input.media import FILECHECK, IR_BEHIND, PROGRESS, other_text
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import (
    Affix,
    Source,
    Span,
    Text,
    UnreadableFileError,
    decoded,
    find_all,
    line_end,
    read_blocks,
    whole_lines,
)
from eio_audit.mlir.tokens import COMMENT, OR_FAIL, STRING, match_end, matches, nesting, symbol_of

_COMMON = b"IR "
_LEADS = (b"// -----// ", b"---- ", b"END OF ML", b"ML", b"// *** ")
"""``_COMMON`` is in all markers, so it is what is looked for. ``_LEADS`` has the text before it in each."""
_LONGEST_BEGINNING = max(map(len, _LEADS)) + len(_COMMON)
_PASS = pattern(
    rb"// -----// IR Dump (?P<when>Before|After) (?P<pass>.+?)(?P<failed> Failed)?"
    rb"(?: \('(?P<op>[^'\n]*)' operation(?:: (?P<symbol>@[^\n]*?))?\))? //----- //"
)
_PRINTED_IR = pattern(rb"// -----// IR Dump(?: (?P<label>[^\n]+?))? //----- //")
"""The marker of MLIR's pass ``print-ir``, which may have a label."""
PRINTED = "PrintIRPass"  # its class, and that of any other that prints a state under a name
_OLD_PASS = pattern(
    rb"// \*\*\* IR Dump (?P<when>Before|After) (?P<pass>[^\n*]+?)(?P<failed> Failed)? \*\*\*"
    rb"(?: \('(?P<op>[^'\n]*)' operation(?:: (?P<symbol>@[^\n]*?))?\))?"
)
"""The marker of MLIR until 2020."""
_JIT = pattern(rb"---- IR Dump (?P<when>before|after) (?P<pass>[^\n]+?) ----")
_STAGE = pattern(rb"MLIR Module (?P<stage>[\w.-]+):")
_END = b"END OF MLIR MODULE"
_ARGUMENT = pattern(
    r"(?s)(?P<name>(?:\(anonymous namespace\)|::|[^:(])+?)(?: Failed)?(?: \((?P<old>.*)\)|: (?P<new>.*))?\Z"
)
_BYTECODE = b"ML\xefR"
_SIGN = pattern(
    rb"(?m)^[ \t]*+(?:"
    rb"%[\w$.-]++(?::\d++)?(?:, %[\w$.-]++(?::\d++)?)* = (?:\"|[A-Za-z_]\w*+\.)"
    rb"|\"[\w$-]++\.[\w$.-]++\"\("
    rb"|module\b[^\n]*?\{[ \t\r]*$"
    rb"|[A-Za-z_]\w*+\.[\w.$]++(?= )[^\n]*?(?:[ (,]%\w| @[\w\"]| loc\(| \{[ \t\r]*$)"
    rb"|[#!][A-Za-z_][\w$.-]*+ = (?:loc\(|[#!][\w$]|\w++<)"
    rb"|\}[^\n]*? loc\([#\"u]"
    rb")"
)
"""The start of a line with an op, an alias or the end of a region."""
_LEVEL = rb"(?:trace|debug|info|warn(?:ing)?|error|fatal|critical|success)"
_COLOUR = rb"\x1b\[[0-9;]*[A-Za-z]"
_OP_START = rb"[ \t]*+(?:%|\"[\w$.-]+\"\(|\})"
_NOISE = pattern(
    rb"(?:" + _COLOUR + OR_FAIL + rb")++(?!" + _OP_START + rb")"  # coloured by a logger
    rb"|\[(?=[^\]\n\"]*\d\d:\d\d)[^\]\n]*+\]|(?i:\[\s*" + _LEVEL + rb"\s*\])"
    rb"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d[.,| ]"
    rb"|[IWEF]\d{4} \d\d:\d\d:\d\d"
    rb"|(?i:" + _LEVEL + rb")(?::|\s*+\||\s{2,}\S)|note: |remark: "
    rb"|Traceback \(most recent call last\)|File \"[^\"\n]*\", line \d+"
    rb"|[^\s:\"%()]+\.py:\d+: \w"
    rb"|\[[a-z][\w-]*+(?: [\w./-]++:\d++ \d|:\d)\] "  # LLVM's debug output
)
PLACE = (
    rb"(?:(?:[^\s:\"%()]++|<[\w ]++>|\"[^\"\n]*+\"):\d++:\d++"
    rb"|loc\((?:[^()\"\n]|\"[^\"\n]*\"|\([^()\n]*\))*\)|<unknown>:0)"
)
"""A location as a diagnostic begins with it."""
_DIAGNOSTIC = pattern(PLACE + rb": (?:error|warning|note|remark): ")
EXCERPT = pattern(rb"[^\n]*+\n[ \t]*+\^[~ \t\r]*+(?=\n|\Z)")
"""A source line with a caret below it. A diagnostic of many lines may stand above it."""
_MESSAGE_AND_EXCERPT = pattern(rb"[^\n]*+\n" + EXCERPT.pattern)
_SHOWN_OP = pattern(
    rb"[^\n]*?(?P<known>see current operation:[ \t\r]*)?(?:(?<= )|(?(known)|(?!)))\n"
    rb"(?(known)[ \t]*)(?=[%\"A-Za-z_])"
)
"""A message that ends with a blank. MLIR shows an op of several lines from the next line on.

Editors and forms drop the blank, wrap the line or indent it, but for that the message is known.
"""
_LONGEST_SHOWN_OP = 1 << 20
_FLUSH_LINE = pattern(rb"\n(?=[^ \t\r\n}^%)#])")
"""The start of a line that is not indented. A printer indents all lines in a function."""
CRASH = (
    rb"[ \t]*+(?:PLEASE (?:submit|ATTACH)|Stack dump:|LLVM ERROR: |Assertion failed|[^\n]*: Assertion "
    rb"|#\d+ 0x[0-9a-f]+|Segmentation fault|Aborted\b|Killed\b|terminate called|(?:Floating point|Illegal)\b"
    rb"|(?:Fatal Python error|UNREACHABLE executed|Out of memory|Bus error|double free)\b|\*\*\* "
    rb"|free\(\): |==\d+==ERROR: |libc\+\+abi: |(?:zsh: |[\w/.-]*sh: line )[^\n]*(?i:fault|abort|kill))"
)
"""The first line that a compiler prints when it crashes."""
_NO_IR = pattern(CRASH + rb"|Traceback \(most recent|Thread \d+ \"|thread '|===-|```")
"""The same, or that of what else may follow the last marker of a log."""
_IR = pattern(rb"[%^}#!{()]|\"[\w$.-]++\"\(|(?:[A-Za-z_]\w*+\.[\w$.]++|module|return) ")
"""The start of a line of IR. Few dumps have other lines."""
_LONGEST_PREFIX = 512
_IR_LINE = pattern(rb"[ \t]*+(?:[}%^\"]|[#!][\w$.-]++ = )")
"""The start of a line of IR. A marker may follow IR on its line."""
_NUMBER = pattern(rb"(?<! ) *+[0-9]+")
_NUMBERED = pattern(rb" *+[0-9]++: ")
_ANNOTATION = pattern(rb" ++\.[ \r]*+\Z|[a-z]++:[0-9]++(?:'[0-9]++)?[ ]")
"""What stands for lines that are left out, or points to a place in the line above, as FileCheck prints it."""
_ESCAPE = b"\x1b"
_COLOURS = pattern(rb"(?:\x1b\[[0-9;]*+[A-Za-z])+\r?")
_SEPARATOR_SLASHES, _SEPARATOR_DASHES = b"// ", b"-----"
_SEPARATOR = pattern(rb"// -----[ \t]*\r?(?=\n|\Z)")
_BRACE = pattern(STRING + rb"|" + COMMENT + rb"|(?P<brace>[{}])")
"""A brace, or what may hold one that does not count."""
_HOLDS_IR = pattern(
    rb'(?m)^(?=module\b|func\.func\b|"builtin\.module"|"func\.func"|[#!][\w$.-]+ = '
    rb"|[a-z_]\w*\.[\w.]+ [^\n]*\{[ \t\r]*$)(?!" + EXCERPT.pattern + rb")"
)
_MODULE_START = pattern(
    rb'(?m)^(?=(?:builtin\.)?module\b|func\.func\b|"builtin\.module"|"func\.func"'
    rb"|[a-z_]\w*\.[\w.]+ [^\n@%=\"]*@[^\n]*\{[ \t\r]*$)(?!" + EXCERPT.pattern + rb")"
)
"""The start of a module or function."""
_ALIAS_OR_BLANK = pattern(rb"[#!][\w$.-]+ = [^\n]*\n|[ \t\r]*\n")
_BLANK = pattern(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+")
_HEAD = pattern(rb"(?m)^(?=(?:builtin\.)?module\b|\"builtin\.module\"\(|[a-z_]\w*\.|\"func\.func\")")
"""The start of an op that is not indented."""
_MOMENT = pattern(r"(?i)(?:.*\b)?(?P<when>before|after)\b[\s:=\"'`-]*+(?P<pass>[^\s\"'`].*)")
_BEGINS_OP = pattern(r"\s*(?:[}#!%\"]|[A-Za-z_][\w$]*\.[\w$])")
"""The beginning of a line of IR: an op in custom assembly has its dialect before a dot."""
_RULE = " \t\r=-#*:~_.+<>[]|\"'`"  # what stands around a title, or below it
_LONGEST = 200
_FIRST_WITHIN = 1 << 20  # how far the first module is looked for


class Marker(NamedTuple):
    """The line that a compiler prints above a dump (``-mlir-print-ir-before/after``)."""

    pass_name: str  # the pass's argument (`ttir-erase-inverse-ops`), else its class name; the name of a stage
    class_name: str  # the name at the start of the marker (`TTIREraseInverseOps`); `PRINTED` for a label
    when: str | None  # "before" or "after" the pass; None for a stage
    failed: bool = False  # whether the pass failed
    symbol: str | None = None  # the symbol of the op that the pass ran on (`@main`), if the marker has it
    op_name: str | None = None  # that op's name (`func.func`), if the marker has it


def find_markers(data: Text, start: int = 0) -> Iterator[tuple[Span, Marker | None]]:
    """Yield the markers of a log in order, each with its span. A line that ends a dump yields None.

    Only the text from ``start``, the start of a line, is looked at.

    A marker inside a string, or cut off by another marker, does not count. Complexity: linear.
    """
    for place, marker in _begun_markers(data, start, len(data)):
        near = _begun_markers(data, place.start, min(place.end + _LONGEST_BEGINNING, len(data)))
        if not any(place.start < other.start < place.end for other, _ in near):
            yield place, marker


def holds_ir(path: str) -> bool:
    """Whether a file has a marker or a line of IR. Compressed files are unpacked.

    An unreadable file counts as IR, so that reading it reports the error. The file is read up to the first
    such line, whatever a logger printed above it.
    """
    try:
        for lines in whole_lines(read_blocks(path, lambda _: None)):
            is_marked = next(find_markers(lines), None) is not None
            if is_marked or lines.startswith(_BYTECODE) or _SIGN.search(lines):
                return True
    except UnreadableFileError:
        return True
    return False


def _begun_markers(data: Text, start: int, end: int) -> Iterator[tuple[Span, Marker | None]]:
    """Yield the markers outside strings whose beginnings are in a text. One may begin inside another."""
    for offset in _starts(data, start, end):
        if match := _PASS.match(data, offset) or _JIT.match(data, offset) or _OLD_PASS.match(data, offset):
            yield Span(offset, match.end()), _pass_marker(match)
        elif match := _PRINTED_IR.match(data, offset):
            label = decoded(match["label"] or b"print-ir")
            yield Span(offset, match.end()), Marker(label, PRINTED, None)
        elif match := _STAGE.match(data, offset):
            stage = decoded(match["stage"])
            yield Span(offset, match.end()), Marker(stage, stage, None)
        elif data[offset : offset + len(_END)] == _END:
            yield Span(offset, offset + len(_END)), None


def _starts(data: Text, start: int, end: int) -> Iterator[int]:
    counted, quotes = start, 0  # the offset up to which quotes are counted, and their number in this line
    for common in find_all(data, _COMMON, Span(start, end)):
        lead = next((lead for lead in _LEADS if data[max(common - len(lead), 0) : common] == lead), None)
        if lead is None:
            continue
        offset = common - len(lead)
        line_start = data.rfind(b"\n", counted, offset) + 1
        if line_start:
            counted, quotes = line_start, 0
        before = data[counted:offset]
        quotes += before.count(b'"') - before.count(b'\\"')
        counted = offset
        if quotes % 2 == 0:
            yield offset


def _pass_marker(match: re.Match[bytes]) -> Marker:
    groups = match.groupdict()
    text = decoded(match["pass"])
    parts = _ARGUMENT.match(text)
    class_name = parts["name"] if parts else text
    argument = (parts["old"] or parts["new"] or class_name) if parts else text
    symbol, op_name = groups.get("symbol"), groups.get("op")
    return Marker(
        pass_name=class_name if match.re.pattern == _JIT.pattern else argument.partition("{")[0],
        class_name=class_name,
        when=match["when"].decode().lower(),
        failed=groups.get("failed") is not None or " Failed" in text,
        symbol=symbol_of(symbol) if symbol else None,
        op_name=decoded(op_name) if op_name else None,
    )


def noise_end(data: Text, offset: int, end: int) -> int | None:
    """Return where the noise that begins at ``offset`` ends, before its line end. None if there is IR.

    Noise that ends no line, such as a progress bar, ends before the IR on its line.
    ``offset`` is the first character of a line that is not blank. The dump ends at ``end``.
    """
    if offset >= end or _IR.match(data, offset, end):
        return None
    if bar := PROGRESS.match(data, offset, end):
        last = line_end(data, offset, end)
        is_whole_op = not data[bar.end() : last].rstrip().endswith(b"{")  # else its end is an error
        return bar.end() if is_whole_op and IR_BEHIND.match(data, bar.end(), end) else last
    if _DIAGNOSTIC.match(data, offset, end):
        if excerpt := _MESSAGE_AND_EXCERPT.match(data, offset, end):
            return excerpt.end()
        return shown_op_end(data, offset, end) or line_end(data, offset, end)
    return line_end(data, offset, end) if _NOISE.match(data, offset, end) else None


def without_noise(text: bytes) -> bytes:
    """Return a text without the noise that begins at the starts of its lines."""
    parts, start = [], 0
    for match in _FLUSH_LINE.finditer(text):
        end = noise_end(text, match.end(), len(text)) if match.end() > start else None
        if end is not None:
            is_whole_line = text[end : end + 1] in b"\n"
            parts.append(text[start : match.end() - is_whole_line])
            start = end
    return b"".join([*parts, text[start:]])


def _is_crash(data: Text, offset: int, end: int) -> bool:
    """Whether the line at ``offset`` is the first of what is printed when a compiler crashes."""
    return _NO_IR.match(data, offset, end) is not None


def shown_op_end(data: Text, offset: int, end: int) -> int | None:
    """Return the end of the op that a diagnostic at ``offset`` shows on the next lines. None without one.

    The op ends with its first line end outside brackets.
    """
    message = _SHOWN_OP.match(data, offset, end)
    if message is None or not _DIAGNOSTIC.match(data, offset, end):
        return None
    position, depth = message.end(), 0
    for token, depth_after in nesting(data, position, min(end, position + _LONGEST_SHOWN_OP)):
        if depth <= 0 and b"\n" in data[position : token.start()]:
            break
        position, depth = token.end(), depth_after
    has_lines = depth <= 0 and (message["known"] is not None or b"\n" in data[message.end() : position])
    return line_end(data, position, end) if has_lines else None


def mlir_in(source: Source, span: Span, offset: int) -> Span:
    """Return a span up to the first line after an offset with which another text begins."""
    other = other_text(source.data, offset, span.end)
    return span if other is None else Span(span.start, other[0])


def is_left_by_crash(source: Source, span: Span, *, is_failed: bool) -> bool:
    """Whether a compiler that crashed printed the text below a marker, or it has no IR of a failed pass."""
    start = text_start(source, span)
    while start < span.end and (noise := noise_end(source.data, start, span.end)) is not None:
        if _is_crash(source.data, start, span.end) and not begins_ir(source.data, Span(noise, span.end)):
            return True
        start = text_start(source, Span(noise, span.end))
    return is_failed if start == span.end else _is_crash(source.data, start, span.end)


def begins_ir(data: Text, span: Span) -> bool:
    """Whether IR begins on one of the lines, and not an op that a diagnostic shows."""
    return _first(_HOLDS_IR, data, span) is not None


def module_start(data: Text, span: Span) -> int | None:
    """Return where the first module or function begins, with the aliases above it. None without one."""
    match = _first(_MODULE_START, data, span)
    if match is None:
        return None
    start = match.start()
    while start > span.start:
        line = max(data.rfind(b"\n", span.start, start - 1) + 1, span.start)
        if not _ALIAS_OR_BLANK.match(data, line, start):
            break
        start = line
    return start


def _first(sign: re.Pattern[bytes], data: Text, span: Span) -> re.Match[bytes] | None:
    """Return the first match that is not in an op that a diagnostic shows."""
    offset = span.start
    while match := sign.search(data, offset, span.end):
        message = data.rfind(b"\n", span.start, max(match.end() - 1, span.start)) + 1
        shown = shown_op_end(data, max(message, span.start), span.end)
        if shown is None:
            return match
        offset = shown
    return None


def closing_line(data: Text, span: Span) -> int | None:
    """Return the end of the line, not indented, that closes the braces opened since the start of a span.

    None if there is no such line.
    """
    depth, offset = 0, span.start
    while (brace := data.find(b"\n}", max(offset - 1, span.start), span.end)) >= 0:
        end = min(line_end(data, brace + 1, span.end) + 1, span.end)
        depth += opened_braces(data, Span(offset, end))
        if not depth:
            return end
        offset = end
    return None


def text_start(source: Source, span: Span) -> int:
    """Return where the text of a span begins, after blanks."""
    return match_end(_BLANK, source.data, span.start, span.end)


def separated(source: Source, span: Span) -> list[Span]:
    """Return the spans between ``// -----`` lines. Inside braces, such a line is a comment."""
    data, separators = source.data, list[Span]()
    for dashes in find_all(data, _SEPARATOR_DASHES, span):  # faster to find than the whole
        offset = dashes - len(_SEPARATOR_SLASHES)
        match = _SEPARATOR.match(data, offset, span.end) if offset >= span.start else None
        line = max(data.rfind(b"\n", span.start, max(offset, span.start)) + 1, span.start)
        if match and not data[line:offset].strip():
            separators.append(Span(line, match.end()))
    starts = [span.start, *(s.end for s in separators)]
    ends = [*(s.start for s in separators), span.end]
    return _joined(data, list(map(Span, starts, ends)))


def _joined(data: Text, pieces: list[Span]) -> list[Span]:
    """Return the pieces, with one for those that together close the braces that the first of them opens."""
    if len(pieces) == 1:
        return pieces
    depths = [0, *accumulate(opened_braces(data, piece) for piece in pieces)]
    closed_by, open_pieces = dict[int, int](), list[int]()
    for piece, depth in enumerate(depths):
        while open_pieces and depths[open_pieces[-1]] >= depth:
            closed_by[open_pieces.pop()] = piece
        open_pieces.append(piece)
    joined, first = list[Span](), 0
    while first < len(pieces):
        following = closed_by.get(first, first + 1)
        if depths[following] != depths[first]:
            following = first + 1
        joined.append(Span(pieces[first].start, pieces[following - 1].end))
        first = following
    return joined


def opened_braces(data: Text, span: Span) -> int:
    """Return how many braces a piece opens and does not close."""
    tokens = Counter(token["brace"] for token in matches(_BRACE, data, *span))
    return tokens[b"{"] - tokens[b"}"]


def prefix_of(data: Text, previous_end: int, start: int) -> bytes | None:
    """Return what stands before the marker at ``start`` on its line; None if the previous marker does.

    ``previous_end`` is the end of the previous marker, or 0. The result is empty if it is too long or IR.
    """
    line = data.rfind(b"\n", previous_end, start) + 1
    if not line and previous_end:
        return None
    if line == start or start - line > _LONGEST_PREFIX or _IR_LINE.match(data, line, start):
        return b""
    return data[line:start]


def without_prefixes(source: Source, markers: Sequence[Span]) -> Source:
    """Return a log without the prefixes that lines share with the markers at these places.

    The result is the same object if there is none.
    """
    data, prefixes = source.data, dict[int, bytes]()
    for previous, marker in pairwise([Span(0, 0), *markers]):
        if prefix := prefix_of(data, previous.end, marker.start):
            prefixes[marker.start - len(prefix)] = prefix
        elif prefix is not None:
            prefixes[data.rfind(b"\n", 0, marker.start) + 1] = prefix
    if not any(prefixes.values()):
        return source
    first = next(iter(prefixes))
    pieces = [(Span(0, first), prefixes[first], True)]
    spans = pairwise([*prefixes, len(data)])
    pieces += [(Span(*span), prefix, False) for span, prefix in zip(spans, prefixes.values(), strict=True)]
    lines, affixes, is_changed = list[bytes](), list[Affix](), False
    for span, prefix, is_above in pieces:
        own = data[span.start : span.end].split(b"\n")
        if span.end < len(data):
            own.pop()  # the next piece begins on a line of its own
        found = _affixes(source, span.start, own, prefix, is_above=is_above)
        is_changed |= found is not None
        lines += own
        affixes += found or [Affix()] * len(own)
    return source.without(affixes, lines) if is_changed else source


def without_prefix(source: Source, prefix: bytes | None, *, is_above: bool) -> Source:
    """Return the text from a marker to the next without the prefix of its lines but the first.

    The result is the same object if the lines do not have it. ``is_above``: it is the text above the first
    marker of a log, without a marker, and all lines must have the prefix.
    """
    if not prefix:
        return source
    lines = source.data[:].split(b"\n")
    found = _affixes(source, 0, lines, prefix, is_above=is_above, is_cut=not is_above)
    return source if found is None else source.without(found, lines)


def _affixes(
    source: Source, start: int, lines: list[bytes], prefix: bytes, *, is_above: bool, is_cut: bool = False
) -> list[Affix] | None:
    """Return what each line from ``start`` on is to lose; None if they do not share the prefix.

    ``is_cut``: the first of them is that of a marker, and does not have it any more.
    """
    matches = list(map(_shape(prefix).match, lines))
    below = zip(lines, matches, strict=True) if is_above else zip(lines[1:], matches[1:], strict=True)
    shares = [match is not None for line, match in below if line.strip()]
    if not (all(shares) if is_above else any(shares[:1])):
        return None
    if is_cut:
        matches[0] = None
    has_colours = _ESCAPE in prefix
    affixes = list[Affix]()
    for number, (line, match) in enumerate(zip(lines, matches, strict=True)):
        start = match.end() if match else 0
        colours = b""
        for found in _COLOURS.finditer(line, start) if has_colours and (match or not number) else ():
            colours = found[0] if found.end() == len(line) else b""
        affixes.append(Affix(match[0] if match else b"", colours))
    if _NUMBERED.fullmatch(prefix):
        _refuse_annotations(source, start, lines, affixes)
    return affixes


def _refuse_annotations(source: Source, start: int, lines: list[bytes], affixes: list[Affix]) -> None:
    """Raise an error if FileCheck numbered the lines: it annotates some and leaves some out."""
    for line, affix in zip(lines, affixes, strict=True):
        if _ANNOTATION.match(line) and not affix.before:
            raise source.error(start, FILECHECK)
        start += len(line) + 1


@lru_cache
def _shape(prefix: bytes) -> re.Pattern[bytes]:
    """Return the pattern of the prefix with any numbers; of its start, where only blanks follow."""

    def pattern(text: bytes) -> bytes:
        return b" *[0-9]+".join(map(re.escape, _NUMBER.split(text)))

    either = pattern(prefix) + b"|" + pattern(prefix.rstrip(b" \t")) + rb"(?=[ \t\r]*\Z)"
    return re.compile(either)


def find_titles(source: Source) -> list[tuple[Span, Marker]]:
    """Return the lines that name modules, as the markers of these; none if they do not name all of them.

    A last module without a line may follow those that are named after a pass.
    """
    data, titles, floor = source.data, list[tuple[Span, Marker] | None](), 0
    end = min(len(data), _FIRST_WITHIN)
    while (start := module_start(data, Span(floor, end))) is not None:
        titles.append(_title(data, floor, start))
        if titles[0] is None:  # as in most files
            return []
        floor, end = _end_of_op(data, start), len(data)
    named = [title for title in titles if title is not None]
    has_passes = all(marker.when is not None for _, marker in named)
    return named if len(named) > 1 and (has_passes or None not in titles) else []


def _end_of_op(data: Text, start: int) -> int:
    """Return where the op below aliases ends, at the first closing brace that is not indented."""
    head = _HEAD.search(data, start)
    closing = data.find(b"\n}", head.end() if head else start)
    return len(data) if closing < 0 else line_end(data, closing + 1, len(data))


def _title(data: Text, floor: int, start: int) -> tuple[Span, Marker] | None:
    """Return the line above ``start`` that names what begins there, as a marker."""
    for place in _lines_above(data, floor, start):
        line = decoded(data[place.start : place.end])
        text = line.strip(_RULE + "/")
        if not text:
            continue
        moment = _MOMENT.fullmatch(text)
        is_comment = line.lstrip().startswith("//") and not (moment and text.startswith("IR "))
        is_ir = _BEGINS_OP.match(line) is not None and not line.rstrip().endswith(":")
        is_other = is_comment or is_ir or len(text) > _LONGEST
        if is_other or (moment is None and noise_end(data, place.start, place.end) is not None):
            return None
        if moment is None:
            return place, Marker(text, PRINTED, None)
        name = moment["pass"].rstrip(_RULE)
        return place, Marker(name, name, moment["when"].lower())
    return None


def _lines_above(data: Text, floor: int, start: int) -> Iterator[Span]:
    """Yield the three lines above an offset that are not blank, the last first."""
    end, found = start, 0
    while end > floor and found < 3:
        begin = max(data.rfind(b"\n", floor, end - 1) + 1, floor)
        if data[begin:end].strip():
            found += 1
            yield Span(begin, end - 1 if data[end - 1 : end] == b"\n" else end)
        end = begin
