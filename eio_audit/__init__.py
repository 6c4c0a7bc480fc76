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

from eio_audit.audit.check import (
    BlockAudit,
    Check,
    DisplacedOp,
    DumpAudit,
    Hold,
    OpLabel,
    Summary,
    check,
    unmatched_patterns,
)
from eio_audit.audit.dependence import DependenceKind, dataflow_graph
from eio_audit.audit.diff import Diff, OpChange, diff
from eio_audit.audit.explain import (
    Explanation,
    FixedPlace,
    InversionKind,
    InvertedOp,
    Neighbour,
    OpEffects,
    OpExplanation,
    PathStep,
    explain,
)
from eio_audit.audit.fix import Fix, VerificationError, fix
from eio_audit.audit.options import AuditOptions, Follow
from eio_audit.audit.original_index import DEFAULT_INDEX_PATTERN, IndexPattern
from eio_audit.mlir.dumps import Dump, find_dumps, find_files
from eio_audit.mlir.effects import EffectSource
from eio_audit.mlir.markers import Marker
from eio_audit.mlir.source import InputError, Source

__version__ = "0.1.0"

__all__ = [
    "DEFAULT_INDEX_PATTERN",
    "AuditOptions",
    "BlockAudit",
    "Check",
    "DependenceKind",
    "Diff",
    "DisplacedOp",
    "Dump",
    "DumpAudit",
    "EffectSource",
    "Explanation",
    "Fix",
    "FixedPlace",
    "Follow",
    "Hold",
    "IndexPattern",
    "InputError",
    "InversionKind",
    "InvertedOp",
    "Marker",
    "Neighbour",
    "OpChange",
    "OpEffects",
    "OpExplanation",
    "OpLabel",
    "PathStep",
    "Source",
    "Summary",
    "VerificationError",
    "check",
    "dataflow_graph",
    "diff",
    "explain",
    "find_files",
    "fix",
    "read",
    "read_text",
    "unmatched_patterns",
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
