"""A dataflow DAG for other programs: Graphviz (dot), yEd and Gephi (GraphML), networkx (JSON)."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from eio_audit.audit.explain.dataflow import Dataflow, dataflow_graph
from eio_audit.mlir.printable import printable_lines
from eio_audit.report.json import SCHEMA, dumped
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
    """Remove None values and escape characters that are invalid in XML."""
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
