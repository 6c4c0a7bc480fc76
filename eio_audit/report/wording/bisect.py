"""Sentences about a bisection, without layout."""

from __future__ import annotations

from collections.abc import Iterator

from eio_audit.audit.bisect.bisection import Application, Bisection
from eio_audit.audit.gate.gate import Gate
from eio_audit.audit.log.pass_steps import OpCounts
from eio_audit.audit.log.trace import TracedPass
from eio_audit.report.wording.commands import Step, bisect_command
from eio_audit.report.wording.numbers import count
from eio_audit.report.wording.order import of_constants
from eio_audit.report.wording.trace import NOT_JUDGED

WITHOUT_PATTERNS = "(without patterns, such as folding)"
"""What the pass does without any pattern, as a row of the table."""

UNKNOWN_PATTERN = "(pattern unknown)"


def headline(result: Bisection) -> str:
    """Return ``ttir-erase-inverse-ops: 0 -> 789 inversions, 22 avoidable``, or how many ops it changed."""
    name = " on ".join(filter(None, (result.pass_name, result.function)))
    if not result.is_judged:
        total = sum((one.op_counts.total for one in result.applications), 0)
        return f"{name}: {count(total, 'change')} of ops"
    before, after = result.inversions
    return f"{name}: {before:,} -> {count(after, 'inversion')}, {result.avoidable:,} avoidable"


def effort(result: Bisection) -> str:
    """Return ``4,618 attempts of patterns, 279 changed the IR; the compiler ran 828 times``."""
    runs = f"the compiler ran {count(result.runs, 'time')}"
    if result.why_one_step:
        return f"the pass is one step: {result.why_one_step}; {runs}"
    steps = len(result.of_patterns) - len(result.unresolved)
    changed = "1 changes the IR" if steps == 1 else f"{steps:,} change the IR"
    return f"{count(result.attempted, 'attempt')} of patterns, {changed}; {runs}"


def pattern_title(pattern: str | None) -> str:
    """Return the name of a pattern in a table."""
    return pattern or UNKNOWN_PATTERN


def signed(number: int) -> str:
    """Return ``+658``, ``-243`` or ``0``."""
    return f"{number:+,}" if number else "0"


def before_and_after(one: Application) -> str:
    """Return ``315 -> 396``."""
    return f"{one.inversions_before:,} -> {one.inversions:,}"


def ops_changed(counts: OpCounts) -> str:
    """Return ``+2 -1 ~2 moved 3``; empty if no op changed."""
    signs = ("+", counts.added), ("-", counts.removed), ("~", counts.modified), ("moved ", counts.moved)
    return " ".join(f"{sign}{number:,}" for sign, number in signs if number)


def attempts_of(one: Application) -> str:
    """Return the number of an attempt, or ``1,200 to 1,340``."""
    return str(one.last) if one.is_resolved else f"{one.first} to {one.last}"


def root_op(one: Application) -> str:
    """Return the op that the pattern was applied to: ``#33 ttir.add %130``."""
    return one.attempt.title if one.attempt is not None else ""


def model_line(one: Application) -> str:
    """Return the line of the model that the root op is from; empty if its location has none."""
    model = one.attempt.model if one.attempt is not None else None
    return "" if model is None else str(model)


def not_resolved(one: Application, result: Bisection) -> str:
    """Return ``attempts 1200 to 1340: 14 inversions made, not resolved``."""
    what = f"{signed(one.made)} inversions" if result.is_judged else f"{ops_changed(one.op_counts)} ops"
    return f"attempts {attempts_of(one)}: {what}, not resolved"


def stopped(result: Bisection) -> str:
    """Say why not all steps are resolved; empty if they are."""
    number = len(result.unresolved)
    if not number:
        return ""
    what = f"{count(number, 'interval')} of attempts {'is' if number == 1 else 'are'} not resolved"
    if result.stopped:
        why = "interrupted" if result.stopped == "interrupted" else "--max-runs is reached"
        return f"{what}: {why}"
    return f"{what}: {count(len(result.failures), 'run')} failed, first: {result.failures[0].message}"


def changed_passes(result: Bisection) -> list[TracedPass]:
    """Return the passes of the command that changed something, if it has several passes."""
    passes = result.passes.passes
    return [one for one in passes if one.changed or one.failed] if len(passes) > 1 else []


def conclusion(result: Bisection, gate: Gate) -> tuple[str, str]:
    """Return ``failed`` or ``passed``, and why."""
    if not result.is_judged:
        return NOT_JUDGED, "no op carries an op index"
    figures = result.states.at_end_of_log
    number = count(figures.avoidable, "avoidable inversion") if figures.avoidable else "no avoidable inversion"
    why = f"{number}{of_constants(figures)} left after {result.pass_name}"
    return "failed" if gate.failed_rules(figures) else "passed", why


def next_steps(result: Bisection) -> Iterator[Step]:
    """Yield the commands to type next: the diff of the worst application, the page, and the log."""
    if (worst := next(iter(result.worst), None)) is not None and worst.is_resolved:
        yield Step(bisect_command(result, "--show", str(worst.last)), "what the worst application did")
    if result.stopped:
        yield Step(bisect_command(result, "--max-runs", str(4 * result.runs)), "resolves more")
    yield Step(bisect_command(result, "-o", "bisect.html"), "a page: the curve, and each step")
    if not result.log:
        yield Step(bisect_command(result, "-o", "states.log"), "keeps the states for trace, diff, history")
