"""Sentences about the traces of many models, without layout."""

from __future__ import annotations

from collections.abc import Iterator

from eio_audit.audit.corpus.trace_models import ModelTrace, ModelTraces
from eio_audit.audit.gate.gate import Gate
from eio_audit.audit.log.trace_sums import PassTotal
from eio_audit.report.wording.commands import command
from eio_audit.report.wording.conclusion import ALLOW, SHOWN_INPUTS
from eio_audit.report.wording.numbers import count, shortened_list
from eio_audit.report.wording.order import of_constants
from eio_audit.report.wording.trace import NOT_SHOWN, checked_dumps, conclusion, next_steps


def left_in_models(result: ModelTraces) -> str:
    """Return ``5,689 avoidable inversions in 31 of 44 models, 3 of them there from the start``."""
    number = result.merged.final.avoidable
    if not number:
        return f"no avoidable inversion in {count(len(result.models), 'model')}"
    initial = result.merged.initial_left
    start = f", {initial:,} of them there from the start" if initial else ""
    models = sum(1 for model in result.models if model.left)
    avoidable = count(number, "avoidable inversion") + of_constants(result.merged.final)
    return f"{avoidable} in {models:,} of {len(result.models):,} models{start}"


def name_of(total: PassTotal) -> str:
    """Return the name of a pass."""
    return total.pass_name or NOT_SHOWN


def in_models(total: PassTotal, result: ModelTraces) -> str:
    """Return in how many models a pass introduced avoidable inversions: ``31 of 44``. Empty for none."""
    return f"{total.models:,} of {len(result.models):,}" if total.models else ""


def worst_pass(model: ModelTrace) -> str:
    """Return the pass of which most is left in a model, else that introduced most. Empty if none did."""
    return name_of(model.passes[0]) if model.introduced else ""


def verdict_on_all(result: ModelTraces, gate: Gate) -> tuple[str, str]:
    """Return ``failed`` or ``passed``, and why. Models without an index fail unless the gate allows them."""
    status, why = conclusion(result.merged, gate, count(len(result.models), "model"))
    judged = [model.trace for model in result.models if not model.trace.is_unjudged]
    unindexed = sum(trace.unindexed for trace in judged)
    if unindexed and status != "could not run":
        why += "; " + checked_dumps(sum(trace.summary.dumps for trace in judged), unindexed)
    names, total = [model.name for model in result.unjudged], len(result.models)
    if not names or status == "could not run" or len(names) == total:
        return status, why
    verb, them = ("carries", "it") if len(names) == 1 else ("carry", "them")
    listed = shortened_list(names, SHOWN_INPUTS)
    said = f"{total - len(names):,} of {total:,} models checked; {len(names):,} {verb} no op index: {listed}"
    if gate.allows_unindexed or gate.never_fails:
        return status, f"{said}; {why}"
    return "failed" if status == "passed" else status, f"{said} ({ALLOW} lets {them} pass); {why}"


def conclusion_of_all(result: ModelTraces, gate: Gate) -> tuple[str, str]:
    """Return ``failed`` or ``passed``, and why, with the command that shows the worst model."""
    status, why = verdict_on_all(result, gate)
    steps = map(" ".join, commands(result) if status != "could not run" else ())
    return status, "; ".join([why, *steps])


def commands(result: ModelTraces) -> Iterator[tuple[str, str]]:
    """Yield the commands to type next, and what they show: of the worst model all, or its worst pass."""
    worst = result.models[0]
    if worst.path and any(not total.is_clean for total in worst.passes):
        yield command("trace", worst.trace, worst.path), "shows the worst model"
    else:
        yield from next_steps(worst.trace)
