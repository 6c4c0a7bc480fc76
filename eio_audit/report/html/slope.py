"""The slope picture: each op a line from its place in the original order to the place where it stands.

Both axes count the ops with a say in inversions, downwards. The picture is 100 wide and as high as there are
ops; it is stretched to the room there is, and zoomed by its viewBox alone. Lines that cross are inversions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from eio_audit.audit.explain.order_picture import Disorder, OrderPicture, PicturedOp
from eio_audit.report.html.page import escaped
from eio_audit.report.wording.order import count, op_name

SINGLE_LINES = 2000
"""Up to so many ops, each has a line; in larger blocks displaced ops have, and the others are bands."""

MAPPED_OPS = 500
MAP_PARTS = 140
"""Beside a picture of more ops, that many parts of the block show where displaced ops stand."""

LABELS = 12
"""How many ops are named beside the picture where no script names as many as there is room for."""

HEIGHT = 560
LABEL_HEIGHT = 18
LEAST_ROWS = 4
"""Pixels of the picture, at the most, and of the row of an op; a small picture has room for a few rows."""

MEANINGS = {
    Disorder.FORCED: "forced: a dependence holds it",
    Disorder.AVOIDABLE: "avoidable: in fewer inversions after a fix",
    Disorder.DERIVED: "derived: a pass made it, and it carries the index of another place",
    Disorder.KNOCK_ON: "knock-on: nothing holds it, yet no better order was found",
    Disorder.UNORDERED: "in a graph region, which has no order",
}


def draw_slope(picture: OrderPicture) -> str:
    """The picture, with ops named at its sides."""
    ops = [op for op in picture.ops if op.standing is not None]
    originally = sorted(ops, key=_original)
    height = min(HEIGHT, max(len(ops), LEAST_ROWS) * LABEL_HEIGHT)
    summary = f"{count(len(ops), 'op')} from their original place, left, to where they stand, right"
    is_mapped = len(ops) > MAPPED_OPS
    return "\n".join(
        [
            f'<div class="stage{" mapped" if is_mapped else ""}" tabindex="0" role="group" aria-label="Slope '
            'picture. Arrow keys pick one displaced op after the other, plus and minus zoom, 0 shows all.">',
            *(["<span></span>"] if is_mapped else []),
            '<span class="axis left">original</span><span></span><span class="axis">as it stands</span>',
            *([_map(ops, height)] if is_mapped else []),
            f'<div class="labels left" aria-hidden="true">{_labels([_index(op) for op in originally])}</div>',
            f'<svg class="lines" style="height:{height}px" viewBox="0 0 100 {len(ops)}" '
            f'preserveAspectRatio="none" role="img" aria-label="{summary}">',
            *_lines(ops),
            '<line class="pointed" x1="0" x2="100" visibility="hidden"/>',
            '<line class="picked" x1="0" x2="100" visibility="hidden"/>',
            "</svg>",
            f'<div class="labels right" aria-hidden="true">{_labels([op_name(op.op) for op in ops])}</div>',
            "</div>",
        ]
    )


def _map(ops: Sequence[PicturedOp], height: int) -> str:
    """How many ops are displaced in each part of the block, and a frame around the part that is shown."""
    size = -(-len(ops) // MAP_PARTS)
    numbers = Counter((op.standing or 0) // size for op in ops if op.disorder)
    most = max(numbers.values(), default=1)
    bars = "".join(
        f'<rect x="0" y="{part * size}" width="{100 * number / most:.1f}" height="{size}"/>'
        for part, number in sorted(numbers.items())
    )
    return (
        f'<svg class="map" style="height:{height}px" viewBox="0 0 100 {len(ops)}" '
        f'preserveAspectRatio="none" role="img" aria-label="Where displaced ops stand">{bars}'
        f'<rect class="view" x="0" y="0" width="100" height="{len(ops)}"/></svg>'
    )


def draw_legend(picture: OrderPicture) -> str:
    """What the lines of the picture mean, those that it has."""
    numbers = Counter(op.disorder for op in picture.ops if op.disorder)
    rows = [
        '<li><svg viewBox="0 0 34 10" aria-hidden="true">'
        f'<line class="{disorder.value}" x1="0" x2="34" y1="5" y2="5"/></svg>'
        f"{numbers[disorder]:,} {meaning}</li>"
        for disorder, meaning in MEANINGS.items()
        if disorder in numbers
    ]
    return f'<ul class="legend" aria-label="Displaced ops">{"".join(rows)}</ul>'


def _lines(ops: Sequence[PicturedOp]) -> Iterator[str]:
    """Ops in order below, displaced ones above them; each with what is said where the pointer rests."""
    in_order = [op for op in ops if op.disorder is None]
    if len(ops) <= SINGLE_LINES:
        yield from (_line(op, "kept") for op in in_order)
    else:
        yield from _bands(in_order)
    yield from (_line(op, op.disorder.value) for op in ops if op.disorder)


def _line(op: PicturedOp, name: str) -> str:
    start, end = _original(op) + 0.5, (op.standing or 0) + 0.5
    return f'<line class="{name}" x1="0" x2="100" y1="{start}" y2="{end}"/>'


def _bands(ops: Sequence[PicturedOp]) -> Iterator[str]:
    """Stretches of ops that stayed together, each as one surface."""
    for _, run in groupby(
        enumerate(ops), key=lambda at: (_original(at[1]) - at[0], (at[1].standing or 0) - at[0])
    ):
        stretch = [op for _, op in run]
        left, right = _original(stretch[0]), stretch[0].standing or 0
        size = len(stretch)
        yield f'<path class="band" d="M0 {left}L100 {right}v{size}L0 {left + size}z"/>'


def _labels(names: Sequence[str]) -> str:
    """Some names, evenly spread, each at the height of its op."""
    step = max(1, -(-len(names) // LABELS))
    return "".join(
        f'<span style="top:{(place + 0.5) / len(names):.2%}">{escaped(names[place])}</span>'
        for place in range(0, len(names), step)
    )


def _index(op: PicturedOp) -> str:
    return f"#{op.op.index}"


def _original(op: PicturedOp) -> int:
    assert op.original is not None
    return op.original
