"""Recognize lines that are not IR: output of compilers, loggers and Python before, between and inside dumps.

Inside a dump, only lines of known form are skipped, so that a damaged op is never skipped. These are lines of
loggers (``[date] [LEVEL] ...``, ``date time | LEVEL ...``, ``I0821 12:00:00 ...``), diagnostics
(``file:line:col: error: ...``) with the source line and caret below them, and warnings of Python.
"""

from __future__ import annotations

import re

from eio_audit.mlir.input.files import Text
from eio_audit.mlir.source import line_end
from eio_audit.mlir.tokens import OR_FAIL

_LEVEL = rb"(?:trace|debug|info|warn(?:ing)?|error|fatal|critical|success)"
_COLOUR = rb"\x1b\[[0-9;]*[A-Za-z]"
_OP_START = rb"[ \t]*+(?:%|\"[\w$.-]+\"\(|\})"
_NOISE = (
    rb"(?:" + _COLOUR + OR_FAIL + rb")++(?!" + _OP_START + rb")"  # coloured by a logger
    rb"|\[[^\]\n\"]*\d\d:\d\d[^\]\n]*\]|(?i:\[\s*" + _LEVEL + rb"\s*\])"
    rb"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d[.,| ]"
    rb"|[IWEF]\d{4} \d\d:\d\d:\d\d"
    rb"|(?i:" + _LEVEL + rb")(?::|\s*+\||\s{2,}\S)|note: |remark: "
    rb"|Traceback \(most recent call last\)|File \"[^\"\n]*\", line \d+"
    rb"|[^\s:\"%()]+\.py:\d+: \w"
)
_DIAGNOSTIC = (
    rb"(?:(?:[^\s:\"%()]+|<[\w ]+>|\"[^\"\n]*\"):\d+:\d+"
    rb"|loc\((?:[^()\"\n]|\"[^\"\n]*\"|\([^()\n]*\))*\)|<unknown>:0)"
    rb": (?:error|warning|note|remark): "
)
_EXCERPT = re.compile(rb"[^\n]*+\n([^\n]*+\n)[ \t]*+\^[~ \t\r]*+(?=\n|\Z)")
_IR = re.compile(rb"[%^}#!{()]|\"[\w$.-]++\"\(|(?:[A-Za-z_]\w*+\.[\w$.]++|module|return) ")
"""The start of a line of IR. Few dumps have other lines, so the patterns above are compiled on first use."""


def noise_end(data: Text, offset: int, end: int) -> int | None:
    """Return where the noise that begins at ``offset`` ends, before its line end. None if there is IR.

    ``offset`` is the first character of a line that is not blank. The dump ends at ``end``.
    """
    if offset >= end or _IR.match(data, offset, end):
        return None
    if re.compile(_DIAGNOSTIC).match(data, offset, end):
        excerpt = _EXCERPT.match(data, offset, end)
        return excerpt.end() if excerpt else line_end(data, offset, end)
    return line_end(data, offset, end) if re.compile(_NOISE).match(data, offset, end) else None
