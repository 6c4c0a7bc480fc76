"""The slope picture: each op is a line from its place in the original order to its place in the dump.

Both axes count the ops that count in inversions, downwards. The picture is 100 units wide and one unit per op
high. It is stretched to the available space, and only its viewBox zooms it. Lines that cross are inversions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from eio_audit.audit.explain.order_picture import Disorder, OrderPicture, PicturedOp

SINGLE_LINES = 2000
"""Up to this many ops, each has a line. In larger blocks only ops out of order do; the others are bands."""

MAPPED_OPS = 500
MAP_PARTS = 140
"""With more than MAPPED_OPS ops, MAP_PARTS bars beside the picture show where ops are out of order."""

LABELS = 12
"""How many op names are beside the picture without scripts. A script fills the available space."""

HEIGHT = 560
LABEL_HEIGHT = 18
LEAST_ROWS = 4
"""In pixels, the most for the picture and for an op's row. The picture has room for LEAST_ROWS."""

MEANINGS = {
    Disorder.AVOIDABLE: "avoidable: a fix moves it",
    Disorder.FORCED: "forced: a dependence keeps it there",
    Disorder.DERIVED: "derived: a pass made it, and it carries the index of another place",
    Disorder.KNOCK_ON: "knock-on: no dependence keeps it there, yet no better order was found",
    Disorder.UNORDERED: "in a graph region, which has no order",
}


def slope_of(picture: OrderPicture) -> dict[str, object]:
    """Return what the template ``slope.html`` shows. Heights count ops from the top; ``height`` is pixels."""
    ops = [op for op in picture.ops if op.textual_rank is not None]
    in_order = [op for op in ops if op.disorder is None]
    on_top = Disorder.AVOIDABLE
    out_of_order = sorted((op for op in ops if op.disorder), key=lambda op: op.disorder is on_top)
    numbers = Counter(op.disorder for op in picture.ops if op.disorder)
    are_bands = len(ops) > SINGLE_LINES
    lines = out_of_order if are_bands else in_order + out_of_order
    return {
        "ops": len(ops),
        "height": min(HEIGHT, max(len(ops), LEAST_ROWS) * LABEL_HEIGHT),
        "legend": [(kind.value, numbers[kind], text) for kind, text in MEANINGS.items() if kind in numbers],
        "left": _labels([f"#{op.op.index}" for op in sorted(ops, key=_original)]),
        "right": _labels([op.op.title for op in ops]),
        "bands": list(_bands(in_order)) if are_bands else [],
        "lines": [(op.disorder or "kept", _original(op) + 0.5, _textual_rank(op) + 0.5) for op in lines],
        "parts": _parts(out_of_order, len(ops)) if len(ops) > MAPPED_OPS else [],
    }


def _parts(out_of_order: Sequence[PicturedOp], total: int) -> list[tuple[int, float, int]]:
    """Return the parts of the block with ops out of order: start, bar width in percent, size in ops."""
    size = -(-total // MAP_PARTS)
    numbers = Counter(_textual_rank(op) // size for op in out_of_order)
    most = max(numbers.values(), default=1)
    return [(part * size, 100 * number / most, size) for part, number in sorted(numbers.items())]


def _bands(ops: Sequence[PicturedOp]) -> Iterator[tuple[int, int, int]]:
    """Yield groups of ops that stayed together: their start on the left and the right, and their number."""
    ends = enumerate((_original(op), _textual_rank(op)) for op in ops)
    for _, band in groupby(ends, key=lambda at: (at[1][0] - at[0], at[1][1] - at[0])):
        (_, (left, right)), *others = band
        yield left, right, 1 + len(others)


def _labels(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return some names, evenly spaced, each with the height of its op."""
    step = max(1, -(-len(names) // LABELS))
    return [(f"{(k + 0.5) / len(names):.2%}", names[k]) for k in range(0, len(names), step)]


def _original(op: PicturedOp) -> int:
    assert op.original is not None
    return op.original


def _textual_rank(op: PicturedOp) -> int:
    assert op.textual_rank is not None
    return op.textual_rank
