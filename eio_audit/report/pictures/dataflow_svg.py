"""A dataflow DAG as a picture: plain SVG, boxes in layers, an edge from every producer down to its user."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import pairwise

from eio_audit.audit.explain.dataflow import Dataflow, DataflowOp
from eio_audit.mlir.printable import printable_lines
from eio_audit.report.graph import title_of
from eio_audit.report.pictures.layered_layout import layered_layout
from eio_audit.report.wording.order import count, op_name

LONGEST_TEXT = 34
"""Characters of a box's line; what is longer is shortened, and whole where the pointer rests on the box."""

CHARACTER_WIDTH = 7.3
LINE_HEIGHT = 15
PADDING = 9
LAYER_GAP = 46
ARROW = 8
MARGIN = 12

DATAFLOW_CSS = """\
.flow { --paper: #ffffff; --box: #f5f6f8; --line: #5a6472; --ink: #1c2128; --faint: #57606a;
  --alarm: #b34700; --alarm-box: #fdebdf;
  background: var(--paper); font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
@media (prefers-color-scheme: dark) {
  .flow { --paper: #16191d; --box: #22272e; --line: #8b96a5; --ink: #e4e8ee; --faint: #a5afbc;
    --alarm: #ff9a57; --alarm-box: #3b2617; } }
.flow rect { fill: var(--box); stroke: var(--line); }
.flow text { fill: var(--ink); }
.flow text.faint { fill: var(--faint); font-size: 11px; }
.flow .displaced rect { fill: var(--alarm-box); stroke: var(--alarm); stroke-width: 2; }
.flow .derived rect { stroke-dasharray: 5 3; }
.flow .centre rect.frame { fill: none; stroke: var(--ink); stroke-width: 1; stroke-dasharray: none; }
.flow path { fill: none; stroke: var(--line); }
.flow path.head { fill: var(--line); stroke: none; }
.flow .capture path.edge { stroke-dasharray: 7 3; }
.flow .effect path.edge { stroke-dasharray: 2 3; }
.flow .terminator path.edge { stroke-dasharray: 1 5; }
.flow .inverting path.edge { stroke: var(--alarm); stroke-width: 2.5; }
.flow .inverting path.head { fill: var(--alarm); }
.flow .label { fill: var(--faint); font-size: 10px;
  paint-order: stroke; stroke: var(--paper); stroke-width: 4; }
.flow .inverting .label { fill: var(--alarm); }
"""


def dataflow_to_svg(dataflow: Dataflow) -> str:
    """A picture that stands alone, light or dark as the viewer prefers."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{draw_dataflow(dataflow, style=DATAFLOW_CSS)}\n'


def draw_dataflow(
    dataflow: Dataflow, style: str = "", link_of: Callable[[DataflowOp], str | None] = lambda op: None
) -> str:
    """The ``<svg>`` element.

    Args:
        dataflow: what to draw.
        style: the CSS to put into it; none where the page around it has DATAFLOW_CSS.
        link_of: where an op's box leads to.
    """
    return "\n".join(_Drawing(dataflow, link_of).lines(style))


class _Drawing:
    """Boxes and edges by their number: box k is that of ``dataflow.ops[k]``."""

    def __init__(self, dataflow: Dataflow, link_of: Callable[[DataflowOp], str | None]) -> None:
        self.dataflow = dataflow
        self.link_of = link_of
        number_of = {op.place: k for k, op in enumerate(dataflow.ops)}
        self.kinds: dict[tuple[int, int], list[str]] = {}
        self.inverting: set[tuple[int, int]] = set()
        for edge in dataflow.edges:
            ends = number_of[edge.producer], number_of[edge.user]
            self.kinds.setdefault(ends, []).append(edge.kind.value)
            if edge.inverting:
                self.inverting.add(ends)
        self.texts = [_lines_of(op) for op in dataflow.ops]
        self.widths = [max(map(len, lines)) * CHARACTER_WIDTH + 2 * PADDING for lines in self.texts]
        self.box_height = max(map(len, self.texts), default=1) * LINE_HEIGHT + PADDING
        self.layout = layered_layout(self.widths, list(self.kinds))

    def lines(self, style: str) -> Iterator[str]:
        layers = max(self.layout.layer_of, default=0) + 1
        width = round(self.layout.width + 2 * MARGIN)
        height = round(layers * self.box_height + (layers - 1) * LAYER_GAP + 2 * MARGIN)
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="flow" role="img" '
            f'width="{width}" height="{height}" viewBox="{-MARGIN} {-MARGIN} {width} {height}">'
        )
        yield f"<title>{_escaped(title_of(self.dataflow))}</title>"
        if style:
            yield f"<style>\n{style}</style>"
        plain = [ends for ends in self.kinds if ends not in self.inverting]
        routes = dict(zip(self.kinds, self.layout.routes, strict=True))
        for ends in [*plain, *sorted(self.inverting)]:  # what runs against the order lies on top
            yield self._edge(ends, routes[ends])
        for k in range(len(self.dataflow.ops)):
            yield self._box(k)
        yield "</svg>"

    def _top_of(self, layer: int) -> float:
        return layer * (self.box_height + LAYER_GAP)

    def _edge(self, ends: tuple[int, int], route: Sequence[float]) -> str:
        """A curve that leaves its producer downwards, passes layers between boxes, and ends in an arrow."""
        first_layer = self.layout.layer_of[ends[0]]
        x, y = route[0], self._top_of(first_layer) + self.box_height
        curve = [f"M{x:.1f} {y:.1f}"]
        for layer, (before, after) in enumerate(pairwise(route), first_layer + 1):
            top = self._top_of(layer)
            is_last = layer - first_layer == len(route) - 1
            end = top - ARROW if is_last else top
            middle = (y + end) / 2
            curve.append(f"C{before:.1f} {middle:.1f} {after:.1f} {middle:.1f} {after:.1f} {end:.1f}")
            y = top + self.box_height
            if not is_last:
                curve.append(f"V{y:.1f}")
        tip = self._top_of(self.layout.layer_of[ends[1]])
        x = route[-1]
        head = f"M{x:.1f} {tip:.1f}l{-ARROW / 2} {-ARROW}h{ARROW}z"
        kinds = self.kinds[ends]
        classes = " ".join([*kinds, *(["inverting"] if ends in self.inverting else [])])
        label_x, label_y = (route[-2] + route[-1]) / 2, tip - LAYER_GAP / 2
        return (
            f'<g class="{classes}"><path class="edge" d="{"".join(curve)}"/><path class="head" d="{head}"/>'
            f'<text class="label" x="{label_x:.1f}" y="{label_y + 3:.1f}" text-anchor="middle">'
            f"{', '.join(kinds)}</text></g>"
        )

    def _box(self, k: int) -> str:
        op, width = self.dataflow.ops[k], self.widths[k]
        x, y = self.layout.centres[k] - width / 2, self._top_of(self.layout.layer_of[k])
        is_centre = op.place in self.dataflow.around
        states = {"displaced": op.displaced, "derived": op.derived, "centre": is_centre}
        classes = " ".join(["op", *(state for state, holds in states.items() if holds)])
        shapes = [_rectangle(x, y, width, self.box_height)]
        if is_centre:
            shapes.append(_rectangle(x - 4, y - 4, width + 8, self.box_height + 8, ' class="frame"'))
        baseline = y + (self.box_height - len(self.texts[k]) * LINE_HEIGHT) / 2 - 4
        for number, line in enumerate(self.texts[k]):
            baseline += LINE_HEIGHT
            faint = ' class="faint"' if number else ""
            shapes.append(f'<text x="{x + PADDING:.1f}" y="{baseline:.1f}"{faint}>{_escaped(line)}</text>')
        box = f'<g class="{classes}"><title>{_escaped(_described(op))}</title>{"".join(shapes)}</g>'
        link = self.link_of(op)
        return box if link is None else f'<a href="{_escaped(link)}">{box}</a>'


def _lines_of(op: DataflowOp) -> list[str]:
    """What a box says: index and name, result and line, module."""
    index = None if op.op.index is None else f"#{op.op.index}"
    heading = _start_of(" ".join(filter(None, (index, op.op.name))))
    place = _start_of(" ".join(filter(None, (op.op.result, f"line {op.op.line}"))))
    return [heading, place, *([_end_of(op.op.module)] if op.op.module else [])]


def _described(op: DataflowOp) -> str:
    """What is shown where the pointer rests on a box."""
    parts = [op_name(op.op), f"line {op.op.line}", op.op.module]
    if op.inversions:
        parts.append(f"in {count(op.inversions, 'inversion')}{', displaced' if op.displaced else ''}")
    if op.derived:
        parts.append("a pass made it from the op at its index")
    return "\n".join(filter(None, parts))


def _start_of(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _end_of(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else "\N{HORIZONTAL ELLIPSIS}" + text[1 - LONGEST_TEXT :]


def _rectangle(x: float, y: float, width: float, height: float, more: str = "") -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4"{more}/>'


def _escaped(text: str) -> str:
    return escape(printable_lines(text))
