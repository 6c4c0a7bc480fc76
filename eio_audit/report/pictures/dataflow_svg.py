"""A dataflow DAG as a picture: boxes in layers, and an edge from each producer down to its user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from eio_audit.audit.explain.dataflow import Dataflow, DataflowOp
from eio_audit.report.graph import title_of
from eio_audit.report.pictures.layered_layout import layered_layout
from eio_audit.report.template import render, text_of
from eio_audit.report.wording.numbers import ELLIPSIS, count, shortened

LONGEST_TEXT = 34
"""The most characters of a line in a box. A tooltip shows the whole line."""

CHARACTER_WIDTH = 7.3
LINE_HEIGHT = 15
PADDING = 9
LAYER_GAP = 46
ARROW = 8
MARGIN = 12


def dataflow_to_svg(dataflow: Dataflow) -> str:
    """Return a standalone picture, light or dark as the viewer prefers."""
    drawing = drawing_of(dataflow, {}) | {"style": text_of("dataflow.css")}
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{render("dataflow.svg", drawing=drawing)}\n'


def drawing_of(dataflow: Dataflow, links: Mapping[int, str]) -> dict[str, object]:
    """Return what the template ``dataflow.svg`` draws. ``links`` has, by place, the link of an op's box."""
    number_of = {op.place: k for k, op in enumerate(dataflow.ops)}
    kinds: dict[tuple[int, int], list[str]] = {}
    inverting = set()
    for edge in dataflow.edges:
        ends = number_of[edge.producer], number_of[edge.user]
        kinds.setdefault(ends, []).append(edge.kind.value)
        if edge.inverting:
            inverting.add(ends)
    texts = [_lines_of(op) for op in dataflow.ops]
    widths = [max(map(len, lines)) * CHARACTER_WIDTH + 2 * PADDING for lines in texts]
    height = max(map(len, texts), default=1) * LINE_HEIGHT + PADDING
    layout = layered_layout(widths, list(kinds))
    tops = [layer * (height + LAYER_GAP) for layer in layout.layer_of]
    routes = dict(zip(kinds, layout.routes, strict=True))
    on_top = [*(ends for ends in kinds if ends not in inverting), *sorted(inverting)]
    return {
        "title": title_of(dataflow),
        "has_links": bool(links),
        "style": "",
        "margin": MARGIN,
        "width": round(layout.width + 2 * MARGIN),
        "height": round(max(tops, default=0) + height + 2 * MARGIN),
        "box_height": _rounded(height),
        "edges": [
            _edge(routes[ends], tops[ends[0]] + height, height)
            | {"kinds": kinds[ends], "inverting": ends in inverting}
            for ends in on_top
        ],
        "boxes": [
            _box(op, layout.centres[k] - widths[k] / 2, tops[k], widths[k], height, texts[k])
            | {"link": links.get(op.place), "is_centre": op.place in dataflow.around}
            for k, op in enumerate(dataflow.ops)
        ],
    }


def _edge(route: Sequence[float], y: float, height: float) -> dict[str, object]:
    """Return a curve that leaves its producer downwards, passes between boxes, and ends in an arrow."""
    curve = [f"M{route[0]:.1f} {y:.1f}"]
    for number, (before, after) in enumerate(pairwise(route), 2):
        top = y + LAYER_GAP
        is_last = number == len(route)
        end = top - ARROW if is_last else top
        middle = (y + end) / 2
        curve.append(f"C{before:.1f} {middle:.1f} {after:.1f} {middle:.1f} {after:.1f} {end:.1f}")
        if not is_last:
            y = top + height
            curve.append(f"V{y:.1f}")
    return {
        "curve": "".join(curve),
        "head": f"M{route[-1]:.1f} {top:.1f}l{-ARROW / 2} {-ARROW}h{ARROW}z",
        "label_x": _rounded((route[-2] + route[-1]) / 2),
        "label_y": _rounded(top - LAYER_GAP / 2 + 3),
    }


def _box(
    op: DataflowOp, x: float, y: float, width: float, height: float, texts: Sequence[str]
) -> dict[str, object]:
    baseline = y + (height - len(texts) * LINE_HEIGHT) / 2 - 4
    return {
        "is_displaced": op.displaced,
        "is_derived": op.derived,
        "described": _described(op),
        "x": _rounded(x),
        "y": _rounded(y),
        "width": _rounded(width),
        "text_x": _rounded(x + PADDING),
        "lines": [(line, _rounded(baseline + number * LINE_HEIGHT)) for number, line in enumerate(texts, 1)],
        "frame": [_rounded(side) for side in (x - 4, y - 4, width + 8, height + 8)],
    }


def _rounded(length: float) -> str:
    return f"{length:.1f}"


def _lines_of(op: DataflowOp) -> list[str]:
    index = None if op.op.index is None else f"#{op.op.index}"
    heading = " ".join(filter(None, (index, op.op.name)))
    place = " ".join(filter(None, (op.op.result, f"line {op.op.line}")))
    module = op.op.module or ""
    if len(module) > LONGEST_TEXT:
        module = ELLIPSIS + module[1 - LONGEST_TEXT :]
    lines = [shortened(line, LONGEST_TEXT, ELLIPSIS) for line in (heading, place)]
    return [*lines, *([module] if module else [])]


def _described(op: DataflowOp) -> str:
    """Return the tooltip of a box."""
    parts = [op.op.title, f"line {op.op.line}", op.op.module]
    if op.inversions:
        parts.append(f"in {count(op.inversions, 'inversion')}{', displaced' if op.displaced else ''}")
    if op.derived:
        parts.append("a pass made it from the op at its index")
    return "\n".join(filter(None, parts))
