"""The internals that three modules of tests or more need: what the public API and the command line do not show.

What fewer need, they import from where it is.
"""

from __future__ import annotations

from eio_audit.audit.bisect.attempts import Attempt
from eio_audit.audit.bisect.compiler_command import CompilerCommand, CompilerRun
from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.keyed_block import FixedBlock
from eio_audit.audit.check.keyed_dump import AuditedDump, read_dump
from eio_audit.audit.corpus.check_dumps import DumpCheck, check_dumps
from eio_audit.audit.corpus.two_runs import compare_runs
from eio_audit.audit.corpus.workers import BatchSize, Workers, local_workers
from eio_audit.audit.dependence import DependenceGraph, Dependences
from eio_audit.audit.explain.order_picture import WorstBlocks
from eio_audit.audit.fix.fix import DumpFix, in_orders
from eio_audit.audit.gate.findings import Baseline, find
from eio_audit.audit.gate.gate import judge
from eio_audit.audit.gate.rules import RULES
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.audit.locations.parsed_locations import Interned
from eio_audit.audit.log.log_findings import LogFindings
from eio_audit.cli.registry import COMMANDS, cli
from eio_audit.cli.reports import RENDERERS, rendered
from eio_audit.mlir.input.folders import find_dump_files
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.semantics import forms as forms_module
from eio_audit.mlir.semantics import resources as resources_module
from eio_audit.mlir.semantics import value_types as value_types_module
from eio_audit.mlir.source import Source
from eio_audit.mlir.traits import OpTable, OpTraits, op_traits
from eio_audit.order.effort import Effort, SearchLimits
from eio_audit.order.linear_extension import restore_order
from eio_audit.order.permutation import count_inversions, displaced, sorted_runs
from eio_audit.order.precedence import Precedence
from eio_audit.order.search import Order, pull_up, push_down
from eio_audit.order.windows import TransitiveClosure, Window, block_of
from eio_audit.report.html.data import STATUSES, StoredSteps
from eio_audit.report.text.console import Console
