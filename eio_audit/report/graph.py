"""A dataflow DAG for other programs: Graphviz (dot), yEd and Gephi (GraphML), networkx (JSON)."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from eio_audit.audit.explain.dataflow import Dataflow, DataflowEdge, DataflowOp, dataflow_graph
from eio_audit.mlir.printable import printable_lines
from eio_audit.report.json import SCHEMA, dumped
from eio_audit.report.wording.order import op_name, place_of


def title_of(dataflow: Dataflow) -> str:
    """``@main ^bb0 at line 3 of after.mlir:1``."""
    where = " ".join(filter(None, (dataflow.function, dataflow.block)))
    return f"{where} at line {dataflow.block_line} of {place_of(dataflow.dump)}"


def dataflow_to_dot(dataflow: Dataflow) -> str:
    """For Graphviz: a box for each op; what runs against the order is red and bold."""
    lines = [
        f"digraph {_quoted(title_of(dataflow))} {{",
        f'  graph [label={_quoted(title_of(dataflow))}, labelloc="t", fontname="Helvetica"];',
        '  node [shape="box", style="filled", color="#5a6472", fillcolor="#ffffff", fontname="Courier", '
        'fontsize="11"];',
        '  edge [fontname="Helvetica", fontsize="9", color="#5a6472"];',
        *(f"  n{op.place} [{_dot_op(op, is_centre=op.place in dataflow.around)}];" for op in dataflow.ops),
        *(f"  n{e.producer} -> n{e.user} [{_dot_edge(e)}];" for e in dataflow.edges),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _dot_op(op: DataflowOp, *, is_centre: bool) -> str:
    label = "\n".join(filter(None, (op_name(op.op), f"line {op.op.line}", op.op.module)))
    attributes = [f"label={_quoted(label)}"]
    if op.displaced:
        attributes.append('color="#b34700", fillcolor="#fdebdf", penwidth="2"')
    if op.derived:
        attributes.append('style="filled,dashed"')
    if is_centre:
        attributes.append('peripheries="2"')
    return ", ".join(attributes)


def _dot_edge(edge: DataflowEdge) -> str:
    label = f'label="{edge.kind.value}"'
    return f'{label}, color="#b34700", penwidth="2"' if edge.inverting else label


def _quoted(text: str) -> str:
    """A string as dot quotes it; line ends become line breaks."""
    escaped = printable_lines(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def dataflow_to_graphml(dataflow: Dataflow) -> bytes:
    """GraphML with the attributes of ``dataflow_graph`` that are not None, and an ``id`` for every edge."""
    import networkx as nx  # noqa: PLC0415  (slow to import; needed here only)

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
    """Leaves out what is None, and writes out characters that XML has no place for."""
    for name, value in list(attributes.items()):
        if value is None:
            del attributes[name]
        elif isinstance(value, str):
            attributes[name] = printable_lines(value)


def dataflow_to_json(dataflow: Dataflow) -> str:
    """Node-link JSON for ``networkx.node_link_graph(document, edges="edges")``, ending in a newline."""
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
