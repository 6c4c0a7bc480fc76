"""The page of ``bisect``: the curve of a pass, its patterns and applications, and what each step did.

The curve shows the inversions after each attempt of a pattern, or the ops that each changed. One unit to the
right is an attempt, one unit down is an inversion or an op. The picture is stretched to the available space.
Places beside it are shares of its width and height.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import NamedTuple

from eio_audit.audit.bisect.bisection import Application, Bisection
from eio_audit.audit.gate.gate import Gate
from eio_audit.report.document import Cell, columns_of
from eio_audit.report.html.pages import BROWSER_SCRIPTS, page
from eio_audit.report.html.stored_steps import STATUSES, StoredSteps
from eio_audit.report.html.table import PassEntry, PassList, Table
from eio_audit.report.wording.bisect import (
    answer,
    attempts_of,
    before_and_after,
    model_line,
    ops_changed,
    patterns_to_change,
    root_op,
    step_title,
)
from eio_audit.report.wording.conclusion import bisect_command
from eio_audit.report.wording.numbers import count

LEFT_PART = 0.6
"""The text on a step in this part of the width is to the right of the step, otherwise to the left."""


class CurveStep(NamedTuple):
    """A step of the curve."""

    number: int  # its number in the list of steps
    path: str  # its line
    kind: str  # the class of its pattern; empty for the other patterns
    said: str  # what it did, in short


class Hatched(NamedTuple):
    """Attempts that are not resolved: where they begin, and how wide they are, as shares of the width."""

    left: str
    width: str


class Labelled(NamedTuple):
    """The step with a text, at its middle."""

    x: str  # as a share of the width
    y: str  # as a share of the height
    text: str
    is_left: bool  # whether the text is to the left of it


@dataclass(frozen=True, slots=True)
class Curve:
    """What the template ``curve.html`` shows."""

    title: str  # what the height shows
    width: int  # in units
    height: int
    line: str  # the path of the curve; empty for single bars
    advised: str  # the path of the curve as it would be with the advice; empty without
    steps: list[CurveStep]  # in order
    hatched: list[Hatched]  # the attempts that are not resolved
    labelled: Labelled | None  # the worst application; None if none is worst
    most: int  # the number at the top
    least: int  # the number at the bottom
    first: int  # the attempt at the left
    last: int  # the attempt at the right


def curve_of(result: Bisection, kinds: Mapping[str | None, str], shows_order: bool) -> Curve:
    """Return the curve of a pass: inversions if it ``shows_order``, else how many ops each step changed."""
    heights = [_heights(one, shows_order) for one in result.applications]
    advice = result.advice if shows_order else None
    advised = () if advice is None or not advice.together.patterns else advice.curve
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
        steps.append(
            CurveStep(number, f"M{start} {y(low)}{end}", kinds.get(one.pattern, ""), _said(one, shows_order))
        )
        if not one.is_resolved:
            hatched.append(Hatched(_share(start, width), _share(x(one.last) - start, width)))
    ends = zip(result.applications, advised[1:], strict=False)
    path = "".join(f"H{x(one.last)}V{y(number)}" for one, number in ends)
    labelled = None
    if result.worst:
        worst = result.worst[0]
        middle = sum(map(y, _heights(worst, shows_order)))
        labelled = Labelled(
            _share(x(worst.last), width),
            _share(middle, 2 * height),
            _said(worst, shows_order),
            is_left=x(worst.last) > LEFT_PART * width,
        )
    what = "inversions after each attempt of a pattern"
    return Curve(
        title=what if shows_order else "ops that each attempt of a pattern changed",
        width=width,
        height=height,
        line=f"{line}H{width}" if shows_order else "",
        advised=f"M0 {y(advised[0])}{path}H{width}" if advised else "",
        steps=steps,
        hatched=hatched,
        labelled=labelled,
        most=most,
        least=least,
        first=first,
        last=last,
    )


def _heights(one: Application, shows_order: bool) -> tuple[int, int]:
    """Return where a step begins and where it ends. What the pass does without patterns has no bar."""
    if shows_order:
        return one.inversions_before, one.inversions
    return 0, one.op_counts.total if one.first else 0


def _said(one: Application, shows_order: bool) -> str:
    """Return ``431: 315 -> 396``."""
    what = before_and_after(one) if shows_order else count(one.op_counts.total, "op")
    return f"{attempts_of(one) if one.last else 'without patterns'}: {what}"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2%}"


COLOURS = 4  # how many patterns have a colour

SHOWN_UNRESOLVED = 3  # how many of the steps that are not resolved are named at the top


def bisection_to_html(result: Bisection, version: str, gate: Gate, steps: StoredSteps) -> str:
    """Return the page of a bisection. ``steps`` has what each step did to the ops."""
    shows_order = result.is_judged and any(one.made for one in result.applications)
    kinds = _kinds(result)
    worst = result.worst[0] if result.worst else None
    entries = [_entry(one, result, kinds, is_worst=one is worst) for one in result.applications]
    sources = [PurePath(source).name for source in steps.sources]
    return page(
        "bisect.html",
        version,
        (*BROWSER_SCRIPTS, "curve.js"),
        title=f"{' on '.join(filter(None, (result.pass_name, result.function)))}: patterns",
        result=result,
        answer=answer(result, gate, "below"),
        tiles=_tiles(result),
        compiler=shlex.join(result.command),
        curve=curve_of(result, kinds, shows_order=shows_order) if result.of_patterns else None,
        chosen=next(((number, entry) for number, entry in enumerate(entries) if entry.is_culprit), None),
        place=_attempt,
        kinds=kinds,
        advised=patterns_to_change(result.advice) if result.advice else [],
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
    """Return the figures at the top, each with its noun."""
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


def _entry(
    one: Application, result: Bisection, kinds: Mapping[str | None, str], *, is_worst: bool
) -> PassEntry:
    change = f"{before_and_after(one)} inversions" if result.is_judged else ""
    traced = one.traced
    note, order = change, change
    if one.made:
        note += f", {one.made:,} made"
        order += f", {one.made:,} made ({one.left:,} left at the end)"
    if one.undone:
        order += f", {one.undone:,} undone"
    return PassEntry(
        name=step_title(one) if result.of_patterns else result.pass_name,
        subject=root_op(one),
        place=_attempt(one),
        counts=tuple(getattr(one.op_counts, status) for status in STATUSES),
        note=note,
        order=order,
        source=" ".join(filter(None, (_attempt(one), model_line(one)))),
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
    return f"attempt{'' if one.is_resolved else 's'} {attempts_of(one)}"


def _application_table(result: Bisection) -> Table:
    order = (
        "#made=inversions made, states=before and after, #left=left at the end, " if result.is_judged else ""
    )
    columns = columns_of(f"#attempt, pattern, op=root op, model, {order}#ops=ops changed, changes=which")
    rows: list[list[Cell]] = []
    for one in result.of_patterns:
        made: list[Cell] = [one.made, before_and_after(one), one.left] if result.is_judged else []
        title = step_title(one) if one.is_resolved else f"{_attempt(one)} {step_title(one)}"
        rows.append([one.last, title, root_op(one), model_line(one), *made])
        rows[-1] += [one.op_counts.total, ops_changed(one.op_counts)]
    links = [f"#pass-{number}" for number in range(1, len(rows) + 1)]
    caption = "the steps that changed the IR, worst first"
    sorting = "-left, -made, -ops" if result.is_judged else "-ops"
    return Table("applications", caption, columns, rows, sorting, links=("attempt", links))
