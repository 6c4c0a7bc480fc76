"""The curve of a pass: the inversions after each attempt of a pattern, or the ops that each changed.

One unit to the right is an attempt, one unit down is an inversion or an op. The picture is stretched to the
available space. Places beside it are shares of its width and height.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from eio_audit.audit.bisect.bisection import Application, Bisection
from eio_audit.report.wording.bisect import attempts_of, before_and_after
from eio_audit.report.wording.numbers import count

LEFT_PART = 0.6
"""The text on a step in this part of the width is to the right of the step, otherwise to the left."""


class CurveStep(NamedTuple):
    """A step of the curve.

    Attributes:
        number: its number in the list of steps.
        path: its line.
        kind: the class of its pattern; empty for the other patterns.
        said: what it did, in short.
    """

    number: int
    path: str
    kind: str
    said: str


class Hatched(NamedTuple):
    """Attempts that are not resolved: where they begin, and how wide they are, as shares of the width."""

    left: str
    width: str


class Labelled(NamedTuple):
    """The step with a text.

    Attributes:
        x, y: its middle, as shares of the width and the height.
        text: the text.
        is_left: whether the text is to the left of it.
    """

    x: str
    y: str
    text: str
    is_left: bool


@dataclass(frozen=True, slots=True)
class Curve:
    """What the template ``curve.html`` shows.

    Attributes:
        title: what the height shows.
        width, height: in units.
        line: the path of the curve; empty for single bars.
        steps: in order.
        hatched: the attempts that are not resolved.
        labelled: the worst application; None if none is worst.
        most, least: the numbers at the top and at the bottom.
        first, last: the attempts at the left and at the right.
    """

    title: str
    width: int
    height: int
    line: str
    steps: list[CurveStep]
    hatched: list[Hatched]
    labelled: Labelled | None
    most: int
    least: int
    first: int
    last: int


def curve_of(result: Bisection, kinds: Mapping[str | None, str], shows_order: bool) -> Curve:
    """Return the curve of a pass.

    Args:
        result: what to show.
        kinds: by pattern, the class of its colour.
        shows_order: whether the height shows inversions; else it shows how many ops each step changed.
    """
    heights = [_heights(one, shows_order) for one in result.applications]
    least = min(min(pair) for pair in heights)
    most = max(max(pair) for pair in heights)
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
