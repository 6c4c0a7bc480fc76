import networkx as nx
import pytest
from hypothesis import given

from eio_audit import AuditOptions, Dataflow, InputError, dataflow, dataflow_graph, read_text
from eio_audit.audit.explain.order_picture import BlockDataflow, neighbourhood
from tests.audit.test_check import ISSUE
from tests.internals import FixedBlock, audit_dump
from tests.programs import programs

CHAIN = """
func.func @chain(%a: i32) {
  %0 = "ttir.add"(%a) : (i32) -> i32 loc("0|m|a")
  %1 = "ttir.add"(%0) : (i32) -> i32 loc("4|m|b")
  %2 = "ttir.add"(%1) : (i32) -> i32
  %3 = "ttir.add"(%2) : (i32) -> i32 loc("2|m|d")
  %4 = "ttir.add"(%3) : (i32) -> i32 loc("5|m|e")
  "ttir.add"() : () -> () loc("6|m|free")
  return
}
"""
TWO_FUNCTIONS = ISSUE + CHAIN


def edges(flow: Dataflow) -> list[str]:
    """``3 -> 4 value``, with a mark where the edge runs against the order."""
    return [
        f"{e.producer} -> {e.user} {e.kind.value}{' against the order' if e.inverting else ''}"
        for e in flow.edges
    ]


def test_the_block_of_most_inversions_is_drawn() -> None:
    flow = dataflow(read_text(ISSUE))
    assert (flow.function, flow.block, flow.block_line, flow.block_ops) == ("@main", "^bb0", 3, 4)
    assert edges(flow) == ["0 -> 1 value", "1 -> 2 value against the order", "2 -> 3 value"]
    assert [(op.op.result, op.displaced, op.inversions) for op in flow.ops] == [
        ("%55", False, 0),
        ("%56", False, 1),
        ("%57", True, 1),
        (None, False, 0),
    ]


def test_an_inversion_over_an_unindexed_op_marks_both_edges() -> None:
    assert edges(dataflow(read_text(CHAIN))) == [
        "0 -> 1 value",
        "1 -> 2 value against the order",
        "2 -> 3 value against the order",
        "3 -> 4 value",
        "4 -> 6 terminator",
        "5 -> 6 terminator",
    ]


@pytest.mark.parametrize(("radius", "places"), [(0, [2]), (1, [1, 2, 3]), (2, [0, 1, 2, 3, 4])])
def test_the_neighbourhood_of_an_op(radius: int, places: list[int]) -> None:
    flow = neighbourhood(read_text(CHAIN), "%2", radius)
    assert ([op.place for op in flow.ops], flow.around) == (places, (2,))


def test_the_terminator_alone_makes_no_neighbours() -> None:
    flow = neighbourhood(read_text(CHAIN), "#6", 5)
    assert [op.place for op in flow.ops] == [5]


def test_a_terminator_against_the_order_is_a_neighbour() -> None:
    text = '"my.f"() ({\n"my.a"() : () -> () loc("9|a")\n"my.yield"() : () -> () loc("8|y")\n}) : () -> ()\n'
    assert [op.place for op in neighbourhood(read_text(text), "#8", 1).ops] == [0, 1]


def test_a_part_of_limited_size_prefers_what_runs_against_the_order() -> None:
    [dump] = read_text(CHAIN)
    audited = audit_dump(dump)
    flow = BlockDataflow(FixedBlock(audited, audited.ir.op_block[1])).around([1], radius=3, limit=2)
    assert [op.place for op in flow.ops] == [1, 2]


def test_ops_that_follow_are_no_end_of_an_inversion() -> None:
    text = ISSUE.replace('loc("DEBUG|23|ResNet[resnet]|m.py:1|forward|2|permute")', 'loc("9|a_tm0"("9|a"))')
    assert any(edge.inverting for edge in dataflow(read_text(text)).edges)
    followed = dataflow(read_text(text), options=AuditOptions(follow=["derived"]))
    assert not any(edge.inverting for edge in followed.edges)


@pytest.mark.parametrize("block", ["@chain", "10"])
def test_a_block_is_named_by_its_function_or_its_line(block: str) -> None:
    assert dataflow(read_text(TWO_FUNCTIONS), block).function == "@chain"


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (
            "@nowhere",
            "no block with an order is called '@nowhere': name one by its line: 3 (@main ^bb0, 4 ops), 10 (@chain ^bb0, 7 ops)",
        ),
        ("2", "no block with an order is called '2'"),
    ],
)
def test_no_such_block(block: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        dataflow(read_text(TWO_FUNCTIONS), block)
    assert message in caught.value.message


@pytest.mark.parametrize("block", [None, "@nowhere"])
def test_an_empty_block_has_no_order(block: str | None) -> None:
    text = 'module {\n  scf.parallel (%i) = (%n) to (%n) {\n  } loc("1|x")\n}\n'
    with pytest.raises(InputError, match="no block has an order: all of them are empty or in graph regions"):
        dataflow(read_text(text), block)


def test_an_op_in_a_graph_region_has_no_order() -> None:
    with pytest.raises(InputError, match="the block at line 2 is in a graph region: its ops have no order"):
        neighbourhood(read_text(ISSUE), "func.func", 1)


def test_an_index_in_two_blocks_is_ambiguous() -> None:
    with pytest.raises(InputError, match="2 ops in 2 blocks match: name one by its line: 3, 11"):
        neighbourhood(read_text(ISSUE + CHAIN.replace("4|m|b", "15|m|b")), "#15", 1)


def test_the_networkx_graph_is_a_dag_with_the_ops_as_they_are_known() -> None:
    graph = dataflow_graph(dataflow(read_text(ISSUE)))
    assert nx.is_directed_acyclic_graph(graph)
    assert graph.nodes[2] == {
        "op": "ttir.reshape",
        "result": "%57",
        "index": 18,
        "line": 5,
        "module": "ResNet[resnet]",
        "inversions": 1,
        "displaced": True,
        "derived": False,
    }
    assert graph.edges[1, 2, "value"] == {"kind": "value", "inverting": True}


@given(programs())
def test_a_forced_inversion_is_a_path_against_the_order(text: str) -> None:
    dump = audit_dump(read_text(text)[0])
    block = FixedBlock(dump, dump.ir.op_block[1])
    flow = BlockDataflow(block).part(range(len(block.ops)))

    forced = sum(audit.forced or 0 for audit in dump.audit.blocks if audit.function == "@f")
    assert any(edge.inverting for edge in flow.edges) == (forced > 0)
