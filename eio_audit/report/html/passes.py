"""The pages with a list of passes: of ``trace``, and of ``bisect``, whose list has the steps of one pass.

The page of several models has the totals. The curve of a bisection shows the inversions after each attempt of
a pattern, or the ops that each changed. One unit to the right is an attempt, one unit down is an inversion or
an op. The picture is stretched to the available space. Places beside it are shares of its width and height.
"""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from eio_audit.audit.bisect.attempts import WITHOUT_PATTERNS
from eio_audit.audit.log.trace import OpTotals, Trace, TracedPass
from eio_audit.report.document import Cells, Figures, columns_if_any, columns_of, figures_of
from eio_audit.report.documents.trace import table_of_models, table_of_ops, table_of_totals
from eio_audit.report.html.data import STATUSES, PassEntry, PassList, StoredSteps, Table
from eio_audit.report.html.order_section import OPEN_FINDINGS, left_cards
from eio_audit.report.html.pages import BROWSER_SCRIPTS, files_of, page
from eio_audit.report.wording import LEFT, bisect, count, shortened_list
from eio_audit.report.wording import trace as words
from eio_audit.report.wording.conclusion import bisect_command, compare_command

if TYPE_CHECKING:
    from eio_audit.audit.bisect.bisect import Application, Bisection
    from eio_audit.audit.corpus.trace_models import ModelTrace, ModelTraces
    from eio_audit.audit.gate.gate import Gate

_FIGURES = "#made, #undone, #left, #mislabelled=wrong indices, #lost"


def traces_to_html(
    result: ModelTraces,
    version: str,
    gate: Gate,
    steps: StoredSteps | None,
    rows: Sequence[TracedPass] | None = None,
) -> str:
    """Return the page of a trace. ``steps`` has what each pass of a single model did to the ops.

    ``rows`` are the passes that the page shows at first; None for all. Of several models, it has a table of
    these passes besides the totals.
    """
    if steps is not None:
        return trace_to_html(result.merged, version, steps, rows)
    chosen = None if rows is None else _chosen_table(result.merged, rows)
    totals, models = table_of_totals(result, verbose=True), table_of_models(result, verbose=True)
    return page(
        "traces.html",
        version,
        title=f"{shortened_list([model.name for model in result.models])}: passes",
        result=result,
        verdict=words.verdict_on_all(result, gate),
        left=left_cards(result.merged)[:OPEN_FINDINGS],
        chosen=chosen,
        passes=Table("passes", "all runs of each pass in all models", totals, "-left, -made"),
        models=Table("models", "all passes of each model", models, "-left, -made"),
        runs=_run_table(result.models),
    )


def _chosen_table(trace: Trace, rows: Sequence[TracedPass]) -> Table:
    cells: Cells = {
        **{status: attrgetter(f"op_counts.{status}") for status in STATUSES},
        "pass": words.pass_title,
        "dump": lambda traced: f"{traced.place.source}:{traced.place.line}",
    }
    columns = f"#index=number, pass, dump, #added, #removed, #modified, #moved, {_FIGURES}"
    return Table("chosen", words.chosen(rows, trace), figures_of(rows, columns, cells), "index")


def _run_table(models: Sequence[ModelTrace]) -> Table:
    runs = [(model, total) for model in models for total in model.passes if not total.is_clean]
    rows = figures_of((total for _, total in runs), f"pass, {_FIGURES}", {"pass": words.name_of}).rows
    named = [[name, model.name, *numbers] for (model, _), (name, *numbers) in zip(runs, rows, strict=True)]
    figures = Figures(columns_of(f"pass, model, {_FIGURES}"), named)
    return Table("runs", "each pass in each model", figures, "-left, -made")


def trace_to_html(
    trace: Trace, version: str, steps: StoredSteps, rows: Sequence[TracedPass] | None = None
) -> str:
    """Return the page of a trace: what is left at the end, and what each pass did.

    ``rows`` are the passes that its list shows at first; None for all.
    """
    chosen = {traced.index for traced in (trace.passes if rows is None else rows)}
    entries = [
        _entry(traced, trace, steps.counts.get(traced.index, Counter()), is_chosen=traced.index in chosen)
        for traced in trace.passes
    ]
    return page(
        "trace.html",
        version,
        BROWSER_SCRIPTS,
        title=f"{files_of(trace.sources)}: passes" if trace.sources else "eio-audit trace",
        result=trace,
        left=left_cards(trace),
        open_findings=OPEN_FINDINGS,
        browsed=PassList(entries, steps.data(), has_choice=rows is not None),
        passes=_pass_table(trace) if trace.summary.has_indices else None,
        ops=_op_table(trace.op_totals) if trace.passes else None,
        times=_time_table(trace) if any(traced.seconds is not None for traced in trace.passes) else None,
    )


def _op_table(totals: OpTotals) -> Table:
    figures = table_of_ops(totals.first, totals.last)
    figures = figures._replace(rows=figures.rows[:-1])
    return Table("ops", "how many ops of each name the log has", figures, "op")


def _time_table(trace: Trace) -> Table:
    timed = defaultdict[str, list[TracedPass]](list)
    for traced in trace.passes:
        if traced.seconds is not None:
            timed[traced.pass_name or words.NOT_SHOWN].append(traced)
    cells: Cells = {
        "pass": str,
        "time": lambda name: round(sum(one.seconds or 0 for one in timed[name]) * 1000),
        "runs": lambda name: sum(one.timed_runs for one in timed[name]),
    }
    caption = "the wall time of each pass, its runs added up"
    return Table("times", caption, figures_of(timed, "pass, ##time=milliseconds, #runs", cells), "-time")


def _entry(traced: TracedPass, trace: Trace, counts: Mapping[str, int], *, is_chosen: bool) -> PassEntry:
    return PassEntry(
        name=words.pass_title(traced),
        subject=words.functions_of(traced),
        place=f"line {traced.place.line}",
        counts=tuple(counts[status] for status in STATUSES),
        note=_note(traced),
        order=words.order_after(traced) if trace.summary.has_indices else "",
        source=f"{traced.place.source}:{traced.place.line}",
        time=words.time_of([traced]),
        command=compare_command(traced, trace),
        changed=traced.changed,
        is_unchanged=not (traced.changed or traced.failed or any(counts.values())),
        is_guilty=traced.left > 0,
        is_culprit=trace.culprit is traced,
        is_chosen=is_chosen,
    )


def _note(traced: TracedPass) -> str:
    if why := words.reason(traced):
        return why
    if traced.made:
        return f"{traced.made:,} made, {traced.left:,} left"
    return count(traced.figures.inversions, "inversion") if traced.figures.inversions else ""


def _pass_table(trace: Trace) -> Table:
    passes = trace.passes
    has_functions = any(traced.function for traced in passes)
    has_sources = len({traced.place.source for traced in passes}) > 1
    columns = (
        f"#index=number, pass, changed, {'function, ' * has_functions}"
        f"dump={'dump' if has_sources else 'line'}, #ops, #inversions, #minimum=not avoidable, #avoidable, "
        f"{columns_if_any(passes, {'left_ahead': 'left in functions that run ahead'})}{_FIGURES}"
    )
    cells: Cells = {
        "pass": words.pass_title,
        "changed": lambda traced: "yes" if traced.changed else "",
        "dump": lambda traced: f"{traced.place.source}:" * has_sources + f"{traced.place.line}",
        "ops": lambda traced: traced.size,
        **{key: attrgetter(f"figures.{key}") for key in ("inversions", "minimum", "avoidable")},
    }
    marked = ("changed", "passes that changed something only")
    caption = "the passes in the order in which they ended"
    links = ("pass", [f"#pass-{traced.index}" for traced in passes])
    return Table("passes", caption, figures_of(passes, columns, cells), "index", links, marked)


LEFT_PART = 0.6
"""The text on a step in this part of the width is to the right of the step, otherwise to the left."""


def curve_of(result: Bisection, kinds: Mapping[str | None, str], shows_order: bool) -> dict[str, Any]:
    """Return what the template ``curve.html`` shows.

    The height is inversions if it ``shows_order``, else how many ops each step changed.
    """
    heights = [_heights(one, shows_order) for one in result.applications]
    advice = result.advice if shows_order else None
    advised = () if advice is None else advice.curve
    least = min(*advised, *(min(pair) for pair in heights))
    most = max(*advised, *(max(pair) for pair in heights))
    height = max(most - least, 1)
    first, last = result.attempts
    width = last - first + 1

    def x(attempt: int) -> int:
        return max(attempt - first + 1, 0)

    def y(number: int) -> int:
        return height - (number - least)

    line, steps, hatched = f"M0 {y(heights[0][0])}", [], []
    for number, (one, (low, high)) in enumerate(zip(result.applications, heights, strict=True)):
        end = f"H{x(one.last)}V{y(high)}"
        line += end
        start = x(one.last if one.is_resolved else one.first - 1)
        said = _said(one, shows_order)
        steps.append((number, f"M{start} {y(low)}{end}", kinds.get(one.pattern, ""), said))
        if not one.is_resolved:
            hatched.append((_share(start, width), _share(x(one.last) - start, width)))
    ends = zip(result.applications, advised[1:], strict=False)
    path = "".join(f"H{x(one.last)}V{y(number)}" for one, number in ends)
    labelled = None
    if result.worst:
        worst = result.worst[0]
        middle = sum(map(y, _heights(worst, shows_order)))
        place = _share(x(worst.last), width), _share(middle, 2 * height)
        labelled = *place, _said(worst, shows_order), x(worst.last) > LEFT_PART * width
    what = "inversions after each attempt of a pattern"
    return {
        "title": what if shows_order else "ops that each attempt of a pattern changed",
        "width": width,
        "height": height,
        "line": f"{line}H{width}" if shows_order else "",  # empty for single bars
        "advised": f"M0 {y(advised[0])}{path}H{width}" if advised else "",  # the curve with the advice
        "steps": steps,  # the number of each in the list, its line, the class of its pattern, what it did
        "hatched": hatched,  # of attempts that are not resolved, where they begin, and their width
        "labelled": labelled,  # the place of the worst, its text, and whether that is to its left
        "most": most,
        "least": least,
        "first": first,
        "last": last,
    }


def _heights(one: Application, shows_order: bool) -> tuple[int, int]:
    """Return where a step begins and where it ends. What the pass does without patterns has no bar."""
    if shows_order:
        return one.inversions_before, one.inversions
    return 0, one.op_counts.total if one.first else 0


def _said(one: Application, shows_order: bool) -> str:
    """Return ``431: 315 -> 396``."""
    what = bisect.before_and_after(one) if shows_order else count(one.op_counts.total, "op")
    return f"{bisect.attempts_of(one) if one.last else WITHOUT_PATTERNS}: {what}"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2%}"


COLOURS = 4  # how many patterns have a colour

SHOWN_UNRESOLVED = 3  # how many of the steps that are not resolved are named at the top


def bisection_to_html(result: Bisection, version: str, steps: StoredSteps) -> str:
    """Return the page of a bisection. ``steps`` has what each step did to the ops."""
    shows_order = result.is_judged and any(one.made for one in result.applications)
    kinds = _kinds(result)
    worst = result.worst[0] if result.worst else None
    entries = [_step_entry(one, result, kinds, is_worst=one is worst) for one in result.applications]
    sources = [PurePath(source).name for source in steps.sources]
    return page(
        "bisect.html",
        version,
        (*BROWSER_SCRIPTS, "curve.js"),
        title=f"{' on '.join(filter(None, (result.pass_name, result.function)))}: patterns",
        result=result,
        answer=bisect.answer(result),
        tiles=_tiles(result),
        compiler=shlex.join(result.command),
        curve=curve_of(result, kinds, shows_order=shows_order) if result.of_patterns else None,
        chosen=next(((number, entry) for number, entry in enumerate(entries) if entry.is_culprit), None),
        place=_attempt,
        kinds=kinds,
        applications=_application_table(result) if result.of_patterns else None,
        worst=worst,
        again=bisect_command(result, "--show", str(worst.last)) if worst and worst.is_resolved else "",
        browsed=PassList(entries, {**steps.data(), "sources": sources}, "step", "steps", "pattern or op"),
        shown_unresolved=SHOWN_UNRESOLVED,
    )


def _kinds(result: Bisection) -> dict[str | None, str]:
    """Return, by pattern, the class of its colour. Those that made most inversions have one."""
    worst = [one.pattern for one in result.patterns if one.pattern and (one.made > 0 or not result.is_judged)]
    return {pattern: f"colour-{number}" for number, pattern in enumerate(worst[:COLOURS], 1)}


def _tiles(result: Bisection) -> list[tuple[str, str]]:
    tiles = []
    if not result.why_one_step:
        changed = len(result.of_patterns) - len(result.unresolved)
        tiles = [
            (f"{result.attempted:,}", "attempts of patterns"),
            (f"{changed:,}", "of them changed the IR"),
        ]
    if result.is_judged:
        before, after = result.inversions
        tiles += [(f"{before:,} -> {after:,}", "inversions"), (f"{result.avoidable:,}", "avoidable left")]
    return [*tiles, (f"{result.runs:,}", "runs of the compiler")]


def _step_entry(
    one: Application, result: Bisection, kinds: Mapping[str | None, str], *, is_worst: bool
) -> PassEntry:
    change = f"{bisect.before_and_after(one)} inversions" if result.is_judged else ""
    traced = one.traced
    note = f"{change}, {one.made:,} made" if one.made else change
    order = ", ".join(filter(None, [change, *words.made_and_undone(one)]))
    return PassEntry(
        name=bisect.step_title(one) if result.of_patterns else result.pass_name,
        subject=bisect.root_op(one),
        place=_attempt(one),
        counts=tuple(getattr(one.op_counts, status) for status in STATUSES),
        note=note,
        order=order,
        source=" ".join(filter(None, (_attempt(one), bisect.model_line(one)))),
        time="",
        command=bisect_command(result, "--show", str(one.last)) if one.first and one.is_resolved else "",
        changed=traced.changed,
        is_unchanged=not (traced.changed or one.op_counts.total),
        is_guilty=one.left > 0,
        is_culprit=is_worst,
        mark=kinds.get(one.pattern, ""),
    )


def _attempt(one: Application) -> str:
    """Return ``attempt 431`` or ``attempts 120 to 134``; empty for what the pass does without patterns."""
    if not one.first:
        return ""
    return f"attempt{'' if one.is_resolved else 's'} {bisect.attempts_of(one)}"


def _application_table(result: Bisection) -> Table:
    steps = result.of_patterns
    cells: Cells = {
        "attempt": attrgetter("last"),
        "pattern": lambda one: " ".join([*[_attempt(one)] * (not one.is_resolved), bisect.step_title(one)]),
        "op": bisect.root_op,
        "model": bisect.model_line,
        "states": bisect.before_and_after,
        "ops": attrgetter("op_counts.total"),
        "changes": lambda one: bisect.ops_changed(one.op_counts),
    }
    order = f"#made=inversions made, states=before and after, #left={LEFT}, " * result.is_judged
    columns = f"#attempt, pattern, op=root op, model, {order}#ops=ops changed, changes=which"
    links = ("attempt", [f"#pass-{number}" for number in range(1, len(steps) + 1)])
    caption = "the steps that changed the IR, worst first"
    sorting = "-left, -made, -ops" if result.is_judged else "-ops"
    return Table("applications", caption, figures_of(steps, columns, cells), sorting, links)
