"""The internals that tests need: what the public API and the command line do not show.

Tests import them from here, so code can move without a change of the tests.
"""

from __future__ import annotations

from eio_audit.audit import dependence as dependence_module
from eio_audit.audit.check import check as check_module
from eio_audit.audit.check import keyed_dump as keyed_dump_module
from eio_audit.audit.check.audited_dump import AuditedDump, SharedWork
from eio_audit.audit.check.blockers import find_blockers
from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.figures import BlockMemory, summarize_blocks
from eio_audit.audit.check.keyed_block import FixedBlock, KeyedBlock
from eio_audit.audit.check.keyed_dump import read_dump
from eio_audit.audit.check.label_weights import DERIVED, INHERITED, LAYOUT, OTHER, LabelWeights
from eio_audit.audit.check.live_bytes import LiveBytes
from eio_audit.audit.check.order_keys import OrderKeys
from eio_audit.audit.codegen.code import values_used
from eio_audit.audit.codegen.codegen import BETWEEN, Stage, predict, structure_change
from eio_audit.audit.codegen.codegen_location import CodegenLocation, Reason, UnreadableLocation, read_name
from eio_audit.audit.codegen.prediction import CodegenFunction, Failure, Prediction
from eio_audit.audit.command import run_command
from eio_audit.audit.corpus import check_dumps as check_dumps_module
from eio_audit.audit.corpus import cluster as cluster_module
from eio_audit.audit.corpus import fix_files as fix_files_module
from eio_audit.audit.corpus import own_files as own_files_module
from eio_audit.audit.corpus import result_cache as result_cache_module
from eio_audit.audit.corpus import trace_models as trace_models_module
from eio_audit.audit.corpus import workers as workers_module
from eio_audit.audit.corpus.check_dumps import check_dumps
from eio_audit.audit.corpus.cluster import cluster_workers
from eio_audit.audit.corpus.comparison import (
    CheckComparison,
    ComparedFigures,
    EarlierCheck,
    FigureChange,
    Trend,
    compare_checks,
)
from eio_audit.audit.corpus.corpus_figures import ModelFigures, figures_by_model, figures_by_pass
from eio_audit.audit.corpus.dump_check import DumpCheck
from eio_audit.audit.corpus.fix_files import fix_files
from eio_audit.audit.corpus.models import model_of, models_of
from eio_audit.audit.corpus.result_cache import FILE, result_cache
from eio_audit.audit.corpus.shared_files import DumpInFile, dump_in_file
from eio_audit.audit.corpus.time_limit import TimeLimit
from eio_audit.audit.corpus.trace_models import (
    NO_PROGRESS,
    Model,
    ModelTraces,
    Progress,
    TraceModel,
    find_models,
    trace_models,
)
from eio_audit.audit.corpus.workers import LostWork, Workers, local_workers, results_in_order
from eio_audit.audit.dependence import DependenceGraph, DependenceKind, Dependences
from eio_audit.audit.diff.inverse_ops import InverseOps, LayoutOp, LayoutPair
from eio_audit.audit.diff.layout import inverse_pairs, rearrangements
from eio_audit.audit.diff.matching_lines import gaps_between, matching_lines
from eio_audit.audit.diff.module_runs import Fragmentation
from eio_audit.audit.diff.op_changes import ComparedDump, Relation, compared
from eio_audit.audit.diff.refinement import ComparedOps
from eio_audit.audit.diff.repeated_changes import repeated_changes
from eio_audit.audit.diff.sameness import Sameness, sameness
from eio_audit.audit.diff.two_runs import compare_runs
from eio_audit.audit.explain.dataflow import BlockDataflow, neighbourhood
from eio_audit.audit.explain.explain import InversionKind, OpExplanation, OpInBlock
from eio_audit.audit.explain.order_picture import Disorder, OrderPicture, WorstBlocks
from eio_audit.audit.explain.pictures_of_model import pictures_of_model
from eio_audit.audit.fix import reading_again as reading_again_module
from eio_audit.audit.fix import shuffle as shuffle_module
from eio_audit.audit.fix import stamp as stamp_module
from eio_audit.audit.fix.dump_fix import DumpFix, FixedDump, Relabel, corrected
from eio_audit.audit.fix.error_places import lines_of_input, shortened
from eio_audit.audit.fix.relabel import relabelled as relabelled_locations
from eio_audit.audit.fix.relabel import right_labels
from eio_audit.audit.fix.reordering import in_orders
from eio_audit.audit.fix.shuffle import random_order
from eio_audit.audit.fix.verification import verify
from eio_audit.audit.functions import functions_around
from eio_audit.audit.gate.baseline import Baseline, BaselineComparison, BaselineEntry
from eio_audit.audit.gate.checked_dump import CheckedDump
from eio_audit.audit.gate.findings import find, moved_by_fix
from eio_audit.audit.gate.gate import judge, worst_first
from eio_audit.audit.gate.rules import (
    AVOIDABLE,
    HOISTED,
    LOCATION_RULES,
    RULES,
    UNAVOIDABLE,
    UNINDEXED,
    WRONG_LABEL,
    rules_by_prefix,
)
from eio_audit.audit.locations.index_pattern import DEFAULT_INDEX_PATTERN, IndexPattern
from eio_audit.audit.locations.location_health import LocationHealth, LocationRule, health_change
from eio_audit.audit.locations.location_numbers import Interned
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.audit.locations.original_order import OriginalOrder
from eio_audit.audit.locations.parsed_locations import ModelLine, Origin, parse_origin
from eio_audit.audit.options import DEFAULT_OPTIONS, Follow
from eio_audit.audit.trace import function_states as function_states_module
from eio_audit.audit.trace.history import EventKind
from eio_audit.audit.trace.ledger import shares, take
from eio_audit.audit.trace.left_findings import Repair, added_up
from eio_audit.audit.trace.log_findings import LogFindings
from eio_audit.audit.trace.merge_traces import merge_traces, unreadable
from eio_audit.audit.trace.pass_totals import PassTotal, pass_totals
from eio_audit.cli import jobs as jobs_module
from eio_audit.cli.config_file import KEYS
from eio_audit.cli.gate import SourceRoot
from eio_audit.cli.inputs import NO_IR
from eio_audit.cli.main import main
from eio_audit.cli.options import PATH, key_of
from eio_audit.cli.output import write_atomically, write_pages
from eio_audit.cli.registry import COMMANDS, cli
from eio_audit.cli.reports import RENDERERS, rendered
from eio_audit.mlir.aliases import AliasTexts
from eio_audit.mlir.input import files as files_module
from eio_audit.mlir.input.dumps import find_dumps
from eio_audit.mlir.input.files import TooLargeError, read_file, unpacked_blocks
from eio_audit.mlir.input.folders import file_marker, find_dump_files, find_files
from eio_audit.mlir.input.function_texts import DumpText, FunctionText
from eio_audit.mlir.input.markers import holds_ir
from eio_audit.mlir.input.states import Moment, State, find_states, parse_state
from eio_audit.mlir.ir import IR
from eio_audit.mlir.location import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    Location,
    NameLoc,
    OpaqueLoc,
    UnknownLoc,
    parse_location,
)
from eio_audit.mlir.reading import reader as reader_module
from eio_audit.mlir.reading.boundaries import Boundaries
from eio_audit.mlir.reading.comments import comments_above
from eio_audit.mlir.reading.op_text import OpText, OpTexts
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.rewriting.locations import with_locations
from eio_audit.mlir.rewriting.renumber import renumber
from eio_audit.mlir.rewriting.value_names import ValueNames
from eio_audit.mlir.semantics import allocations as allocations_module
from eio_audit.mlir.semantics import calls as calls_module
from eio_audit.mlir.semantics import conflicts as conflicts_module
from eio_audit.mlir.semantics import effects as effects_module
from eio_audit.mlir.semantics import forms as forms_module
from eio_audit.mlir.semantics import places as places_module
from eio_audit.mlir.semantics import value_types as value_types_module
from eio_audit.mlir.semantics.allocations import Allocations
from eio_audit.mlir.semantics.buffers import MEMORY, Buffers, operands_at
from eio_audit.mlir.semantics.calls import NO_CALLEE, Calls
from eio_audit.mlir.semantics.conflicts import conflicts
from eio_audit.mlir.semantics.dynamic_shapes import DynamicShapes
from eio_audit.mlir.semantics.effects import (
    CHANGES,
    CONTROL,
    EffectSource,
    EffectTable,
    Place,
    Touches,
    condition_holds,
)
from eio_audit.mlir.semantics.forms import Forms, pastes_text
from eio_audit.mlir.semantics.value_sizes import ValueSize, ValueSizes
from eio_audit.mlir.semantics.value_types import Storage
from eio_audit.mlir.source import Position, Source, Span, find_all
from eio_audit.mlir.traits import (
    ANY_NUMBER,
    EFFECT_FLAGS,
    EVERYTHING,
    STATES,
    STRUCTURE_FLAGS,
    UNLISTED,
    OpTable,
    OpTraits,
    op_traits,
    parse_op_traits,
)
from eio_audit.order import group_bounds as group_bounds_module
from eio_audit.order import inversions as inversions_module
from eio_audit.order import linear_extension as linear_extension_module
from eio_audit.order import queue_tries as queue_tries_module
from eio_audit.order.bitsets import bits
from eio_audit.order.bounds import footrule as footrule_module
from eio_audit.order.bounds import forced as forced_module
from eio_audit.order.bounds.cycle_packing import CyclePacking
from eio_audit.order.bounds.footrule import footrule_bound
from eio_audit.order.bounds.forced import count_forced
from eio_audit.order.bounds.lower_bound import LowerBound
from eio_audit.order.bounds.squeeze import disjoint_forced, squeeze_bound
from eio_audit.order.closure import TransitiveClosure
from eio_audit.order.displaced import displaced, heaviest_rising, order_profile
from eio_audit.order.effort import STEPS_PER_OP, Effort
from eio_audit.order.fewest_moved import fewest_moved as fewest_moved_module
from eio_audit.order.fewest_moved.fewest_moved import independent_ranges
from eio_audit.order.fewest_moved.implied_order import implied_order
from eio_audit.order.fewest_moved.restore_positions import longest_in_place, moved_places, restore_positions
from eio_audit.order.group_bounds import Paths, Return, most_runs
from eio_audit.order.group_order import GroupedOps, group_count, order_by_queue
from eio_audit.order.inversions import (
    count_descents,
    count_inversions,
    dense_ranks,
    inversions_carried,
    inversions_charged,
)
from eio_audit.order.last_uses import after_last_uses, away_from_last_uses
from eio_audit.order.linear_extension import Restoration, restore_order
from eio_audit.order.permutation import (
    PermutedRange,
    SortedRuns,
    closed_ranges,
    inverse,
    permuted_ranges,
    sorted_runs,
)
from eio_audit.order.precedence import Precedence
from eio_audit.order.queue_tries import QueueTries, queue_tries
from eio_audit.order.search import packed_order as packed_order_module
from eio_audit.order.search import sliding_windows as sliding_windows_module
from eio_audit.order.search import solve_window as solve_window_module
from eio_audit.order.search.exact_search import SEARCH_MOVES, SEARCH_STATES, SearchResult, search
from eio_audit.order.search.local_search import improve, place_best
from eio_audit.order.search.packed_order import BestOrder
from eio_audit.order.search.schedules import pull_up, push_down
from eio_audit.order.search.sliding_windows import slide
from eio_audit.order.search.solve_window import best_order
from eio_audit.order.unindexed import attach_unindexed, effective_keys
from eio_audit.order.windows import Window, Windows, block_of, split_into_windows
from eio_audit.order.wrong_labels.antichain import outside_antichain
from eio_audit.order.wrong_labels.contradictions import tangles, with_what_fits
from eio_audit.order.wrong_labels.links import Link, Links
from eio_audit.order.wrong_labels.wrong_labels import Relabelling, fewest_wrong_labels
from eio_audit.order.wrong_labels.wrong_labels import relabelled as relabelled_keys
from eio_audit.report.ci.finding import fingerprints, repository_path
from eio_audit.report.ci.sarif import MOST_RESULTS
from eio_audit.report.html import trace as pass_diffs_module
from eio_audit.report.html.page_folder import INDEX, check_to_pages, page_names
from eio_audit.report.html.trace import PassDiffs, trace_to_html
from eio_audit.report.json import _FIELDS, _MADE
from eio_audit.report.json_input import baseline_to_json, parse_baseline, parse_report
from eio_audit.report.manual import PAGES, close_names, entries, look_up, print_entries
from eio_audit.report.pictures.layered_layout import GAP, layered_layout
from eio_audit.report.pictures.module_tree import down_to, module_tree
from eio_audit.report.pictures.structure_svg import drawing_of
from eio_audit.report.template import render
from eio_audit.report.text import progress as progress_module
from eio_audit.report.text.check import print_fix
from eio_audit.report.text.console import Console, hyperlink
from eio_audit.report.text.progress import advancing, progress
from eio_audit.report.text.trace import print_trace
from eio_audit.report.text.unified_diff import print_unified_diff, unified_diff
from eio_audit.report.wording.diff import order_summary
from eio_audit.report.wording.numbers import count
from eio_audit.report.wording.order import not_reordered_away, sum_of, unknown_ops
from eio_audit.report.wording.trace import conclusion
from eio_audit.report.wording.word_diff import marked, word_diff
