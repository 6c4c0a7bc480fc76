"""The passes of a log from top to bottom, each with a bar of the inversions it left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from eio_audit.audit.trace.trace import TracedPass
from eio_audit.report.html.page import escaped
from eio_audit.report.wording.order import count, pass_title


def draw_timeline(passes: Sequence[TracedPass]) -> str:
    """A list in the order of the passes; runs of passes that changed nothing are one entry."""
    most = max((traced.figures.inversions for traced in passes), default=0)
    return f'<ol class="timeline">{"".join(_entries(passes, max(most, 1)))}</ol>'


def pass_name(traced: TracedPass) -> str:
    """What a pass is called, and how it went."""
    name = pass_title(traced)
    return f"{name} (failed)" if traced.failed else name


def _entries(passes: Iterable[TracedPass], most: int) -> Iterator[str]:
    for folded, run in groupby(passes, key=lambda traced: traced.changed is False and not traced.failed):
        if folded:
            yield f'<li class="faint">{count(len(list(run)), "pass", "passes")} changed nothing</li>'
        else:
            yield from (_entry(traced, most) for traced in run)


def _entry(traced: TracedPass, most: int) -> str:
    figures = traced.figures
    unordered = figures.minimum - figures.forced - figures.knock_on
    shares = {
        "forced": figures.forced,
        "knock-on": figures.knock_on,
        "avoidable": figures.avoidable,
        "unordered": unordered,
    }
    parts = "".join(
        f'<span class="{name}" style="width:{number / most:.2%}"></span>'
        for name, number in shares.items()
        if number
    )
    where = f" {escaped(traced.function)}" if traced.function else ""
    words = f"{figures.inversions:,}" if figures.inversions else "in order"
    if traced.introduced:
        words += f", <strong>{traced.introduced:,} avoidable introduced</strong>"
    guilty = ' class="guilty"' if traced.introduced else ""
    return (
        f"<li{guilty}><span>{escaped(pass_name(traced))}{where}</span>"
        f'<span class="share" aria-hidden="true">{parts}</span><span>{words}</span></li>'
    )
