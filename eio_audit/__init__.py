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

TYPE_CHECKING = False  # as type checkers know it; typing takes longer to import than --version to answer
if TYPE_CHECKING:
    from eio_audit.audit.check.check import AuditedDump, Check, check
    from eio_audit.audit.check.figures import (
        BlockAudit,
        Blocker,
        BlockMemory,
        DisplacedOp,
        DumpAudit,
        MislabelledOp,
        Summary,
        unmatched_patterns,
    )
    from eio_audit.audit.codegen.codegen import (
        CodegenFunction,
        Prediction,
        Stage,
        Structure,
        TornModule,
        structure,
    )
    from eio_audit.audit.codegen.codegen_location import Reason
    from eio_audit.audit.dependence import DependenceKind
    from eio_audit.audit.diff.diff import Diff, diff
    from eio_audit.audit.diff.inverse_ops import InverseOps, LayoutOp, LayoutPair, MovedLayoutOp
    from eio_audit.audit.diff.module_runs import Fragmentation, ModuleRuns
    from eio_audit.audit.diff.op_changes import Ancestor, OpChange, OpChanges, OpDifference, Relation
    from eio_audit.audit.explain.dataflow import (
        Dataflow,
        DataflowEdge,
        DataflowOp,
        dataflow,
        dataflow_graph,
        neighbourhood,
    )
    from eio_audit.audit.explain.explain import (
        Explanation,
        FixedPlace,
        InversionKind,
        InvertedOp,
        Neighbour,
        OpExplanation,
        PathStep,
        explain,
    )
    from eio_audit.audit.explain.order_picture import (
        Disorder,
        OrderPicture,
        PicturedOp,
        WorstBlocks,
    )
    from eio_audit.audit.fix.fix import Fix, Relabel, fix
    from eio_audit.audit.fix.shuffle import shuffle
    from eio_audit.audit.fix.stamp import stamp
    from eio_audit.audit.fix.verification import VerificationError
    from eio_audit.audit.gate.baseline import Baseline, BaselineEntry
    from eio_audit.audit.gate.findings import Finding, find
    from eio_audit.audit.gate.gate import Gate, Verdict, judge
    from eio_audit.audit.gate.rules import AVOIDABLE, RULES, UNAVOIDABLE, WRONG_LABEL, Rule, rules_by_prefix
    from eio_audit.audit.locations.index_pattern import DEFAULT_INDEX_PATTERN, IndexPattern
    from eio_audit.audit.locations.location_health import (
        HealthChange,
        LocationFinding,
        LocationHealth,
        LocationRule,
    )
    from eio_audit.audit.locations.origin import ModelLine
    from eio_audit.audit.locations.original_order import OriginalOrder
    from eio_audit.audit.op_label import OpLabel
    from eio_audit.audit.options import AuditOptions, Follow
    from eio_audit.audit.trace.trace import Culprit, DumpPlace, Trace, TracedPass, trace
    from eio_audit.mlir.input.dumps import Dump, read, read_text, stream
    from eio_audit.mlir.input.folders import DumpFile, find_dump_files, find_files
    from eio_audit.mlir.input.markers import Marker
    from eio_audit.mlir.input.states import HOW_TO_NAME_STATES, Moment, State
    from eio_audit.mlir.semantics.effects import Effects, EffectSource
    from eio_audit.mlir.source import InputError, Source, source_name
    from eio_audit.mlir.traits import OpTable, OpTraits, parse_op_traits

__version__ = "0.1.0"

_HOMES = {
    "audit.gate.baseline": ("Baseline", "BaselineEntry"),
    "audit.check.check": ("AuditedDump", "Check", "check"),
    "audit.codegen.codegen": (
        "CodegenFunction",
        "Prediction",
        "Stage",
        "Structure",
        "TornModule",
        "structure",
    ),
    "audit.codegen.codegen_location": ("Reason",),
    "audit.explain.dataflow": (
        "Dataflow",
        "DataflowEdge",
        "DataflowOp",
        "dataflow",
        "dataflow_graph",
        "neighbourhood",
    ),
    "audit.dependence": ("DependenceKind",),
    "audit.diff.diff": ("Diff", "diff"),
    "audit.explain.explain": (
        "Explanation",
        "FixedPlace",
        "InversionKind",
        "InvertedOp",
        "Neighbour",
        "OpExplanation",
        "PathStep",
        "explain",
    ),
    "audit.check.figures": (
        "BlockAudit",
        "BlockMemory",
        "Blocker",
        "DisplacedOp",
        "DumpAudit",
        "MislabelledOp",
        "Summary",
        "unmatched_patterns",
    ),
    "audit.gate.findings": ("Finding", "find"),
    "audit.fix.fix": ("Fix", "Relabel", "fix"),
    "audit.gate.gate": ("Gate", "Verdict", "judge"),
    "audit.locations.index_pattern": ("DEFAULT_INDEX_PATTERN", "IndexPattern"),
    "audit.diff.inverse_ops": ("InverseOps", "LayoutOp", "LayoutPair", "MovedLayoutOp"),
    "audit.locations.location_health": ("HealthChange", "LocationFinding", "LocationHealth", "LocationRule"),
    "audit.diff.module_runs": ("Fragmentation", "ModuleRuns"),
    "audit.diff.op_changes": ("Ancestor", "OpDifference", "OpChange", "OpChanges", "Relation"),
    "audit.op_label": ("OpLabel",),
    "audit.options": ("AuditOptions", "Follow"),
    "audit.explain.order_picture": (
        "Disorder",
        "WorstBlocks",
        "OrderPicture",
        "PicturedOp",
    ),
    "audit.locations.origin": ("ModelLine",),
    "audit.locations.original_order": ("OriginalOrder",),
    "audit.gate.rules": ("AVOIDABLE", "RULES", "UNAVOIDABLE", "WRONG_LABEL", "Rule", "rules_by_prefix"),
    "audit.fix.shuffle": ("shuffle",),
    "audit.fix.stamp": ("stamp",),
    "audit.trace.trace": ("Culprit", "DumpPlace", "Trace", "TracedPass", "trace"),
    "audit.fix.verification": ("VerificationError",),
    "mlir.input.dumps": ("Dump", "read", "read_text", "stream"),
    "mlir.semantics.effects": ("EffectSource", "Effects"),
    "mlir.input.folders": ("DumpFile", "find_dump_files", "find_files"),
    "mlir.input.markers": ("Marker",),
    "mlir.source": ("InputError", "Source", "source_name"),
    "mlir.input.states": ("HOW_TO_NAME_STATES", "Moment", "State"),
    "mlir.traits": ("OpTable", "OpTraits", "parse_op_traits"),
}
"""Where the public names live; a module is imported when one of its names is first used."""

_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AVOIDABLE",
    "DEFAULT_INDEX_PATTERN",
    "HOW_TO_NAME_STATES",
    "RULES",
    "UNAVOIDABLE",
    "WRONG_LABEL",
    "Ancestor",
    "AuditOptions",
    "AuditedDump",
    "Baseline",
    "BaselineEntry",
    "BlockAudit",
    "BlockMemory",
    "Blocker",
    "Check",
    "CodegenFunction",
    "Culprit",
    "Dataflow",
    "DataflowEdge",
    "DataflowOp",
    "DependenceKind",
    "Diff",
    "Disorder",
    "DisplacedOp",
    "Dump",
    "DumpAudit",
    "DumpFile",
    "DumpPlace",
    "EffectSource",
    "Effects",
    "Explanation",
    "Finding",
    "Fix",
    "FixedPlace",
    "Follow",
    "Fragmentation",
    "Gate",
    "HealthChange",
    "IndexPattern",
    "InputError",
    "InverseOps",
    "InversionKind",
    "InvertedOp",
    "LayoutOp",
    "LayoutPair",
    "LocationFinding",
    "LocationHealth",
    "LocationRule",
    "Marker",
    "MislabelledOp",
    "ModelLine",
    "ModuleRuns",
    "Moment",
    "MovedLayoutOp",
    "Neighbour",
    "OpChange",
    "OpChanges",
    "OpDifference",
    "OpExplanation",
    "OpLabel",
    "OpTable",
    "OpTraits",
    "OrderPicture",
    "OriginalOrder",
    "PathStep",
    "PicturedOp",
    "Prediction",
    "Reason",
    "Relabel",
    "Relation",
    "Rule",
    "Source",
    "Stage",
    "State",
    "Structure",
    "Summary",
    "TornModule",
    "Trace",
    "TracedPass",
    "Verdict",
    "VerificationError",
    "WorstBlocks",
    "check",
    "dataflow",
    "dataflow_graph",
    "diff",
    "explain",
    "find",
    "find_dump_files",
    "find_files",
    "fix",
    "judge",
    "neighbourhood",
    "parse_op_traits",
    "read",
    "read_text",
    "rules_by_prefix",
    "shuffle",
    "source_name",
    "stamp",
    "stream",
    "structure",
    "trace",
    "unmatched_patterns",
]


def __getattr__(name: str) -> object:
    """Imports a public name (PEP 562), so that a program pays for what it uses."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
