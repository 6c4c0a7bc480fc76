import networkx as nx
import pytest
from hypothesis import given

from eio_audit import AuditOptions, InputError, dataflow_graph, explain, read_text
from eio_audit.audit.explain.explain import OpExplanation, OpInBlock
from eio_audit.audit.explain.order_picture import BlockDataflow
from tests.audit.test_check import ISSUE
from tests.audit.test_fix import SHUFFLED
from tests.internals import FixedBlock, audit_dump
from tests.programs import programs


def explained(text: str, op: str) -> OpExplanation:
    [explanation] = explain(read_text(text), op).ops
    return explanation


def function(*lines: str) -> str:
    return "\n".join(["func.func @f(%a: i32) {", *lines, "return", "}", ""])


def op(result: str, index: int, operand: str = "%a", name: str = "ttir.abs") -> str:
    return f'{result} = "{name}"({operand}) : (i32) -> i32 loc("{index}|Net[net]|m.py:1|forward|2|abs")'


def paths(explanation: OpExplanation) -> list[list[tuple[str | None, str, str | None]]]:
    return [
        [(step.producer.result, step.kind, step.user.result or step.user.name) for step in inverted.path]
        for inverted in explanation.inverted
    ]


def test_a_forced_inversion_comes_with_its_path() -> None:
    explanation = explained(ISSUE, "%56")
    assert (explanation.inversions, explanation.kinds) == (1, {"forced": 1})
    assert paths(explanation) == [[("%56", "value", "%57")]]
    assert explanation.fixed is not None
    assert (explanation.fixed.place, explanation.fixed.moved, explanation.fixed.inversions) == (1, False, 1)


def test_a_path_leads_from_the_earlier_op_to_the_later() -> None:
    text = function(op("%0", 5), '%1 = "ttir.abs"(%0) : (i32) -> i32', op("%2", 1, "%1"))
    expected = [[("%0", "value", "%1"), ("%1", "value", "%2")]]
    assert paths(explained(text, "%0")) == paths(explained(text, "%2")) == expected


@pytest.mark.parametrize(
    ("second", "kind"),
    [
        ('"ttir.abs"(%0) : (i32) -> i32', "value"),
        ('scf.if %a { "ttir.abs"(%0) : (i32) -> i32 }', "capture"),
        ('"my.two"(%a) : (i32) -> i32', "effect"),
        ("return", "terminator"),
    ],
)
def test_every_kind_of_edge(second: str, kind: str) -> None:
    text = f'func.func @f(%a: i32) {{\n{op("%0", 9, name="my.one")}\n{second} loc("1|x")\n'
    text += "}" if second == "return" else "return }"
    [[step]] = paths(explained(text, "#1"))
    assert step[1] == kind


def test_an_avoidable_inversion_comes_with_the_place_that_fix_gives() -> None:
    explanation = explained(SHUFFLED, "%0")
    assert explanation.kinds == {"avoidable": 1}
    assert explanation.fixed is not None
    assert explanation.fixed.place == 0
    assert explanation.fixed.inversions == 0
    assert explanation.fixed.before is not None
    assert explanation.fixed.before.result == "%1"
    assert explanation.fixed.after is None


def test_a_knock_on_inversion_has_no_path() -> None:
    explanation = explained(function(op("%0", 5), op("%1", 1, "%0"), op("%2", 3)), "%2")
    assert explanation.kinds == {"knock-on": 1}
    assert paths(explanation) == [[]]


def test_a_graph_region_has_no_order() -> None:
    text = 'module {\n "t.a"() : () -> () loc("2|a")\n "t.b"() : () -> () loc("1|a")\n}'
    explanation = explained(text, "#2")
    assert (explanation.kinds, explanation.fixed) == ({"unordered": 1}, None)


def test_where_an_op_stands_and_where_it_comes_from() -> None:
    explanation = explained(ISSUE, "%57")
    assert (explanation.function, explanation.block, explanation.block_line) == ("@main", "^bb0", 3)
    assert (explanation.place, explanation.ops, explanation.op.line) == (2, 4, 5)
    assert str(explanation.model_line) == "m.py:2"
    assert explanation.origin is not None
    assert explanation.origin.modules == ("ResNet[resnet]",)


def test_the_model_line_of_a_location_without_an_index() -> None:
    text = '"t.b"() : () -> () loc("1|a")\n"t.a"() : () -> () loc("x.py":7:2)\n'
    assert explained(text, "2").model_line == ("x.py", 7)


def test_the_neighbours_in_the_original_order_and_where_they_stand() -> None:
    explanation = explained(function(op("%0", 5), op("%1", 9), op("%2", 3), op("%3", 7), op("%4", 5)), "%3")
    assert explanation.lower is not None
    assert explanation.higher is not None
    assert (explanation.lower.op.result, explanation.lower.distance) == ("%4", 1)
    assert (explanation.higher.op.result, explanation.higher.distance) == ("%1", -2)


def test_ops_that_share_an_index_are_all_explained() -> None:
    text = function(op("%0", 5), op("%1", 4), op("%2", 5))
    ops = explain(read_text(text), "#5").ops
    assert [(o.op.result, o.same_index) for o in ops] == [("%0", 1), ("%2", 1)]


def test_a_derived_op() -> None:
    text = function('%0 = "ttir.abs"(%a) : (i32) -> i32 loc("5|a_tm0"("5|a"))')
    assert explained(text, "%0").derived


@pytest.mark.parametrize(
    ("lines", "consumer"),
    [
        ((op("%0", 3), '%1 = "ttir.abs"(%a) : (i32) -> i32', op("%2", 7, "%1"), op("%3", 5, "%1")), "%3"),
        ((op("%0", 3), '%1 = "ttir.abs"(%0) : (i32) -> i32'), "%0"),
        ((op("%0", 3), '%1 = "ttir.abs"(%a) : (i32) -> i32'), None),
    ],
)
def test_an_unindexed_op_stays_with_its_consumer_else_its_producer(
    lines: tuple[str, ...], consumer: str | None
) -> None:
    stays_with = explained(function(*lines), "%1").consumer
    assert (stays_with and stays_with.result) == consumer


CALLEE = 'func.func @g() { "my.x"() : () -> ()\n return }\n'


@pytest.mark.parametrize(
    ("line", "anywhere", "source"),
    [
        (op("%0", 1), set(), "listed"),
        (op("%0", 1, name="my.op"), {"read", "write", "free"}, "unlisted"),
        ("%0 = scf.execute_region -> i32 { scf.yield %a : i32 }", set(), "contents"),
        ("%0 = func.call @g() : () -> i32", {"read", "write", "free"}, "callee"),
        ("%0 = func.call @other() : () -> i32", {"read", "write", "free"}, "unknown"),
        ('%0 = "emitc.expression"() : () -> i32', {"read", "write", "free"}, "unknown"),
    ],
)
def test_effects_and_how_they_are_known(line: str, anywhere: set[str], source: str) -> None:
    explanation = explained(function(line) + CALLEE, "%0")
    assert (explanation.effects.anywhere, explanation.effects_source) == (anywhere, source)


def test_an_op_assumed_pure_says_so() -> None:
    options = AuditOptions(assume_pure=["my.*"])
    [explanation] = explain(read_text(function(op("%0", 1, name="my.op"))), "%0", options).ops
    assert (explanation.effects.anywhere, explanation.effects_source) == (set(), "assumed")


def test_an_effect_on_a_tensor() -> None:
    text = 'func.func @f(%t: tensor<4xf32>) {\n"ttnn.deallocate"(%t) : (tensor<4xf32>) -> ()\nreturn\n}\n'
    assert explained(text, "2").effects.tensors == {"free"}


@given(programs())
def test_paths_are_shortest_and_kinds_add_up_to_the_audit(text: str) -> None:
    dump = audit_dump(read_text(text)[0])
    block = dump.ir.op_block[1]
    fixed = FixedBlock(dump, block)
    graph = dataflow_graph(BlockDataflow(fixed).part(range(len(fixed.ops))))
    explanations = [OpInBlock(FixedBlock(dump, block), op).explain() for op in dump.ir.block_ops[block]]
    for place, explanation in enumerate(explanations):
        for inverted in explanation.inverted:
            other = next(e.place for e in explanations if e.op == inverted.op)
            ends = sorted((place, other))
            if inverted.kind == "forced":
                assert len(inverted.path) == nx.shortest_path_length(graph, *ends)
            else:
                assert not nx.has_path(graph, *ends)
    audit = next((b for b in dump.audit.blocks if b.function == "@f"), None)
    if audit is None:
        return
    assert sum(e.inversions for e in explanations) == 2 * audit.inversions
    assert sum(e.kinds.get("forced", 0) for e in explanations) == 2 * (audit.forced or 0)
    assert sum(e.fixed.inversions for e in explanations if e.fixed) == 2 * audit.minimum


LOG = (
    f"// -----// IR Dump After A (a) //----- //\n{SHUFFLED}// -----// IR Dump After B (b) //----- //\n{ISSUE}"
)


def test_a_line_chooses_the_dump_of_a_log() -> None:
    assert explain(read_text(LOG), "13").dump.pass_name == "b"


@pytest.mark.parametrize(
    ("text", "op", "line"),
    [
        (ISSUE, "%55", 3),
        (ISSUE, "%55#0", 3),
        (ISSUE, "3", 3),
        (ISSUE, ":3", 3),
        (ISSUE, "3:9", 3),
        (ISSUE, "7", 2),
        (ISSUE, "ttir.reshape", 5),
        (ISSUE, "<text>:3:9", 3),
        (ISSUE, "%55 of @main", 3),
        (ISSUE, "ttir.reshape of main", 5),
        ('t.b\n%0:2, %1 = "t.a"() : () -> (i32, i32, i32)\n', "%0#1", 2),
        ('"t.a"() : () -> () loc("a.py":1:2)\n"t.b"() : () -> () loc("net/b.py":7:2)', "b.py:7", 2),
        ('"t.a"() : () -> () loc("1|M|net/b.py:2|forward|7|add")', "net/b.py:7", 1),
        ('func.func @f() { "t.a"() : () -> () loc("1|x")\n return }', "1:20", 1),
        ('"t.a"() {\n x = 1} : () -> () loc("1|x")\n', "2", 1),
    ],
)
def test_an_op_is_named_by_result_line_or_name(text: str, op: str, line: int) -> None:
    assert explained(text, op).op.line == line


@pytest.mark.parametrize(
    ("text", "op", "message"),
    [
        (ISSUE, "%5", "no op defines %5; did you mean %57 (line 5) or %56 (line 4) or %55 (line 3)?"),
        (ISSUE, "%arg0", "no op defines %arg0: it is an argument of a block"),
        (ISSUE, "%55#1", "there is no %55#1: %55 (line 3) names 1 result"),
        ('%0:2, %1 = "t.a"() : () -> (i32, i32, i32)\n', "%0#2", "there is no %0#2: %0 (line 1) names 2 results"),
        (ISSUE, "%\udcff", "no op defines %\udcff; printed names differ from those of the source"),
        (ISSUE, "#20", "no op carries index 20; the nearest: #18 (line 5) and #23 (line 4)"),
        (ISSUE, "#-1", "no op is called '#-1': name one by its %result, #index or line"),
        (ISSUE, "ttir.permut", "did you mean 'ttir.permute'?"),
        (ISSUE, "1", "no op is on line 1; the nearest: 2 (func.func), 3 (ttir.batch_norm_inference %55 in @main)"),
        (ISSUE, "99", "line 99 is outside all dumps"),
        (
            SHUFFLED + SHUFFLED.replace("@f", "@g"),
            "%1",
            "2 ops are called %1: name one by its line, or its function: '%1 of @f': "
            "2 (ttir.neg %1 in @f), 8 (ttir.neg %1 in @g)",
        ),
        (
            'func.func @f() { "t.a"() : () -> ()\n return }',
            "1",
            "2 ops begin on line 1: name one by its line: 1:1 (func.func), 1:18 (t.a in @f)",
        ),
        (ISSUE, "%55 of @g", "no op in @g is called '%55'; elsewhere: 3 (ttir.batch_norm_inference %55 in @main)"),
        ('"t.a"() : () -> () loc("a.py":1:2)', "a.py:9", "comes from line 9 of a file a.py; the nearest: a.py:1 (line 1)"),
        (LOG, "%1", "there are 2 dumps: choose one with --pass and --dump, or name the op by its line"),
    ],
)  # fmt: skip
def test_an_op_that_is_not_clear_is_an_error_that_names_candidates(text: str, op: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        explain(read_text(text), op)
    assert message in caught.value.message
