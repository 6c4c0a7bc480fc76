"""Sentences about a bisection, without layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import TYPE_CHECKING, Any

from eio_audit.audit.bisect.attempts import WITHOUT_PATTERNS, Attempt, short_pattern
from eio_audit.audit.bisect.compiler_command import CompilerCommand
from eio_audit.audit.bisect.pass_search import MOST_RUNS, Reproduction
from eio_audit.audit.bisect.survey import BASE_FLAGS, MODULE_SCOPE
from eio_audit.audit.diff.made_ops import Carries
from eio_audit.audit.log.scope_steps import OpCounts
from eio_audit.report.wording import configured, count, shortened_list
from eio_audit.report.wording.conclusion import (
    Step,
    argument,
    bisect_command,
    bisection_command,
    is_kept,
    reduction_command,
)
from eio_audit.report.wording.diff import signed
from eio_audit.report.wording.trace import NOT_JUDGED

if TYPE_CHECKING:
    from eio_audit.audit.bisect.bisect import Application, Bisection, OneApplication, OpSteps, PatternTotal
    from eio_audit.audit.bisect.first_failure import FirstFailingDump, FirstFailure
    from eio_audit.audit.diff.advice import Change
    from eio_audit.audit.log.history import OpHistory
    from eio_audit.audit.log.trace import TracedPass

FOLDING = f"({WITHOUT_PATTERNS}, such as folding)"
"""What the pass does without any pattern, as a row of the table."""

SHOWN_STEPS = 4  # how many steps a sentence names

NOT_COUNTED = "not counted: pairs of hoisted constants, and pairs that the original order does not compare"
"""Below the table of patterns: pairs by which they are not ranked."""
UNKNOWN_PATTERN, UNRESOLVED = "(pattern unknown)", "(not resolved)"


def headline(result: Bisection) -> str:
    """Return ``ttir-erase-inverse-ops: 0 -> 789 inversions, 22 avoidable``, or how many ops it changed."""
    name = " on ".join(filter(None, (result.pass_name, result.function)))
    if not result.is_judged:
        counts = reduce(OpCounts.plus, (one.op_counts for one in result.applications))
        return f"{name}: {ops_changed(counts) or 'no'} ops{'' if counts.total else ' changed'}"
    before, after = result.inversions
    return f"{name}: {before:,} -> {count(after, 'inversion')}, {result.avoidable:,} avoidable"


def effort(result: Bisection) -> str:
    """Return ``4,618 attempts of patterns, 279 changed the IR; the compiler ran 828 times``."""
    runs = f"the compiler ran {count(result.runs, 'time')}"
    if result.is_unchanged:
        is_alone = any(one.changed for one in result.passes.passes)
        return f"{'the pass changes nothing' if is_alone else 'no pass changes the IR'}; {runs}"
    if result.why_one_step:
        return f"the pass is one step: {result.why_one_step}; {runs}"
    steps = len(result.of_patterns) - len(result.unresolved)
    changed = "1 changes the IR" if steps == 1 else f"{steps:,} change the IR"
    first, last = result.attempts
    whole = f"attempts {first:,} to {last:,} of the whole command ({result.why_not_alone})"
    attempts = f"{count(result.attempted, 'attempt')} of patterns" if result.is_alone else whole
    return f"{attempts}, {changed}; {runs}"


def _removed_of_others(result: Bisection) -> str:
    """Say why what to change removes more than the table says its patterns left; empty if it does not."""
    advice = result.advice
    if advice is None or advice.at_end is None or advice.left is None:
        return ""
    changed = {change.pattern for change in advice.changes}
    if advice.at_end - advice.left <= sum(one.left for one in result.patterns if one.pattern in changed):
        return ""
    return (
        "left counts for the pattern that put the two ops out of order; the change above also removes "
        "what others left, since one pattern goes on with the ops of another"
    )


def pattern_title(one: PatternTotal | Application) -> str:
    """Return the name of a pattern in a table, or why there is none."""
    return one.pattern or (UNKNOWN_PATTERN if one.is_resolved else UNRESOLVED)


def before_and_after(one: Application) -> str:
    """Return ``315 -> 396``."""
    return f"{one.inversions_before:,} -> {one.inversions:,}"


def ops_changed(counts: OpCounts) -> str:
    """Return ``+2 -1 ~2 moved 3``; empty if no op changed."""
    return signed(counts._asdict())


def attempts_of(one: Application) -> str:
    """Return the number of an attempt, or ``1,200 to 1,340``."""
    return str(one.last) if one.is_resolved else f"{one.first} to {one.last}"


def cells_of(result: Bisection) -> dict[str, Callable[[Any], str | int]]:
    """Return the cells of an application, of all of a pattern or of none, and of what to change in one."""
    without = result.without_patterns
    number_of = {pattern_title(total): str(number) for number, total in enumerate(result.patterns, 1)}
    return {
        "attempt": lambda one: str(one.last),
        "states": before_and_after,
        "ops": lambda one: ops_changed(one.op_counts),
        "root": root_op,
        "line": model_line,
        "applied": lambda one: "" if one is without else f"{one.applications:,}",
        "by": lambda one: "" if one is without else number_of[pattern_title(one)],
        "by_name": pattern_title,
        "pattern": lambda one: FOLDING if one is without else pattern_title(one),
        "makes": ops_made,
        "carries": lambda one: CARRIED[one.carries],
        "then": lambda one: result.advice.now - one.removed if result.advice else 0,
    }


def did_most(result: Bisection) -> str:
    """Return what the worst applications did most of."""
    if not result.is_judged:
        return "changed most ops"
    return f"{'left' if any(one.left for one in result.worst) else 'made'} most inversions"


def root_op(one: Application) -> str:
    """Return the op that the pattern was applied to: ``#33 ttir.add %130``."""
    return one.attempt.title if one.attempt is not None else ""


def model_line(one: Application) -> str:
    """Return the line of the model that the root op is from; empty if its location has none."""
    model = one.attempt.model if one.attempt is not None else None
    return "" if model is None else str(model)


def not_resolved(one: Application, result: Bisection) -> str:
    """Return ``attempts 1200 to 1340: 14 inversions made, not resolved``."""
    what = f"{count(one.made, 'inversion')} made" if result.is_judged else f"{ops_changed(one.op_counts)} ops"
    return f"attempts {attempts_of(one)}: {what}, not resolved"


def stopped(result: Bisection) -> str:
    """Say why not all steps are resolved; empty if they are, or if the pass is one step."""
    number = len(result.unresolved)
    if not number or result.why_one_step:
        return ""
    what = f"{count(number, 'interval')} of attempts {'is' if number == 1 else 'are'} not resolved"
    if result.stopped:
        why = "interrupted" if result.is_interrupted else "max-runs is reached"
        return f"{what}: {why}"
    return f"{what}: {failed(result)}"


ALONE = "each pattern alone, if its ops get the location of the root op"  # the title of a table


def notes_on_patterns(result: Bisection) -> list[str]:
    """Return what is to know of the table of patterns."""
    notes = [NOT_COUNTED] if any(one.left_apart for one in result.patterns) else []
    if said := _removed_of_others(result):
        notes.append(said)
    if number := result.left_before:
        notes.append(
            f"{count(number, 'inversion')} of the end {'was' if number == 1 else 'were'} there before"
        )
    return notes


def failed(result: Bisection) -> str:
    """Return ``2 runs failed, first: my-opt ended with exit code 1``."""
    return f"{count(len(result.failures), 'run')} failed, first: {result.failures[0].message}"


CARRIED = {
    Carries.ROOT: "the root's",
    Carries.USER: "a user's",
    Carries.OPERAND: "an operand's",
    Carries.OTHER: "another op's",
}
"""Whose location ops carry, seen from the op that the pattern is applied to."""


def why_no_change(result: Bisection) -> str:
    """Say why there is nothing to change; empty if there is something, or if nothing is out of order."""
    if result.advice is None or result.advice.changes:
        return ""
    if result.unresolved or not result.of_patterns:
        return f"what to change is not known, as {result.why_one_step or 'not all attempts are resolved'}"
    return "other locations or places of the ops that patterns make give no fewer inversions"


def ops_made(one: Change) -> str:
    """Return ``38 reshape, 4 full``."""
    return ", ".join(f"{number:,} {name.partition('.')[2] or name}" for name, number in one.made.items())


def shown_passes(result: Bisection, *, verbose: bool = False) -> tuple[list[TracedPass], int]:
    """Return the passes of the command that put something out of order, and how many others changed ops.

    If none did, or with ``verbose``, it is all that changed ops. A single pass is not shown.
    """
    passes = result.passes.passes
    changed = [one for one in passes if one.changed or one.failed] if len(passes) > 1 else []
    made = [one for one in changed if one.made or one.failed]
    shown = changed if verbose or not made else made
    return shown, len(changed) - len(shown)


def answer(result: Bisection) -> str:
    """Return ``cse left 4 of the 5 inversions at the end of ... With P changed, 5 would become 1``."""
    return _answer(result) + configured(result.states.options)


def _answer(result: Bisection) -> str:
    name, first, advice = result.pass_name, result.first_left, result.advice
    since = ""
    if first is not None:
        since = f", first at {_step(first)}" if first.last else f", already {WITHOUT_PATTERNS}"
    if result.is_unchanged:
        as_before = f"; {count(result.left_before, 'inversion')} as before it" if result.left_before else ""
        return f"{name} changes nothing{as_before}"
    if not result.is_judged:
        changed = count(reduce(OpCounts.plus, (one.op_counts for one in result.applications)).total, "op")
        return f"{name} changed {changed}{since}; {NOT_JUDGED}: no op carries an op index"
    at_end = " at the end of the command" if first is not None else ""
    all_left = count(result.passes.at_end_of_log.inversions, "inversion")
    left = f"{name} left {result.left:,} of the {all_left} at the end of the command"
    said = [left + since] if result.left else [f"{name} left no inversion{at_end}"]
    if advice is not None and advice.changes and advice.left is not None and advice.at_end is not None:
        patterns = [*dict.fromkeys(change.pattern for change in advice.changes if change.pattern)]
        what = (
            "the pass" if not patterns else patterns[0] if len(patterns) == 1 else f"{len(patterns)} patterns"
        )
        most = "at most " if advice.at_most and advice.left else ""
        said.append(f"With {what} changed, {advice.at_end:,} would become {most}{advice.left:,}")
    return ". ".join(said)


def step_title(one: Application) -> str:
    """Return the pattern of a step, or what else it is."""
    return pattern_title(one) if one.last else FOLDING


def application_title(one: OneApplication) -> str:
    """Return ``attempt 431: MyPattern<AddOp> on #33 ttir.add %130 (model.py:52)``."""
    return f"attempt {one.number}: {_attempt(one.attempt)}"


def _attempt(attempt: Attempt | None) -> str:
    if attempt is None:
        return UNKNOWN_PATTERN
    model = "" if attempt.model is None else f" ({attempt.model})"
    return f"{short_pattern(attempt.pattern)} on {attempt.title or 'an op'}{model}"


def placed(steps: OpSteps, op: OpHistory) -> str:
    """Return ``put where it is by attempt 431``."""
    if op.removal is not None:
        step = steps.step_of(op.removal)
        return f"removed by {_step(step)}" if step is not None else "removed"
    step = steps.placed_by(op)
    return f"put where it is by {_step(step)}" if step is not None else "no step moved it"


def since(steps: OpSteps, op: OpHistory) -> str:
    """Return ``in 4 inversions at the end: 2 made by attempt 22, 2 made by attempt 24``; else empty."""
    numbers = steps.inversions_since(op)
    total = sum(number for _, number in numbers)
    if not total:
        return ""
    parts = [
        f"{number:,} made by {_step(step)}" if step is not None else f"{number:,} there before the pass"
        for step, number in sorted(numbers, key=lambda one: -one[1])
    ]
    return f"in {count(total, 'inversion')} at the end: {shortened_list(parts, SHOWN_STEPS)}"


def _step(one: Application) -> str:
    if one.last == 0:
        return f"the pass {WITHOUT_PATTERNS}"
    return f"{'attempt' if one.is_resolved else 'one of attempts'} {attempts_of(one)}"


def first_failure(found: FirstFailure) -> tuple[str | tuple[str, str], ...]:
    """Say where a property fails first, the place in bold."""
    return *_first_failure(found), configured(found.options)


def _first_failure(found: FirstFailure) -> tuple[str | tuple[str, str], ...]:
    if found.pass_name is None:
        located = "" if found.is_built_in else "; a text may be in a debug location, too"
        return (found.test, "bold"), f" holds after all passes{located}"
    if found.endless:
        done = [f"{number:,} {what}" for what, number in found.endless.items()]
        did = f"applies patterns without end in {found.pass_name}: of the last attempts "
        return (found.command[0], "bold"), f" {did}{shortened_list(done, SHOWN_STEPS)} ({found.test})"
    name = " on ".join(filter(None, (found.pass_name, found.function)))
    if found.is_of_pass and found.stopped:
        where = f"{name} or a pass before it: {found.stopped}"
    elif found.is_of_pass:
        where = name if found.number is None else f"run {found.number} of {name}"
    elif not found.last:
        why = found.why_one_step
        where = f"{name}, which is one step: {why}" if why else f"{name}, even if it applies no pattern"
    elif found.first < found.last:
        why = found.stopped or "the test cannot judge those between"
        where = f"one of attempts {found.first} to {found.last} of {name}: {why}"
    else:
        where = f"attempt {found.last} of {name}"
    if found.is_of_compiler:
        return (f"{found.command[0]}: {found.test}", "bold"), ", first with ", (where, "bold red")
    return (found.test, "bold"), " fails first after ", (where, "bold red")


def first_failing_dump(found: FirstFailingDump) -> tuple[str | tuple[str, str], ...]:
    """Say between which dumps of a log a property is lost, the pass in bold."""
    if found.good is None or found.bad is None:
        return (found.test, "bold"), " holds in the whole log", configured(found.options)
    good, bad = found.good.place, found.bad.place
    places = f"{good.source}:{good.line}", f"{bad.source}:{bad.line}"
    if found.pass_name is not None:
        where = f"{found.pass_name}"
    else:
        between = f" and {count(found.between, 'more dump')} between" if found.between else ""
        where = f"a pass between {good.moment or 'a dump'} and {bad.moment or 'the next'}{between}"
    since = f"; it holds in {places[0]} and fails in {places[1]}"
    since += (f" ({found.stopped})" if found.stopped else "") + configured(found.options)
    return (found.test, "bold"), " fails first after ", (where, "bold"), since


def next_steps_of_log(found: FirstFailingDump) -> Iterator[Step]:
    """Yield the commands to type next: what the pass did, and its input."""
    if found.good is None or found.bad is None or not is_kept(found.log):
        return
    good, bad = (argument(f"{found.log}:{one.number}") for one in (found.good, found.bad))
    yield Step(f"eio-audit diff {good} {bad}", "shows what the pass did")
    yield Step(f"eio-audit show {good} --whole -o in.mlir", "writes its input")


def where_it_fails(found: FirstFailure) -> str:
    """Return the pattern and the op of the application; empty if they are not known."""
    return "" if found.attempt is None else _attempt(found.attempt)


def next_steps_of_failure(found: FirstFailure) -> Iterator[Step]:
    """Yield the commands to type next: what the application did, and the states by hand."""
    if found.pass_name is None or found.stopped:
        return
    which = ["--pass", found.pass_name, *([] if found.number is None else ["--dump", str(found.number)])]
    if found.is_of_pass:
        flags = f"--mlir-print-ir-before={found.pass_name}", f"--mlir-print-ir-after={found.pass_name}"
        printed = CompilerCommand(found.command).with_flags(*BASE_FLAGS, *flags, MODULE_SCOPE)
        yield Step(str(printed), "the IR before the pass and after it")
        again = bisection_command(found.options, found.command, *which, "--test", found.test)
        yield Step(again, "which application in it, if it applies patterns")
    elif not found.last or found.first < found.last or found.reproduction is None:
        return
    elif found.is_of_compiler:
        yield Step(found.reproduction.at(found.last - 1), f"succeeds, without attempt {found.last}")
        yield Step(found.reproduction.at(found.last), "fails")
    else:
        show = bisection_command(found.options, found.command, *which, "--show", str(found.last))
        yield Step(show, "what the application did")
        yield from by_hand(found.reproduction, found.last)


def by_hand(reproduction: Reproduction, attempt: int) -> Iterator[Step]:
    """Yield the commands that give the IR before an application and after it."""
    if reproduction.is_kept:
        yield Step(reproduction.at(attempt - 1), f"the IR before attempt {attempt}")
        yield Step(reproduction.at(attempt), "the IR after it")


def next_steps_of_op(steps: OpSteps) -> Iterator[Step]:
    """Yield the command that shows the first step which put an op where it is."""
    for step in map(steps.placed_by, steps.history.ops):
        if step is not None and step.last and step.is_resolved:
            yield Step(bisect_command(steps.bisection, "--show", str(step.last)), "what that application did")
            return


def next_steps(result: Bisection) -> Iterator[Step]:
    """Yield the commands to type next: the diff of the worst application, the page, and a reduction."""
    if result.is_unchanged:
        return

    def step(effect: str, *words: str) -> Step:
        return Step(bisect_command(result, *words), effect)

    worst = next(iter(result.worst), None)
    if worst is not None and worst.is_resolved and (worst.left or not result.is_judged):
        yield step("what the worst application did", "--show", str(worst.last))
    if result.stopped == MOST_RUNS:
        yield step("resolves more", "--config", f"max-runs={4 * result.runs}")
    yield step("a page: the curve, and each step", "-o", "bisect.html")
    pattern = next((one.pattern for one in result.patterns if one.left and one.pattern), None)
    if pattern is not None and result.can_reduce:
        yield Step(reduction_command(result, "--pattern", pattern), "the smallest program that shows it")
    elif not result.is_kept:
        yield step("keeps the states for trace, diff, history", "-o", "states.log")
