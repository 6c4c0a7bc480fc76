"""The internals that tests need: what the public API and the command line do not show.

Tests import them from here, so code can move without a change of the tests.
"""

from __future__ import annotations

from eio_audit.audit import dependence as dependence_module
from eio_audit.audit.bisect.bisect import name_of_step, root_of
from eio_audit.audit.bisect.compiler_command import OWN_FLAGS, CompilerCommand, CompilerRun, CompilerRuns
from eio_audit.audit.bisect.outcome import Outcome, outcome_of, without_names
from eio_audit.audit.bisect.pass_search import Halving, first_failing
from eio_audit.audit.bisect.pass_states import flow_of, write_log
from eio_audit.audit.bisect.survey import (
    Attempt,
    Survey,
    choose_pass,
    read_attempts,
    short_pattern,
)
from eio_audit.audit.check.check import audit_dump, audit_keyed
from eio_audit.audit.check.disorder import find_blockers
from eio_audit.audit.check.keyed_block import FixedBlock, PairClasses
from eio_audit.audit.check.keyed_dump import AuditedDump, OrderKeys, SharedWork, read_dump
from eio_audit.audit.command import run_command
from eio_audit.audit.corpus.check_dumps import DumpCheck, check_dumps, digest_of, dump_in_file, fix_files
from eio_audit.audit.corpus.in_order import LostWork, Piece, in_order
from eio_audit.audit.corpus.models import figures_by_model, figures_by_pass, find_models, models_of
from eio_audit.audit.corpus.trace_models import TraceModel, merge_traces, pass_totals, trace_models
from eio_audit.audit.corpus.two_runs import compare_runs
from eio_audit.audit.corpus.workers import (
    BatchSize,
    TimeLimit,
    Workers,
    cluster_workers,
    local_workers,
    program_digest,
    require_versions,
    usable_cores,
)
from eio_audit.audit.dependence import DependenceGraph, Dependences
from eio_audit.audit.diff import advice as advice_module
from eio_audit.audit.diff.advice import Advice, PassFlow
from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.audit.diff.dump_comparison import repeated_changes
from eio_audit.audit.diff.made_ops import Group, Kind, Root
from eio_audit.audit.diff.matching import gaps_between, match_ops, matching_lines
from eio_audit.audit.diff.sameness import sameness
from eio_audit.audit.explain.explain import OpExplanation, OpInBlock
from eio_audit.audit.explain.order_picture import BlockDataflow, WorstBlocks, neighbourhood, pictures_of_model
from eio_audit.audit.fix import labels as labels_module
from eio_audit.audit.fix import verification as verification_module
from eio_audit.audit.fix.fix import (
    DumpFix,
    corrected,
    in_orders,
    random_order,
    random_orders,
    reordered,
    with_other_names,
)
from eio_audit.audit.fix.labels import new_locations
from eio_audit.audit.fix.labels import relabelled as relabelled_locations
from eio_audit.audit.fix.verification import first_lines, lines_of_input, read_relocated, verify
from eio_audit.audit.gate.findings import Baseline, find
from eio_audit.audit.gate.gate import by_severity, judge
from eio_audit.audit.gate.rules import RULES
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.audit.locations.parsed_locations import Interned, LocationNumbers
from eio_audit.audit.log import followed_pairs as followed_pairs_module
from eio_audit.audit.log import function_states as function_states_module
from eio_audit.audit.log import pass_advice as pass_advice_module
from eio_audit.audit.log.crash import next_pass
from eio_audit.audit.log.log_findings import LogFindings
from eio_audit.audit.log.program_log import ProgramLog
from eio_audit.audit.log.scope_steps import ChangedOp
from eio_audit.audit.options import DEFAULT_OPTIONS
from eio_audit.audit.programs.modules import Module, number_modules
from eio_audit.audit.programs.program_text import text_before
from eio_audit.audit.programs.scope_text import Lines, ScopeText
from eio_audit.audit.programs.shown_text import Recent
from eio_audit.audit.reduce.property import Wanted
from eio_audit.audit.reduce.reduce import Job, reduce_program
from eio_audit.audit.reduce.search import Candidate, Search
from eio_audit.audit.reduce.steps import KINDS, Item
from eio_audit.cli.dump_choice import rerun
from eio_audit.cli.main import main
from eio_audit.cli.output import write_atomically, write_folder
from eio_audit.cli.registry import COMMANDS, cli
from eio_audit.cli.reports import RENDERERS, Given, rendered
from eio_audit.mlir import source as source_module
from eio_audit.mlir.editing.constants import splat_of
from eio_audit.mlir.editing.printing import program_text
from eio_audit.mlir.editing.program import Program
from eio_audit.mlir.editing.reading import read_program
from eio_audit.mlir.input import dumps as dumps_module
from eio_audit.mlir.input.dumps import find_dumps
from eio_audit.mlir.input.folders import file_marker, find_dump_files, find_files, find_states
from eio_audit.mlir.input.function_texts import Aliases, DumpText, outermost_op, shown_op
from eio_audit.mlir.input.markers import holds_ir
from eio_audit.mlir.input.pipeline import PipelinePass, pipeline_in, printed_pipeline
from eio_audit.mlir.input.timing_reports import find_timing_reports
from eio_audit.mlir.ir import IR
from eio_audit.mlir.location import Locations
from eio_audit.mlir.reading import reader as reader_module
from eio_audit.mlir.reading.boundaries import Boundaries, comments_above
from eio_audit.mlir.reading.builder import Builder, Scopes
from eio_audit.mlir.reading.op_text import OpTexts
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.rewriting import with_locations
from eio_audit.mlir.semantics import accesses as accesses_module
from eio_audit.mlir.semantics import calls as calls_module
from eio_audit.mlir.semantics import effects as effects_module
from eio_audit.mlir.semantics import forms as forms_module
from eio_audit.mlir.semantics import operators as operators_module
from eio_audit.mlir.semantics import resources as resources_module
from eio_audit.mlir.semantics import value_types as value_types_module
from eio_audit.mlir.semantics.calls import Calls
from eio_audit.mlir.semantics.functions import functions_around
from eio_audit.mlir.source import Source, Span, find_all, read_file, unpacked_blocks
from eio_audit.mlir.tokens import AliasTexts
from eio_audit.mlir.traits import FLAGS, UNLISTED, OpTable, OpTraits, op_of_callee, op_traits, parse_op_traits
from eio_audit.order import inverted_pairs as inverted_pairs_module
from eio_audit.order.effort import STEPS_PER_OP, Effort, SearchLimits
from eio_audit.order.linear_extension import (
    implied_order,
    is_minimal,
    restore_order,
)
from eio_audit.order.permutation import (
    count_inversions,
    displaced,
    inversions_charged,
    order_profile,
    permuted_ranges,
    sorted_runs,
)
from eio_audit.order.precedence import Precedence, after_last_uses, attach_unindexed, effective_keys
from eio_audit.order.search import Order, best_order, improve, pull_up, push_down
from eio_audit.order.windows import (
    CyclePacking,
    TransitiveClosure,
    Window,
    block_of,
    split_into_windows,
)
from eio_audit.order.wrong_labels import fewest_wrong_labels, outside_antichain
from eio_audit.order.wrong_labels import relabelled as relabelled_keys
from eio_audit.report import json as json_module
from eio_audit.report.document import columns_of
from eio_audit.report.graph import layered_layout
from eio_audit.report.html.data import STATUSES, StoredSteps, Table
from eio_audit.report.html.pages import check_to_pages, page_names
from eio_audit.report.html.passes import trace_to_html
from eio_audit.report.manual import entries, look_up
from eio_audit.report.text import progress as progress_module
from eio_audit.report.text.check import Shown, print_findings
from eio_audit.report.text.console import Column, Console, print_table
from eio_audit.report.text.diff import unified_diff
from eio_audit.report.wording.conclusion import bisection_command
from eio_audit.report.wording.diff import marked, word_diff
from eio_audit.report.wording.order import sum_of
from eio_audit.report.wording.trace import reason
