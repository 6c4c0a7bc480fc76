import json
import re
from io import BytesIO
from xml.etree import ElementTree

import networkx as nx
import pytest
from networkx.utils import graphs_equal

from eio_audit import Dataflow, dataflow, dataflow_graph, read_text
from eio_audit.audit.explain.order_picture import neighbourhood
from tests.audit.test_check import ISSUE
from tests.internals import rendered

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def flow() -> Dataflow:
    return neighbourhood(read_text(ISSUE), "%56", 1)


@pytest.fixture(scope="module")
def hostile() -> Dataflow:
    """Names that end strings, tags and comments in the formats they are written in."""
    nasty = r"""15|<script>alert(1)</script>]]>--\22 \\N\01\0A}|m.py:1|f|2|x"""
    return dataflow(read_text(ISSUE.replace("DEBUG|15|ResNet[resnet]|m.py:1|forward|2|bn", nasty)))


def test_dot(flow: Dataflow) -> None:
    assert rendered(flow, "dot").splitlines() == [
        'digraph "@main ^bb0 at line 3 of <text>:2:1" {',
        '  graph [label="@main ^bb0 at line 3 of <text>:2:1", labelloc="t", fontname="Helvetica"];',
        '  node [shape="box", style="filled", color="#5a6472", fillcolor="#ffffff", fontname="Courier", fontsize="11"];',
        '  edge [fontname="Helvetica", fontsize="9", color="#5a6472"];',
        r'  n0 [label="#15 ttir.batch_norm_inference %55\nline 3\nResNet[resnet]"];',
        r'  n1 [label="#23 ttir.permute %56\nline 4\nResNet[resnet]", peripheries="2"];',
        r'  n2 [label="#18 ttir.reshape %57\nline 5\nResNet[resnet]", color="#b34700", fillcolor="#fdebdf", penwidth="2"];',
        '  n0 -> n1 [label="value"];',
        '  n1 -> n2 [label="value", color="#b34700", penwidth="2"];',
        "}",
    ]


def test_a_dot_string_ends_where_it_should(hostile: Dataflow) -> None:
    [line] = [line for line in rendered(hostile, "dot").splitlines() if line.startswith("  n0 [")]
    assert re.fullmatch(r'  n0 \[label="(?:[^"\\\x00-\x1f]|\\.)*"\];', line)
    assert r"--\" \\N" in line  # what reads -- " \N in the picture


def test_networkx_reads_json_back(flow: Dataflow) -> None:
    document = json.loads(rendered(flow, "json"))
    assert (document["schema"], document["command"], document["around"]) == ("eio-audit/1", "graph", [1])
    assert graphs_equal(nx.node_link_graph(document, edges="edges"), dataflow_graph(flow))


def test_networkx_reads_graphml_back(flow: Dataflow) -> None:
    read = nx.read_graphml(
        BytesIO(rendered(flow, "graphml")), node_type=int, edge_key_type=str, force_multigraph=True
    )
    assert read.nodes(data=True) == dataflow_graph(flow).nodes(data=True)
    assert list(read.edges(keys=True, data=True)) == [
        (0, 1, "0 1 value", {"id": "0 1 value", "kind": "value", "inverting": False}),
        (1, 2, "1 2 value", {"id": "1 2 value", "kind": "value", "inverting": True}),
    ]
    assert read.graph["block_line"] == 3


def test_graphml_holds_what_xml_cannot(hostile: Dataflow) -> None:
    read = nx.read_graphml(BytesIO(rendered(hostile, "graphml")), node_type=int)
    assert "<script>alert(1)</script>]]>--" in read.nodes[0]["module"]


def test_a_picture_has_a_box_for_each_op_and_a_curve_for_each_edge(flow: Dataflow) -> None:
    root = ElementTree.fromstring(rendered(flow, "svg"))
    boxes = [g for g in root.iter(f"{SVG}g") if "op" in g.get("class", "").split()]
    assert [[text.text for text in box.iter(f"{SVG}text")] for box in boxes] == [
        ["#15 ttir.batch_norm_inference", "%55 line 3", "ResNet[resnet]"],
        ["#23 ttir.permute", "%56 line 4", "ResNet[resnet]"],
        ["#18 ttir.reshape", "%57 line 5", "ResNet[resnet]"],
    ]
    assert [box.get("class") for box in boxes] == ["op", "op centre", "op displaced"]
    edges = [g.get("class") for g in root.iter(f"{SVG}g") if g.find(f"{SVG}path") is not None]
    assert edges == ["value", "value inverting"]


def test_a_picture_is_well_formed_whatever_ops_are_called(hostile: Dataflow) -> None:
    root = ElementTree.fromstring(rendered(hostile, "svg"))
    assert not list(root.iter(f"{SVG}script"))


def test_long_names_are_shortened_and_whole_in_the_tooltip() -> None:
    name = "my." + "very_" * 20 + "long"
    svg = rendered(dataflow(read_text(ISSUE.replace("ttir.permute", name))), "svg")
    assert name[:20] in svg
    assert f">#23 {name} %56\n" in svg
