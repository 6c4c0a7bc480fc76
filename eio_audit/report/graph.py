"""A dataflow DAG for other programs, and as a picture.

The other programs are Graphviz (dot), yEd and Gephi (GraphML), and networkx (JSON).

The picture has boxes in layers, and an edge from each producer down to its user. The layout takes the usual
four steps (Sugiyama, Tagawa and Toda 1981): assign a layer to every box, add a bend to long edges on each
layer they cross, improve the order within layers by barycentres, and compute coordinates. The library
grandalf was tried. Its edges have half as many bends, but its pictures differ from run to run. Those of
blocks with many long edges are three times as wide, with more than twice the crossings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from typing import Any

from eio_audit.audit.explain.order_picture import Dataflow, DataflowOp, dataflow_graph
from eio_audit.mlir.source import printable_lines
from eio_audit.report.json import SCHEMA, dumped
from eio_audit.report.wording import ELLIPSIS, count, shortened
from eio_audit.report.wording.order import block_name, place_of


def title_of(dataflow: Dataflow) -> str:
    """Return ``@main ^bb0 at line 3 of after.mlir:1``."""
    block = block_name(dataflow.function, dataflow.block)
    return f"{block} at line {dataflow.block_line} of {place_of(dataflow.dump)}"


def dataflow_to_dot(dataflow: Dataflow) -> str:
    """Return Graphviz text: a box for each op. Dependences against the order are red and bold."""
    title = _quoted(title_of(dataflow))
    lines = [
        f"digraph {title} {{",
        f'  graph [label={title}, labelloc="t", fontname="Helvetica"];',
        '  node [shape="box", style="filled", color="#5a6472", fillcolor="#ffffff", fontname="Courier", '
        'fontsize="11"];',
        '  edge [fontname="Helvetica", fontsize="9", color="#5a6472"];',
    ]
    for op in dataflow.ops:
        label = "\n".join(filter(None, (op.op.title, f"line {op.op.line}", op.op.module)))
        displaced = ', color="#b34700", fillcolor="#fdebdf", penwidth="2"' if op.displaced else ""
        derived = ', style="filled,dashed"' if op.derived else ""
        centre = ', peripheries="2"' if op.place in dataflow.around else ""
        lines.append(f"  n{op.place} [label={_quoted(label)}{displaced}{derived}{centre}];")
    for edge in dataflow.edges:
        inverting = ', color="#b34700", penwidth="2"' if edge.inverting else ""
        lines.append(f'  n{edge.producer} -> n{edge.user} [label="{edge.kind.value}"{inverting}];')
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = printable_lines(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def dataflow_to_graphml(dataflow: Dataflow) -> bytes:
    """Return GraphML with the attributes of ``dataflow_graph`` that are not None, and edge ids."""
    import networkx as nx

    graph = dataflow_graph(dataflow)
    _fit_for_xml(graph.graph)
    for _, attributes in graph.nodes(data=True):
        _fit_for_xml(attributes)
    for producer, user, kind, attributes in graph.edges(keys=True, data=True):
        attributes["id"] = f"{producer} {user} {kind}"
    file = BytesIO()
    nx.write_graphml(graph, file, edge_id_from_attribute="id")
    return file.getvalue() + b"\n"


def _fit_for_xml(attributes: dict[str, Any]) -> None:
    known = {name: value for name, value in attributes.items() if value is not None}
    attributes.clear()
    attributes |= {k: printable_lines(v) if isinstance(v, str) else v for k, v in known.items()}


def dataflow_to_json(dataflow: Dataflow) -> str:
    """Return node-link JSON for ``networkx.node_link_graph(document, edges="edges")`` and a newline."""
    graph = dataflow_graph(dataflow)
    document = {
        "schema": SCHEMA,
        "command": "graph",
        "around": list(dataflow.around),
        "directed": True,
        "multigraph": True,
        "graph": graph.graph,
        "nodes": [{"id": place, **attributes} for place, attributes in graph.nodes(data=True)],
        "edges": [
            {"source": producer, "target": user, "key": key, **attributes}
            for producer, user, key, attributes in graph.edges(keys=True, data=True)
        ],
    }
    return dumped(document)


SWEEPS = 12  # how often to improve the order within layers, and then the coordinates; more changes little
GAP = 24.0  # the least distance between neighbours in a layer


@dataclass(frozen=True, slots=True)
class Layout:
    """The place of everything. x goes right, y down, in the unit of the widths."""

    width: float  # of the whole drawing, which begins at 0
    layer_of: tuple[int, ...]  # by box, its layer from 0 at the top
    centres: tuple[float, ...]  # by box, the x of its centre
    # By edge, in the given order: the x of its centre line on each layer from the producer's to the
    # user's, both included.
    routes: tuple[tuple[float, ...], ...]


def layered_layout(widths: Sequence[float], edges: Sequence[tuple[int, int]]) -> Layout:
    """Lay out a DAG.

    Args:
        widths: of the boxes, in an order in which every edge points forward.
        edges: (producer, user), each pair once.

    Complexity: O(SWEEPS * e log e) for e edge pieces, one per edge and layer it crosses.
    """
    layer_of = _layers(len(widths), edges)
    chains = []  # by edge: the producer, its bends and the user; bends are numbered after the boxes
    for producer, user in edges:
        crossed = range(layer_of[producer] + 1, layer_of[user])
        chains.append([producer, *range(len(layer_of), len(layer_of) + len(crossed)), user])
        layer_of += crossed
    above: list[list[int]] = [[] for _ in layer_of]
    below: list[list[int]] = [[] for _ in layer_of]
    for upper, lower in (ends for chain in chains for ends in pairwise(chain)):
        above[lower].append(upper)
        below[upper].append(lower)
    layers: list[list[int]] = [[] for _ in range(max(layer_of, default=-1) + 1)]
    for k, layer in enumerate(layer_of):
        layers[layer].append(k)
    _reduce_crossings(layers, above, below)
    all_widths = [*widths, *[0.0] * (len(layer_of) - len(widths))]
    centres = _coordinates(layers, [a + b for a, b in zip(above, below, strict=True)], all_widths)
    left = min((centres[k] - width / 2 for k, width in enumerate(all_widths)), default=0.0)
    right = max((centres[k] + width / 2 for k, width in enumerate(all_widths)), default=0.0)
    return Layout(
        width=right - left,
        layer_of=tuple(layer_of[: len(widths)]),
        centres=tuple(centres[k] - left for k in range(len(widths))),
        routes=tuple(tuple(centres[k] - left for k in chain) for chain in chains),
    )


def _reduce_crossings(
    layers: Sequence[list[int]], above: Sequence[Sequence[int]], below: Sequence[Sequence[int]]
) -> None:
    """Sort each layer by the mean place of its neighbours above, then below, SWEEPS times in turn."""
    place = {k: position for layer in layers for position, k in enumerate(layer)}
    for sweep in range(SWEEPS):
        neighbours = below if sweep % 2 else above
        for layer in reversed(layers) if sweep % 2 else layers:
            means = {k: _mean([place[other] for other in neighbours[k]], place[k]) for k in layer}
            layer.sort(key=means.__getitem__)
            place |= {k: position for position, k in enumerate(layer)}


def _coordinates(
    layers: Sequence[Sequence[int]], neighbours: Sequence[Sequence[int]], widths: Sequence[float]
) -> dict[int, float]:
    """Return the x of every centre: near the mean of its neighbours, in order and without overlap."""
    packed: dict[int, float] = {}  # the centres if each layer is packed as tightly as possible
    for layer in layers:
        end = 0.0
        for k in layer:
            packed[k] = end + widths[k] / 2
            end += widths[k] + GAP
    centres = dict(packed)
    for sweep in range(SWEEPS):
        for layer in reversed(layers) if sweep % 2 else layers:
            wanted = [
                _mean([centres[other] for other in neighbours[k]], centres[k]) - packed[k] for k in layer
            ]
            shifts = _nearest_rising(wanted)
            centres |= {k: packed[k] + shift for k, shift in zip(layer, shifts, strict=True)}
    return centres


def _layers(size: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return the layer of each box: below all its producers, and as low as keeps the edges short."""
    import networkx as nx

    graph: nx.DiGraph[int] = nx.DiGraph(edges)
    graph.add_nodes_from(range(size))
    generations = nx.topological_generations(graph)
    layer_of = {box: layer for layer, boxes in enumerate(generations) for box in boxes}
    for box in reversed(range(size)):
        if 0 < graph.out_degree(box) >= graph.in_degree(box):
            layer_of[box] = min(layer_of[user] for user in graph.successors(box)) - 1
    return [layer_of[box] for box in range(size)]


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _nearest_rising(wanted: Sequence[float]) -> list[float]:
    """Return the non-decreasing sequence of least squared distance (pool adjacent violators).

    >>> _nearest_rising([1.0, 4.0, 2.0, 9.0])
    [1.0, 3.0, 3.0, 9.0]
    """
    pools: list[tuple[float, int]] = []  # the mean of neighbours that share a value, and their number
    for value in wanted:
        pools.append((value, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (mean, count), (earlier, earlier_count) = pools.pop(), pools.pop()
            total = count + earlier_count
            pools.append(((mean * count + earlier * earlier_count) / total, total))
    return [mean for mean, count in pools for _ in range(count)]


LONGEST_TEXT = 34  # the most characters of a line in a box; a tooltip shows the whole line
CHARACTER_WIDTH = 7.3
LINE_HEIGHT = 15
PADDING = 9
LAYER_GAP = 46
ARROW = 8
MARGIN = 12


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
        "padding": PADDING,
        "line_height": LINE_HEIGHT,
        "width": round(layout.width + 2 * MARGIN),
        "height": round(max(tops, default=0) + height + 2 * MARGIN),
        "box_height": height,
        "edges": [
            _edge(routes[ends], tops[ends[0]] + height, height)
            | {"kinds": kinds[ends], "inverting": ends in inverting}
            for ends in on_top
        ],
        "boxes": [
            {
                "op": op,
                "described": _described(op),
                "x": layout.centres[k] - widths[k] / 2,
                "y": tops[k],
                "width": widths[k],
                # one line above the first
                "baseline": tops[k] + (height - len(texts[k]) * LINE_HEIGHT) / 2 - 4,
                "lines": texts[k],
                "link": links.get(op.place),
                "is_centre": op.place in dataflow.around,
            }
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
        "label_x": f"{(route[-2] + route[-1]) / 2:.1f}",
        "label_y": f"{top - LAYER_GAP / 2 + 3:.1f}",
    }


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
    parts = [op.op.title, f"line {op.op.line}", op.op.module]
    if op.inversions:
        parts.append(f"in {count(op.inversions, 'inversion')}{', out of order' if op.displaced else ''}")
    if op.derived:
        parts.append("a pass made it from the op at its index")
    return "\n".join(filter(None, parts))
