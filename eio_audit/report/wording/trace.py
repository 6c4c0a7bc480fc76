"""Sentences about the passes of a log, and about the traces of many models, without layout."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from eio_audit.audit.log.followed_pairs import MOST_OPS
from eio_audit.report.wording import LEFT, configured, count, shortened_list
from eio_audit.report.wording.conclusion import (
    ONLY_MOVES,
    SHOWN_INPUTS,
    Step,
    argument,
    bisection_command,
    checked,
    command,
    compare_command,
    explain_command,
    is_readable_again,
    lets_pass,
    limits,
    pass_command,
    unread,
)
from eio_audit.report.wording.order import avoidable_of, in_graph_regions

if TYPE_CHECKING:  # a trace needs no compiler
    from eio_audit.audit.bisect.bisect import Application
    from eio_audit.audit.corpus.trace_models import ModelTrace, ModelTraces, PassTotal
    from eio_audit.audit.gate.gate import Gate
    from eio_audit.audit.log.failures import Crash
    from eio_audit.audit.log.trace import LeftFinding, Trace, TracedPass
    from eio_audit.mlir.input.diagnostics import Diagnostic
    from eio_audit.mlir.input.markers import Marker

NOT_SHOWN = "(not in the log)"  # the name of passes that a log does not show
UNSEEN = "passes that the log does not show"  # their name in a sentence
_OTHER_INPUT = "trace a log of --mlir-print-ir-after-all, or compare two dumps with diff"
NOT_JUDGED = "order not judged"  # what is said instead of a verdict where no op carries an index
SHOWN_FUNCTIONS = 2  # how many of the functions that a pass changed have their names shown
AFTER_ALL, BEFORE_ALL = "mlir-print-ir-after-all", "--mlir-print-ir-before-all"
_TAKES_PIPELINE = re.compile(r"[\w.]*-?opt(?:-\d+)?\Z")  # the name of a tool such as `mlir-opt-22`
START = "(there from the start)"  # the row of inversions that no pass of the log made


def pass_title(traced: TracedPass) -> str:
    """Return the title of a pass. Changes by passes not in the log have the title of the next pass."""
    name = pass_called(traced.pass_name, traced.place.marker)
    if traced.failed:
        return f"{name} (failed)"
    return f"{name} (runs others)" if traced.is_adaptor and traced.changed else name


def pass_called(name: str | None, marker: Marker | None) -> str:
    """Return the name of a pass. Passes not in the log have the name of the next pass."""
    if name is not None:
        return name
    return f"(before {marker.pass_name})" if marker is not None else NOT_SHOWN


def reason(traced: TracedPass) -> str:
    """Return why a pass failed: what is invalid in its dump, and what the compiler said of it.

    It also tells if the dump could not be compared with the text before it.
    """
    said = [
        [fault.text for _, fault in traced.faults],
        [error_text(error) for error in traced.errors],
        [] if traced.unread is None else [f"not compared with the text before it: {traced.unread}"],
    ]
    return "; ".join(one[0] + (f" (and {len(one) - 1:,} more)" if one[1:] else "") for one in said if one)


def error_text(error: Diagnostic) -> str:
    """Return ``line 34: failed to legalize operation 'a.b' (a.b on line 29)``."""
    lines = error.op_lines
    more = "" if len(lines) < 2 else f" and {lines[1]}" if len(lines) == 2 else " and others"
    op = f" ({error.op_name} on line {lines[0]}{more})" if lines else ""
    return f"line {error.line}: {error.message}{op}"


def functions_of(traced: TracedPass) -> str:
    """Return the functions that a pass changed: ``@main``, ``@main, @f and 3 more``."""
    functions = traced.functions or tuple(filter(None, [traced.function]))
    return shortened_list(functions, SHOWN_FUNCTIONS) if functions else ""


def time_of(passes: Sequence[TracedPass]) -> str:
    """Return the wall time of passes: ``0.0120 s``, with ``(4 runs)`` if it is that of more or fewer runs."""
    times = [traced.seconds for traced in passes if traced.seconds is not None]
    if not times:
        return ""
    runs = sum(traced.timed_runs for traced in passes)
    note = "" if runs == len(passes) else f" ({count(runs, 'run')})"
    return f"{sum(times):.4f} s{note}"


def order_after(traced: TracedPass) -> str:
    """Return what a pass did to the order: ``789 inversions, 22 made (21 left at the end), 1 index lost``."""
    figures = traced.figures
    said = [count(figures.inversions, "inversion") if figures.inversions else "in order"]
    if figures.avoidable:
        said.append(f"{figures.avoidable:,} avoidable")
    later = f", {traced.multiplied:,} of them as later passes replaced ops" if traced.multiplied else ""
    said += made_and_undone(traced, later)
    if traced.mislabelled:
        said.append(f"{count(traced.mislabelled, 'wrong index', 'wrong indices')} made")
    if traced.lost:
        said.append(f"{count(traced.lost, 'index', 'indices')} lost")
    return ", ".join(said)


def made_and_undone(one: TracedPass | Application, later: str = "") -> list[str]:
    """Return ``22 made (21 left at the end)`` and ``3 undone``, of what is not 0."""
    made = f"{one.made:,} made{later} ({one.left:,} {LEFT})" if one.made else ""
    return [*filter(None, (made, f"{one.undone:,} undone" if one.undone else ""))]


def left_at_the_end(trace: Trace) -> str:
    """Return what is left: ``25 inversions: 16 of splits, 9 of wrong indices``, or ``nothing``."""
    total = trace.at_end_of_log.inversions
    if not total:
        return "nothing"
    classes = [(number, one.words) for one, number in trace.left_classes.most_common() if number]
    if unordered := in_graph_regions(trace.at_end_of_log):
        classes.append((unordered, "in graph regions"))
    is_one_class = len(classes) == 1 and total > 1
    parts = ", ".join(f"{'all' if is_one_class else f'{number:,}'} {what}" for number, what in classes)
    return ": ".join(filter(None, (count(total, "inversion"), parts)))


def chosen(passes: Sequence[TracedPass], trace: Trace) -> str:
    """Return ``2 of 8 passes chosen``."""
    return f"{len(passes):,} of {count(len(trace.passes), 'pass', 'passes')} chosen"


PARTIAL = (
    f"In a block with more than {MOST_OPS:,} ops out of order, only pairs of the fewest ops to move are "
    "followed; made, undone and left lack the others."
)
"""What a report says if some pairs are not followed."""

SHOWN_OPS = 3  # how many of the ops that a pass left out of order are named


def left_by(traced: TracedPass) -> str:
    """Return ``left 16: #37 ttnn.slice_static %5 (line 120), #65 ttnn.slice_static %6 (line 121)``."""
    ops = [str(one.op) for one in traced.left_ops[:SHOWN_OPS]]
    if len(traced.left_ops) > SHOWN_OPS:
        ops.append("...")
    return ": ".join(filter(None, (f"left {traced.left:,}", ", ".join(ops))))


def made_by(left: LeftFinding) -> str:
    """Return ``made by canonicalize (passes.log:12)``."""
    if left.made_at is None:
        return "there from the start"
    return f"made by {left.finding.pass_name or UNSEEN} ({left.made_at.source}:{left.made_at.line})"


def conclusion(trace: Trace, gate: Gate) -> tuple[str, str]:
    """Return ``failed`` or ``passed``, and why: ``22 avoidable inversions left at the end of 8 passes``."""
    status, why = _conclusion(trace, gate)
    return status, why + configured(trace.options)


def _conclusion(trace: Trace, gate: Gate, where: str = "") -> tuple[str, str]:
    """Return the conclusion without the configuration. ``where`` replaces the number of passes."""
    if trace.broken is not None:
        return "failed", _why_broken(trace.broken)
    files = trace.sources if len(trace.sources) > 1 else trace.sources * trace.summary.dumps
    unread_files = unread(trace.errors, files) if trace.errors else ""
    if not trace.summary.has_indices and (unread_files or trace.is_unjudged or not trace.summary.dumps):
        if unread_files or not trace.summary.dumps:
            return "could not run", unread_files or "no op carries an op index"
        if not trace.passes and len(lines := trace.unmarked_modules) > 1:
            where = shortened_list(list(map(str, lines)), SHOWN_INPUTS)
            return NOT_JUDGED, f"no pass markers; {count(len(lines), 'module')}, on lines {where}"
        if not trace.passes:
            return NOT_JUDGED, f"no op carries an op index, and no marker names a pass: {_OTHER_INPUT}"
        return NOT_JUDGED, f"no op carries an op index; {changed_passes(trace, where)}"
    if not trace.summary.has_indices:
        return "passed", "no op to check"
    failed = gate.failed_rules(trace.at_end_of_log)
    passes = where or count(len(trace.passes), "pass", "passes")
    said = limits(gate, failed, trace.at_end_of_log, lambda _: f"{LEFT} of {passes}")
    if not said:
        end = passes if where or trace.passes else count(trace.summary.dumps, "dump")
        said = [f"{avoidable_of(trace.at_end_of_log)} {LEFT} of {end}"]
    if trace.summary.dumps > 1 and not where and (missing := not_compared(trace)):
        said.append(missing)
    if trace.unindexed and not where:
        said.append(checked(trace.summary.dumps, trace.unindexed))
    if unread_files:
        return "incomplete", "; ".join([unread_files, *said])
    return "failed" if failed else "passed", "; ".join(said)


def changed_passes(trace: Trace, where: str = "") -> str:
    """Return ``201 of 741 passes changed ops``, and of how many the log does not show what they found."""
    own = [one for one in trace.passes if not one.is_adaptor]
    unknown = sum(1 for one in own if one.changed is None and not one.failed)
    changed = sum(1 for one in own if one.changed)
    passes = count(len(own) - unknown, "pass", "passes") + (f" of {where}" if where else "")
    return "; ".join(filter(None, [f"{changed:,} of {passes} changed ops", not_compared(trace)]))


def not_compared(trace: Trace) -> str:
    """Return ``1 was not compared (the first dump: print with ...)``; empty if all dumps were."""
    own = (one for one in trace.passes if one.place.when == "after" and not one.is_adaptor)
    unknown = sum(1 for one in own if one.changed is None and not one.failed)
    were, which = ("was", "the first dump") if unknown == 1 else ("were", "first dumps")
    return f"{unknown:,} {were} not compared ({which}: print with {BEFORE_ALL})" if unknown else ""


def _why_broken(broken: TracedPass) -> str:
    """Return ``lower in @f: failed to legalize operation 't.mul'``, with what is most certain."""
    said = [(broken.function, error.message) for error in broken.errors]
    known = [*((part, fault.kind) for part, fault in broken.faults), *said]
    part, why = known[0] if known else (broken.function, "" if broken.size else "no IR")
    function = f" in {part}" if isinstance(part, str) else ""
    return f"{pass_called(broken.pass_name, broken.place.marker)}{function}" + (f": {why}" if why else "")


def _most_changed(trace: Trace, rows: Sequence[TracedPass]) -> TracedPass | None:
    """Return the pass that changed most ops, of those of a log with a dump after them."""
    if len(trace.sources) != 1 or trace.sources[0].startswith("<"):
        return None
    passes = [one for one in rows if one.op_counts.total and pass_command(one, trace)]
    own = [one for one in passes if not one.is_adaptor]
    return max(own, key=lambda one: one.op_counts.total, default=None)


def next_steps(trace: Trace, rows: Sequence[TracedPass] | None = None) -> Iterator[Step]:
    """Yield the commands to type next, and what they show: the pass that left most, and the fixes.

    If the order is not judged, it is the pass that changed most; of ``rows``, if some were chosen.
    """
    has_modules = len(trace.unmarked_modules) > 1 and is_readable_again(trace, trace.sources[0])
    if trace.is_unjudged and not trace.passes and has_modules:
        module = r"""'/^"\{0,1\}\(builtin\.\)\{0,1\}module/'"""
        split = f"csplit -z -f module- {argument(trace.sources[0])} {module} '{{*}}'"
        first = int(trace.unmarked_modules[0] > 1)  # a file of its own has what is above the first module
        yield Step(split, "writes each module to a file")
        yield Step(f"eio-audit diff module-0{first} module-0{first + 1}", "compares the first two")
        return
    if trace.is_unjudged and not trace.passes:
        return
    to_broken = [*_steps_to(trace.broken, trace)] if trace.broken is not None else []
    yield from to_broken
    if trace.is_unjudged:
        if (
            not to_broken
            and (most := _most_changed(trace, trace.passes if rows is None else rows)) is not None
        ):
            yield Step(pass_command(most, trace), "shows the pass that changed most")
            page = command("trace", trace, most.place.source, "--format html -o passes.html")
            yield Step(page, "writes a page of all passes")
        return
    sources = [one.finding.source for one in trace.left] or [one.place.source for one in trace.passes[-1:]]
    if not sources or not is_readable_again(trace, sources[0]):
        return
    last = " --dump last" if _ends_in_one_dump(trace) else ""
    culprit, worst = trace.culprit, next(iter(trace.left), None)
    is_log = len(trace.sources) == 1 and trace.options.order_from is None
    if culprit is not None and culprit.pass_name and is_log:
        yield from _steps_to_patterns(culprit.pass_name, trace)
    if culprit is not None and (compare := compare_command(culprit, trace)):
        yield Step(compare, "shows what the pass did")
    elif worst is not None:
        yield Step(
            explain_command(trace, worst.finding.source, worst.finding.line), "shows why the worst is there"
        )
    has_wrong = bool(trace.at_end_of_log.wrong_indices) and trace.options.order_from is None
    if has_wrong:
        relabel = command(f"fix --relabel --diff{last}", trace, sources[0])
        yield Step(relabel, "corrects wrong indices")
    if trace.at_end_of_log.avoidable:
        effect = ONLY_MOVES if has_wrong else "shows the fix"
        yield Step(command(f"fix --diff{last}", trace, sources[0]), effect)


def _steps_to_patterns(pass_name: str, trace: Trace) -> Iterator[Step]:
    """Yield the command that bisects a pass, unless it is a state that ``bisect`` kept."""
    from eio_audit.audit.bisect.attempts import is_step

    if not is_step(pass_name):
        bisect = bisection_command(trace.options, [], "--pass", pass_name)
        yield Step(f"{bisect} {trace.compiler or 'COMPILER ARGS'}", "which of its patterns, on which op")


def _steps_to(broken: TracedPass, trace: Trace) -> Iterator[Step]:
    """Yield the commands that show what a pass that failed did, and the op that its error names."""
    if trace.crash is not None and is_readable_again(trace, broken.place.source):
        yield from _steps_to_crash(trace.crash, broken.place.source)
    if broken.op_counts.total and (compare := compare_command(broken, trace)):
        yield Step(compare, "shows what the pass that failed did")
    lines = [line for error in broken.errors for line in error.op_lines]
    if lines and is_readable_again(trace, broken.place.source):
        yield Step(
            command("history", trace, broken.place.source, str(lines[0])),
            "follows the op that its error names",
        )


def _steps_to_crash(crash: Crash, source: str) -> Iterator[Step]:
    """Yield the commands that write the input of a pass that crashed, run it alone, and print it."""
    if crash.pass_ is not None:
        dump = argument(f"{source}::{crash.line}")
        yield Step(f"eio-audit show {dump} --whole -o in.mlir", "writes the input of the pass that crashed")
        if crash.command and _TAKES_PIPELINE.search(crash.command[0]):
            pipeline = (
                f"--pass-pipeline={crash.pass_.alone}" if crash.pass_.anchors else f"--{crash.pass_.text}"
            )
            yield Step(shlex.join([crash.command[0], "in.mlir", pipeline]), "runs it alone")
    if crash.command:
        words = [word for word in crash.command if word.lstrip("-") != AFTER_ALL]
        yield Step(shlex.join([*words, BEFORE_ALL]), "prints the IR before each pass")


def _ends_in_one_dump(trace: Trace) -> bool:
    """Whether the trace is of a log whose last dump has all that is left."""
    lines = {(one.finding.source, one.finding.place.line) for one in trace.left}
    places = {(one.place.source, one.place.line) for one in trace.passes}
    is_log = trace.summary.dumps > 1 and len({source for source, _ in places}) == 1
    return is_log and (not lines or min(lines) >= max(places))


def left_in_models(result: ModelTraces) -> str:
    """Return ``568 inversions in 31 of 44 models, 3 of them there from the start: all of splits``."""
    if not result.merged.at_end_of_log.inversions:
        return f"nothing in {count(len(result.models), 'model')}"
    total, _, classes = left_at_the_end(result.merged).partition(": ")
    initial = result.merged.initial_left
    start = f", {initial:,} of them there from the start" if initial else ""
    models = sum(1 for model in result.models if model.left)
    return ": ".join([f"{total} in {models:,} of {len(result.models):,} models{start}", classes])


def name_of(total: PassTotal) -> str:
    """Return the name of a pass."""
    return total.pass_name or NOT_SHOWN


def in_models(total: PassTotal, result: ModelTraces) -> str:
    """Return in how many models a pass put ops out of order: ``31 of 44``. Empty for none."""
    return f"{total.models:,} of {len(result.models):,}" if total.models else ""


def worst_pass(model: ModelTrace) -> str:
    """Return the pass of which most is left in a model, else that made most. Empty if none did."""
    return name_of(model.passes[0]) if model.made else ""


def verdict_of(result: ModelTraces, gate: Gate) -> str:
    """Return ``passed: nothing is left out of order at the end of 3 passes``, also of a single model."""
    return ": ".join(verdict_parts(result, gate))


def verdict_parts(result: ModelTraces, gate: Gate) -> tuple[str, str]:
    """Return ``failed`` or ``passed``, and why, also of a single model."""
    several = len(result.models) > 1
    return verdict_on_all(result, gate) if several else conclusion(result.merged, gate)


def verdict_on_all(result: ModelTraces, gate: Gate) -> tuple[str, str]:
    """Return ``failed`` or ``passed``, and why. Models without an index fail unless the gate allows them."""
    status, why = _on_all(result, gate)
    return status, why + configured(result.merged.options)


def _on_all(result: ModelTraces, gate: Gate) -> tuple[str, str]:
    status, why = _conclusion(result.merged, gate, count(len(result.models), "model"))
    judged = [model.trace for model in result.models if not model.trace.is_unjudged]
    unindexed = sum(trace.unindexed for trace in judged)
    if unindexed and status != "could not run":
        why += "; " + checked(sum(trace.summary.dumps for trace in judged), unindexed)
    names, total = [model.name for model in result.unjudged], len(result.models)
    if not names or status == "could not run" or len(names) == total:
        return status, why
    said = f"{checked(total, len(names), 'models')}: {shortened_list(names, SHOWN_INPUTS)}"
    if gate.allows_unindexed or gate.never_fails:
        return status, f"{said}; {why}"
    said += lets_pass(names, "--config allow-unindexed=true")
    return "failed" if status == "passed" else status, f"{said}; {why}"


def next_steps_of_all(result: ModelTraces) -> Iterator[Step]:
    """Yield the commands to type next, and what they show: of the worst model all, or its worst pass."""
    worst = result.models[0]
    if worst.path and any(not total.is_clean for total in worst.passes):
        yield Step(command("trace", worst.trace, worst.path), "shows the worst model")
    else:
        yield from next_steps(worst.trace)
