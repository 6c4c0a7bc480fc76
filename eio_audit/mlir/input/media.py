"""Name what a text is that is not MLIR, and MLIR that its way into a file has changed.

Some texts are of another language or log (``other_text``). They may follow IR. Others are IR in another
medium: a word processor, a web page, JSON or FileCheck has changed it on its way. Most of these cannot be
read, so they are looked for only where reading has failed (``disguise``). The others would be read as
something else. They have bytes that IR lacks outside strings, which are looked for first (``foreign_text``).
"""

from __future__ import annotations

import re

from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.source import InputError, Source, Span, Text, decoded, line_end, without_constants
from eio_audit.mlir.tokens import COMMENT, STRING, match_end

_NAMES_PATTERNS = "'eio-audit bisect -- COMPILER ARGS' names the patterns that changed ops"
_GREEDY = f"this is a debug log of the greedy rewriter, not MLIR: {_NAMES_PATTERNS}"
_CONVERSION = f"this is a debug log of the dialect conversion, not MLIR: {_NAMES_PATTERNS}"
_PATTERNS = f"this is a debug log of patterns, not MLIR: {_NAMES_PATTERNS}"
_DOCKER = "this is a log of docker in JSON lines, not MLIR; its text: jq -rj .log"
_OTHER_TEXTS = {
    "this is LLVM IR, not MLIR": (
        b"; ModuleID = '",
        b'source_filename = "',
        b"; *** IR Dump ",
        b"*** IR Dump ",
        b"define ",
    ),
    "this is HLO, not MLIR": (b"HloModule ",),
    "this is assembly of a GPU, not MLIR": (b"// -----// NVPTX", b"// -----// AMDGCN", b".version "),
    _DOCKER: (b'{"log":"',),
    _GREEDY: (
        b"Processing operation : '",
        b'Trying to match "',
        b"} -> success",
        b"} -> failure",
        b"[greedy-rewriter",
    ),
    _CONVERSION: (b"Legalizing operation : '", b"} -> SUCCESS", b"} -> FAILURE", b"[dialect-conversion"),
    _PATTERNS: (b"[pattern-",),
}
"""What is said of a text that is not MLIR, and what a line begins with from which on it is none."""
_STARTS = {start: what for what, starts in _OTHER_TEXTS.items() for start in starts}
_FIRST_BYTES = re.escape(b"".join(sorted({start[:1] for start in _STARTS})))
_OTHER_START = pattern(b"\n(?=[%b])(%b)" % (_FIRST_BYTES, b"|".join(map(re.escape, _STARTS))))

_WITHOUT_DUMPS = "to see both, compile with --mlir-timing --mlir-print-ir-after-all"
_IN_STRING = "this is IR in a string, with '\\n' for its line ends: print the string"
PROGRESS = pattern(
    rb"(?:[^\n%|]*+(?<=\d)%\|[^|\n]*+\|[^\[\n]*+\[[^\]\n]*+\]"
    rb"|[^\n\[]*+(?<=\dit )\[\d\d:\d\d,[^\]\n]*+\])+(?:\x1b\[[0-9;]*+m)*"
)
"""Progress bars as tqdm prints them. They end no line, so what is printed next stands behind them."""
IR_BEHIND = pattern(
    rb"[ \t]*+(?:[%^}]|[#!]\w++ = |\"[\w$.-]++\"\(|[a-z_]\w*+\.[a-z_]|module\b|return\b|// -----)"
)
FILECHECK = "this is a part of FileCheck's output: give all of it, with 'Input was:' and '>>>>>>'"
_IN_IR = {
    FILECHECK: (rb"explains the following input dump|(?m:^(?:[^\n<]*[ \t])?<<<<<<[ \t\r]*$)"),
    "this is a log of actions, not MLIR: 'eio-audit bisect -- COMPILER ARGS' makes a log to trace": (
        rb"\b(?:begins \([^()\n]{0,80}\) Action|completed) `[\w-]+`"
    ),
    f"this is a timing report in JSON without dumps: {_WITHOUT_DUMPS}": (
        rb"\A\s*+(?:\[\s*+)?\{\s*+\"(?:wall|user)\"\s*+:\s*+\{"
    ),
    "this is the source of a web page, not MLIR: copy the text that it shows": (
        rb"(?i)<!doctype html|</(?:html|body|div|pre|span|td)>"
    ),
    "this is a document of a word processor, not MLIR: save it as plain text": rb"\A(?:\{\\rtf|%PDF-)",
    "this is a mail as it is sent, with =3D for '=': save its text": rb"=3D",
    "this is IR in a string of Python: print the string": rb"\"\"\"|'''",
    "this is a list of lines in JSON, not MLIR: print them": rb"\A\s*+\[\s*+\"",
    "this has the two sides of a conflict in git: resolve it first": rb"(?m)^<<<<<<< ",
    "this is a diff, not MLIR: compare the two files that it was made of": (
        rb"(?m)^(?:diff --git |@@ -\d++(?:,\d++)? \+\d)"
    ),
    "a progress bar is before the IR of a line: print the log without it": (
        rb"(?m)^(?:"
        + PROGRESS.pattern
        + IR_BEHIND.pattern
        + rb"|[^\n%\"]*+(?<=\d)%[ \t|\]][^\n]*?%[\w$.-]++ = )"
    ),
    "line numbers are before the lines: print them without": (
        rb"(?m)^[ \t]*+\d++[:\t |][ \t|]*+(?:(?:builtin\.)?module\b|func\.func\b|%[\w$.-]++ = |\"builtin\.)"
    ),
}
"""What is said of IR that cannot be read, and the pattern that shows why. The first one counts."""
_INSTEAD_OF_IR = {
    _GREEDY: rb"\[greedy-rewriter\b|Processing operation : '|\} -> (?:success|failure) :",
    _CONVERSION: rb"\[dialect-conversion\b|Legalizing operation : '|\} -> (?:SUCCESS|FAILURE) :",
    _PATTERNS: rb"\[pattern-[a-z]|Trying to match \"| \| notify(?:Operation|Block)[A-Z]",
    f"this is a timing table without dumps: {_WITHOUT_DUMPS}": (rb"Execution time report|----Wall Time----"),
    _DOCKER: rb"(?m)^[ \t]*+\{\"log\":",
    "this is UTF-16 text without a mark: convert it first, with iconv -f UTF-16LE -t UTF-8": (
        rb"\A(?:[\x01-\x7f]\x00){4}"
    ),
    "this is UTF-16 text without a mark: convert it first, with iconv -f UTF-16BE -t UTF-8": (
        rb"\A(?:\x00[\x01-\x7f]){4}"
    ),
    _IN_STRING: rb"\A\s*+(?:\\++n|[^\n]*?[{(/})][ \t]*\\++n)",
    "this is JSON, not MLIR: take the text out of it": rb"\A\s*+(?:\[\s*+)?\{\s*+\"[\w .-]++\"\s*+:",
    "other text is before the IR of its lines: print them without": (
        rb"(?m)^[^\n]{1,200}?[ \t:|>](?:(?:builtin\.)?module\b[^\n]*\{|func\.func )"
    ),
}
"""The same of a text in which no line begins an op."""
_LOOKED_AT = 1 << 22  # how many bytes of such a text are looked at

_MARK = b"\xef\xbb\xbf"  # the byte order mark of UTF-8, which may begin a file
_FOREIGN_BYTES = b"\xc2", b"\xe2", b"\xef", b"&"
_FOREIGN = pattern(
    STRING
    + rb"|"
    + COMMENT
    + rb"|(?P<quote>\xe2\x80[\x98-\x9f]|\xc2[\xab\xbb])|(?P<dash>\xe2\x80[\x90-\x95]|\xe2\x88\x92)"
    rb"|(?P<arrow>\xe2\x86\x92)|(?P<dots>\xe2\x80\xa6)"
    rb"|(?P<blank>\xc2\xa0|\xe2\x80[\x80-\x8a\xaf])|(?P<nothing>\xe2\x80[\x8b-\x8d]|\xef\xbb\xbf|\xc2\xad)"
    rb"|(?P<entity>&(?:quot|apos|lt|gt|amp|nbsp|#\d{1,7}|#x[0-9a-fA-F]{1,6});)"
)
"""What no IR has outside strings and comments, or what may hold it."""
_FOREIGN_KINDS = {
    "quote": "{} is a curly quote, as word processors write it: write a straight one",
    "dash": "{} is a long dash, as word processors write it: write '-', or '--' for a longer one",
    "arrow": "{} is one character: write '->'",
    "dots": "{} is one character: write '...'",
    "blank": "{} is a non-breaking or other special blank: write a plain one",
    "nothing": "{} is a character that is not visible: delete it",
    "entity": "{} is the source of a web page: copy the text that the page shows",
}
_FIRST_OF_DASH = b"\xe2"
_FOREIGN_MARKER = pattern(rb"(?P<dash>\xe2\x80[\x90-\x95])[^\n]{0,20}IR Dump ")
_IR_LINE = pattern(
    rb"(?:[ \t]|\xc2\xa0|\xc2\xad|\xe2\x80[\x80-\x8d\xaf]|\xef\xbb\xbf|&nbsp;)*+"
    rb"(?:[%^}#!]|\"[\w$.-]++\"\(|&quot;[\w$.-]++&quot;|\xe2\x80[\x98-\x9f][\w$.-]++\xe2\x80|[A-Za-z_]\w*+\.[\w$.]++"
    rb"|(?:module|return|func)\b)"
)
"""The start of a line of IR, with such blanks and quotes."""
_LINE_END_IN_TEXT = pattern(STRING + rb"|(?P<end>[{}][ \t]*+\\++n)")
_BLANKS = pattern(rb"\s*+")

_PRETTY = "locations without loc(...), as --mlir-pretty-debuginfo prints them: print without it"
_PRETTY_PLACE = pattern(
    rb"(?:[^\s\"]:\d++:\d++(?: to \d*+:\d++)?|\[unknown\])[)\]]*+[ \t\r]*+\Z"
    rb"|[^\s\"]:\d++:\d++ at [^\n]*\Z"
)
_LOCATION_ALIAS = pattern(rb"#loc\d*+(?![\w$.-])")
_PRETTY_NAME = pattern(rb"\"[)\]]*+[ \t\r]*+\Z")
_RESULTS_LINE = pattern(rb"(?m)^[ \t]*+%[^\n=]*+= [^\n]*+")
_OP_LINE = pattern(rb"[ \t]*+(?:%[\w$.-]++[^=\n]*+= |\"[\w$.-]++\"\(|[a-z_]\w*+\.[\w.$]++ )")
_LONGEST_END = 1 << 16  # the most bytes at the end of a dump in which its last line is looked for


def other_text(data: Text, offset: int, end: int) -> tuple[int, str] | None:
    """Return where the first text of another language or log begins between two offsets, and what it is."""
    for start, what in _STARTS.items():
        if data[offset : offset + len(start)] == start:
            return offset, what
    for part in without_constants(data, Span(offset, end)):
        if found := _OTHER_START.search(data, *part):
            return found.start(1), _STARTS[found[1]]
    return None


def disguise(source: Source, span: Span, *, has_ops: bool) -> InputError | None:
    """Return the error that names the medium of a text that cannot be read; None if it is not known."""
    known = _IN_IR if has_ops else _IN_IR | _INSTEAD_OF_IR
    text = bytes(source.data[span.start : min(span.end, span.start + _LOOKED_AT)])
    for what, sign in known.items():
        if found := re.compile(sign).search(text):
            return source.error(span.start + found.start(), what)
    return None


def foreign_marker(source: Source) -> InputError | None:
    """Return the error for a text in which dashes of markers are no plain ones; None without one."""
    if source.data.find(_FIRST_OF_DASH, 0, _LOOKED_AT) < 0:  # a byte is found ten times as fast as a text
        return None
    if found := _FOREIGN_MARKER.search(source.data, 0, _LOOKED_AT):
        shown = decoded(found["dash"])
        return source.error(found.start("dash"), _FOREIGN_KINDS["dash"].format(shown))
    return None


def foreign_text(source: Source, span: Span) -> InputError | None:
    """Return the error for what no printer of IR writes but the reader would pass; None without it."""
    has_foreign_bytes = any(source.data.find(byte, *span) >= 0 for byte in _FOREIGN_BYTES)
    foreign = _foreign_characters(source, span) if has_foreign_bytes else None
    return foreign or _in_string(source, span) or _pretty_locations(source, span)


def _foreign_characters(source: Source, span: Span) -> InputError | None:
    data, passed = source.data, span.start
    for found in _FOREIGN.finditer(data, *span):
        kind, start = found.lastgroup, found.start()
        if kind is None or start < passed or (start == span.start and found[0] == _MARK):
            continue
        if not _is_ir_line(data, start):
            passed = line_end(data, start, span.end)
            continue
        shown = decoded(found[0])
        named = f"U+{ord(shown):04X}" if kind in {"blank", "nothing"} else shown
        return source.error(start, _FOREIGN_KINDS[kind].format(named))
    return None


def _in_string(source: Source, span: Span) -> InputError | None:
    """Return the error for IR in which a backslash and a letter stand for line ends, by its first line."""
    data = source.data
    start = match_end(_BLANKS, data, span.start, span.end)
    end = line_end(data, start, min(span.end, start + _LONGEST_END))
    for found in _LINE_END_IN_TEXT.finditer(data, start, end):
        if found["end"]:
            return source.error(found.start(), _IN_STRING)
    return None


def _is_ir_line(data: Text, offset: int) -> bool:
    line = data.rfind(b"\n", 0, offset) + 1
    return _IR_LINE.match(data, line) is not None


def _pretty_locations(source: Source, span: Span) -> InputError | None:
    """Return the error for a dump whose locations are not in ``loc(...)``, by the line that closes it."""
    data, first = source.data, max(span.start, span.end - _LONGEST_END)
    brace = data.rfind(b"\n}", first, span.end) + 1
    if not brace:
        return _pretty_last_line(source, Span(first, span.end))
    line = bytes(data[brace : line_end(data, brace, span.end)])
    if b" //" in line or len(line) < len(b"} []"):
        return None
    is_alias = b"loc(" not in line and _LOCATION_ALIAS.search(line) is not None
    is_pretty = is_alias or _PRETTY_PLACE.search(line) is not None
    if not is_pretty and _ends_in_name(line):
        ops = _RESULTS_LINE.findall(bytes(data[first:brace]))
        is_pretty = bool(ops) and all(_PRETTY_PLACE.search(op) or _ends_in_name(op) for op in ops)
    return source.error(brace + 1, _PRETTY) if is_pretty else None


def _pretty_last_line(source: Source, span: Span) -> InputError | None:
    """The same of a dump without a closing brace, by its last line."""
    text = bytes(source.data[span.start : span.end]).rstrip()
    line = text[text.rfind(b"\n") + 1 :]
    if _OP_LINE.match(line) and b" //" not in line and _PRETTY_PLACE.search(line):
        return source.error(span.start + len(text), _PRETTY)
    return None


def _ends_in_name(line: bytes) -> bool:
    return b"loc(" not in line and _PRETTY_NAME.search(line) is not None
