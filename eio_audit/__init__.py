"""Audit and restore the original order of operations in MLIR pass dumps.

>>> import eio_audit
>>> text = b'''
... func.func @f(%a: i32) -> i32 {
...   %0 = "t.late"(%a) : (i32) -> i32 loc("DEBUG|2|f")
...   %1 = "t.early"(%a) : (i32) -> i32 loc("DEBUG|1|f")
...   return %0 : i32
... }
... '''
>>> eio_audit.check(eio_audit.read_text(text)).summary.inversions
1
"""

from __future__ import annotations

from eio_audit.audit.check import BlockAudit, Check, DisplacedOp, DumpAudit, Hold, OpLabel, Summary, check
from eio_audit.audit.dependence import dataflow_graph
from eio_audit.audit.diff import Diff, OpChange, diff
from eio_audit.audit.fix import Fix, VerificationError, fix
from eio_audit.audit.original_index import IndexPattern
from eio_audit.mlir.dumps import Dump, find_dumps, find_files
from eio_audit.mlir.markers import Marker
from eio_audit.mlir.source import InputError, Source

__version__ = "0.1.0"

__all__ = [
    "BlockAudit",
    "Check",
    "Diff",
    "DisplacedOp",
    "Dump",
    "DumpAudit",
    "Fix",
    "Hold",
    "IndexPattern",
    "InputError",
    "Marker",
    "OpChange",
    "OpLabel",
    "Source",
    "Summary",
    "VerificationError",
    "check",
    "dataflow_graph",
    "diff",
    "find_files",
    "fix",
    "read",
    "read_text",
]


def read(path: str) -> list[Dump]:
    """The dumps of a file, ``-`` for standard input, in order of appearance.

    Raises:
        InputError: the file cannot be read, or is MLIR bytecode.
    """
    return find_dumps(Source.read(path))


def read_text(text: str | bytes, name: str = "<text>") -> list[Dump]:
    """The dumps of a text; ``name`` stands for the file in messages."""
    return find_dumps(Source(name, text.encode() if isinstance(text, str) else text))
