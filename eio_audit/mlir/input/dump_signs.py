"""Whether a text file holds IR, told by lines that only IR has."""

from __future__ import annotations

import re

from eio_audit.mlir.input.files import UnreadableFileError, read_blocks, whole_lines
from eio_audit.mlir.input.markers import find_markers

_BYTECODE = b"ML\xefR"
_SIGN = re.compile(
    rb"^[ \t]*+(?:"
    rb"%[\w$.-]++(?::\d++)?(?:, %[\w$.-]++(?::\d++)?)* = (?:\"|[A-Za-z_]\w*+\.)"
    rb"|\"[\w$-]++\.[\w$.-]++\"\("
    rb"|module\b[^\n]*?\{[ \t\r]*$"
    rb"|[A-Za-z_]\w*+\.[\w.$]++(?= )[^\n]*?(?:[ (,]%\w| @[\w\"]| loc\(| \{[ \t\r]*$)"
    rb"|[#!][A-Za-z_][\w$.-]*+ = (?:loc\(|[#!][\w$]|\w++<)"
    rb"|\}[^\n]*? loc\([#\"u]"
    rb")",
    re.MULTILINE,
)
"""How a line with an op, a definition of an alias or the end of a region begins."""


def holds_ir(path: str) -> bool:
    """Whether a file has a marker or a line of IR; packed files are unpacked.

    One that cannot be read is taken to hold some, so that reading it is the error it has to be. The file is
    read to its first such line, whatever a logger has printed above it.
    """
    try:
        for lines in whole_lines(read_blocks(path, lambda _: None)):
            is_marked = next(find_markers(lines), None) is not None
            if is_marked or lines.startswith(_BYTECODE) or _SIGN.search(lines):
                return True
    except UnreadableFileError:
        return True
    return False
