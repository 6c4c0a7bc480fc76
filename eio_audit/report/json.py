"""Audits as JSON: the fields of schema ``eio-audit/1``, described in docs/json.md."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from eio_audit.mlir.printable import printable_in_json
from eio_audit.report.structure_json import structure_fields

if TYPE_CHECKING:  # what one command reports needs nothing of the others
    from collections.abc import Sequence

    from eio_audit.audit.check.figures import (
        BlockAudit,
        BlockMemory,
        DisplacedOp,
        DumpAudit,
        MislabelledOp,
        Summary,
    )
    from eio_audit.audit.codegen.codegen import Structure
    from eio_audit.audit.diff.diff import Diff
    from eio_audit.audit.diff.inverse_ops import InverseOps, LayoutOp, LayoutPair, MovedLayoutOp
    from eio_audit.audit.diff.op_changes import OpChange
    from eio_audit.audit.explain.explain import Explanation, FixedPlace, InvertedOp, Neighbour, OpExplanation
    from eio_audit.audit.gate.findings import Finding
    from eio_audit.audit.gate.gate import Verdict
    from eio_audit.audit.locations.location_health import HealthChange, LocationFinding, LocationHealth
    from eio_audit.audit.op_label import OpLabel
    from eio_audit.audit.trace.trace import Culprit, Trace, TracedPass
    from eio_audit.mlir.source import InputError

SCHEMA = "eio-audit/1"


def check_to_json(verdict: Verdict) -> str:
    """The audits of ``check`` and what a gate finds in them, ending in a newline."""
    check = verdict.check
    return _document(
        "check",
        dumps=[_dump(dump) for dump in check.dumps],
        summary={**asdict(check.summary), **_about_frees(check.dumps)},
        errors=[error_fields(error) for error in check.errors],
        findings=[finding_fields(finding) for finding in verdict.findings],
        failed=[rule.code for rule in verdict.failed],
        known=verdict.known,
        stale=[{**asdict(entry), "count": count} for entry, count in sorted(verdict.stale.items())],
    )


def diff_to_json(diff: Diff) -> str:
    """The comparison of two dumps, ending in a newline."""
    return _document(
        "diff",
        before=_summary(diff.before),
        after=_summary(diff.after),
        ops={
            "unchanged": diff.ops.unchanged,
            **{name: len(changes) for name, changes in diff.ops.groups.items()},
        },
        implied_ops=diff.ops.implied,
        changes={name: [_change(change) for change in changes] for name, changes in diff.ops.groups.items()},
        inverse_ops=_inverse_ops(diff.inverse_ops),
        fragmentation=asdict(diff.fragmentation),
        structure=structure_fields(diff.structure),
        locations=_health_change(diff.locations),
        dumps=[_dump(diff.before), _dump(diff.after)],
        errors=[],
    )


def explanation_to_json(explanation: Explanation) -> str:
    """Why ops stand where they stand, ending in a newline."""
    dump = explanation.dump
    return _document(
        "explain",
        dump={"source": dump.source, "line": dump.line, "pass": dump.pass_name, "when": dump.when},
        ops=[_explanation(op) for op in explanation.ops],
        errors=[],
    )


def structure_to_json(structure: Structure) -> str:
    """The functions that code generation makes of a dump, ending in a newline."""
    dump = structure.dump
    return _document(
        "structure",
        dump={"source": dump.source, "line": dump.line, "pass": dump.pass_name, "when": dump.when},
        **structure_fields(structure),
        errors=[],
    )


def trace_to_json(trace: Trace) -> str:
    """What each pass of a log did to the order, ending in a newline."""
    culprit = trace.culprit
    return _document(
        "trace",
        passes=[_traced(traced) for traced in trace.passes],
        culprit=culprit.pass_name if culprit else None,
        shuffled=_shuffled(culprit) if culprit else None,
        mislabeller=trace.mislabeller.pass_name if trace.mislabeller else None,
        initial=trace.initial,
        summary=asdict(trace.summary),
        errors=[error_fields(error) for error in trace.errors],
    )


def _document(command: str, **fields: object) -> str:
    document = {"schema": SCHEMA, "command": command, **fields}
    return printable_in_json(json.dumps(document, indent=2, ensure_ascii=False, default=str)) + "\n"


def _summary(dump: DumpAudit) -> dict[str, object]:
    summary: Summary = dump.summary
    return {**asdict(summary), **_about_frees([dump])}


def _about_frees(dumps: Sequence[DumpAudit]) -> dict[str, object]:
    """How many ops only free, and the inversions at one; the largest peaks of any block."""
    blocks = [block for dump in dumps for block in dump.blocks]
    memories = [block.memory for block in blocks if block.memory is not None]
    return {
        "frees": sum(block.frees for block in blocks),
        "at_frees": sum(block.at_frees for block in blocks),
        "peak_bytes": max((memory.peak for memory in memories), default=None),
        "peak_bytes_fixed": max((memory.peak_fixed for memory in memories), default=None),
    }


def _dump(dump: DumpAudit) -> dict[str, object]:
    return {
        "source": dump.source,
        "line": dump.line,
        "pass": dump.pass_name,
        "when": dump.when,
        "blocks": [_block(block) for block in dump.blocks],
        "unknown_ops": dict(sorted(dump.unknown_ops.items())),
        "assumed_pure": dict(sorted(dump.assumed_pure.items())),
    }


def _block(block: BlockAudit) -> dict[str, object]:
    return {
        "function": block.function,
        "block": block.block,
        "line": block.line,
        "ops": block.ops,
        "indexed": block.indexed,
        "inversions": block.inversions,
        "descents": block.descents,
        "forced": block.forced,
        "minimum": block.minimum,
        "lower_bound": block.lower_bound,
        "certified": block.certified,
        "avoidable": block.avoidable,
        "displaced": block.displaced,
        "derived": block.derived,
        "inherited": block.inherited,
        "constants": block.constants,
        "at_constants": block.at_constants,
        "frees": block.frees,
        "at_frees": block.at_frees,
        "followed": block.followed,
        "moved": block.moved,
        "moved_certified": block.moved_certified,
        "worst": [_displaced(op) for op in block.worst],
        "wrong_labels": block.wrong_labels,
        "wrong_by_passes": block.wrong_by_passes,
        "wrong_certified": block.wrong_certified,
        "mislabelled": [_mislabelled(op) for op in block.mislabelled],
        **_memory(block.memory),
    }


def _memory(memory: BlockMemory | None) -> dict[str, object]:
    """What a block holds, and where its frees stand; nulls where nothing is said of that."""
    return {
        "peak_bytes": memory and memory.peak,
        "peak_bytes_fixed": memory and memory.peak_fixed,
        "unsized_values": memory and memory.unsized,
        "frees_away": memory and memory.away,
        "frees_away_fixed": memory and memory.away_fixed,
    }


def _displaced(displaced: DisplacedOp) -> dict[str, object]:
    blocker = displaced.blocker
    return {
        **_label(displaced.op),
        "inversions": displaced.inversions,
        "stands": "early" if displaced.early else "late",
        "derived": displaced.derived,
        "held_by": {**_label(blocker.op), "kind": blocker.kind.value} if blocker else None,
    }


def _mislabelled(mislabelled: MislabelledOp) -> dict[str, object]:
    return {
        **_label(mislabelled.op),
        "inversions": mislabelled.inversions,
        "right": _label(mislabelled.right),
    }


def _label(op: OpLabel) -> dict[str, object]:
    return {"op": op.name, "result": op.result, "index": op.index, "line": op.line, "module": op.module}


def _change(change: OpChange) -> dict[str, object]:
    ancestor = change.ancestor
    return {
        "function": change.function,
        "before": _optional_label(change.before),
        "after": _optional_label(change.after),
        "place_before": change.place_before,
        "place_after": change.place_after,
        "block_before": change.block_before,
        "block_after": change.block_after,
        "changed": list(change.changed),
        "differences": [asdict(difference) for difference in change.differences],
        "moved": change.moved,
        "derived": change.derived,
        "ancestor": {**_label(ancestor.op), "relation": ancestor.relation.value} if ancestor else None,
        "inversions_before": change.inversions_before,
        "inversions_after": change.inversions_after,
    }


def _inverse_ops(inverse: InverseOps) -> dict[str, object]:
    return {
        "before": inverse.before,
        "after": inverse.after,
        "inverse_before": inverse.inverse_before,
        "inversions": inverse.inversions,
        "cancelled": [_layout_pair(pair) for pair in inverse.cancelled],
        "copies": [_moved_layout_op(op) for op in inverse.copies],
        "moved": [_moved_layout_op(op) for op in inverse.moved],
        "gone": [_layout_op(op) for op in inverse.gone],
        "added": [_layout_op(op) for op in inverse.added],
        "remaining": [_layout_pair(pair) for pair in inverse.remaining],
    }


def _layout_op(op: LayoutOp) -> dict[str, object]:
    return {**_label(op.op), "does": op.does}


def _layout_pair(pair: LayoutPair) -> dict[str, object]:
    return {"first": _layout_op(pair.first), "second": _layout_op(pair.second), "between": pair.between}


def _moved_layout_op(moved: MovedLayoutOp) -> dict[str, object]:
    return {"before": _layout_op(moved.before), "after": [_layout_op(op) for op in moved.after]}


def _health_change(change: HealthChange) -> dict[str, object]:
    return {
        "before": _health(change.before),
        "after": _health(change.after),
        "new": [_finding(finding) for finding in change.new],
        "lost": [_label(op) for op in change.lost],
    }


def _health(health: LocationHealth) -> dict[str, object]:
    return {
        "ops": health.ops,
        "counts": {rule.value: number for rule, number in health.counts.items()},
        "findings": [_finding(finding) for finding in health.findings],
    }


def _finding(finding: LocationFinding) -> dict[str, object]:
    return {"rule": finding.rule.value, **_label(finding.op), "message": finding.message}


def _traced(traced: TracedPass) -> dict[str, object]:
    figures = asdict(traced.figures)
    del figures["dumps"]
    return {
        "pass": traced.pass_name,
        "index": traced.index,
        "function": traced.function,
        "program": traced.program,
        "source": traced.place.source,
        "line": traced.place.line,
        "failed": traced.failed,
        "changed": traced.changed,
        **figures,
        "introduced": traced.introduced,
        "mislabelled": traced.mislabelled,
        "lost": traced.lost,
    }


def _shuffled(culprit: Culprit) -> dict[str, object]:
    return {
        "source": culprit.place.source,
        "line": culprit.place.line,
        "function": culprit.function,
        "block": culprit.block.block,
        "introduced": culprit.introduced,
        "worst": _displaced(culprit.worst),
    }


def _explanation(op: OpExplanation) -> dict[str, object]:
    effects = op.effects
    return {
        **_label(op.op),
        "function": op.function,
        "block": op.block,
        "block_line": op.block_line,
        "place": op.place,
        "ops": op.ops,
        "modules": list(op.origin.modules) if op.origin else [],
        "model_line": str(op.model_line) if op.model_line else None,
        "derived": op.derived,
        "right": _optional_label(op.right),
        "follows": op.follows.value if op.follows else None,
        "consumer": _optional_label(op.consumer),
        "last_use": _optional_label(op.last_use),
        "effects": {
            "anywhere": sorted(effects.anywhere),
            "memory": sorted(effects.memory),
            "tensors": sorted(effects.tensors),
            "states": {state: sorted(kinds) for state, kinds in effects.states.items()},
            "known": op.effects_source.value,
        },
        "inversions": op.inversions,
        "kinds": {kind.value: number for kind, number in op.kinds.items()},
        "inverted": [_inverted(inverted) for inverted in op.inverted],
        "same_index": op.same_index,
        "lower": _neighbour(op.lower),
        "higher": _neighbour(op.higher),
        "fixed": _fixed(op.fixed),
    }


def _inverted(inverted: InvertedOp) -> dict[str, object]:
    return {
        **_label(inverted.op),
        "kind": inverted.kind.value,
        "path": [
            {"producer": _label(step.producer), "user": _label(step.user), "kind": step.kind.value}
            for step in inverted.path
        ],
        "fixed": _fixed(inverted.fixed),
    }


def _neighbour(neighbour: Neighbour | None) -> dict[str, object] | None:
    return None if neighbour is None else {**_label(neighbour.op), "distance": neighbour.distance}


def _fixed(fixed: FixedPlace | None) -> dict[str, object] | None:
    if fixed is None:
        return None
    return {
        "place": fixed.place,
        "moved": fixed.moved,
        "behind": _optional_label(fixed.behind),
        "before": _optional_label(fixed.before),
        "inversions": fixed.inversions,
    }


def _optional_label(op: OpLabel | None) -> dict[str, object] | None:
    return None if op is None else _label(op)


def error_fields(error: InputError) -> dict[str, object]:
    """Where a dump could not be read, and why."""
    return {
        "source": error.source,
        "line": error.position.line if error.position else None,
        "column": error.position.column if error.position else None,
        "message": error.message,
    }


def finding_fields(finding: Finding) -> dict[str, object]:
    """One finding; ``line`` is that of the op."""
    model = finding.model
    return {
        "code": finding.rule.code,
        "rule": finding.rule.name,
        "message": finding.message,
        "source": finding.source,
        "dump_line": finding.dump_line,
        "moment": finding.moment,
        "function": finding.function,
        "block": finding.block,
        **_label(finding.op),
        "column": finding.column,
        "inversions": finding.inversions,
        "model_file": model.file if model else None,
        "model_line": model.line if model else None,
        "model_path": finding.model_path,
    }
