"""The functions that code generation makes: one literal program, one fact."""

import re
from dataclasses import replace

import pytest
from hypothesis import given

from eio_audit import AuditOptions, InputError, fix, read_text, structure
from tests.cli.running import SAMPLES
from tests.internals import (
    BETWEEN,
    Failure,
    Prediction,
    Reason,
    Stage,
    UnreadableLocation,
    audit_dump,
    find,
    predict,
    read_name,
    right_labels,
    rules_by_prefix,
    structure_change,
)
from tests.programs import freeing_programs, programs
from tests.real_samples import RUNS, recorded_program, recorded_runs

FREES = AuditOptions(follow=["frees"])
A, B = "Net[net]|A[net.a]|/m.py:10|fa|11", "Net[net]|B[net.b]|/m.py:20|fb|21"


def op(result: str, operands: str, location: str, name: str = "ttir.add") -> str:
    types = ", ".join(["i32"] * len(operands.split()))
    return f'  {result} = "{name}"({operands}) : ({types}) -> i32 loc({location})\n'


def function(*ops: str, symbol: str = "@f", attributes: str = "", returned: str = "%a") -> str:
    body = "".join(ops)
    return f"func.func {symbol}(%a: i32) -> i32 {attributes}{{\n{body}  return {returned} : i32\n}}\n"


def predicted(text: str) -> Prediction:
    (dump,) = read_text(text)
    return predict(audit_dump(dump))


CHAIN = function(
    op("%0", "%a", f'"0|{A}|x"'),
    op("%1", "%0, %a", f'"1|{A}|x"'),
    op("%2", "%1", f'"2|{B}|x"'),
    returned="%2",
)


def test_a_function_for_each_stretch_of_a_source_line() -> None:
    first, second = predicted(CHAIN).functions
    assert (first.name, first.file, first.function) == ("A_0_0", "/m.py:10", "fa")
    assert (first.ops, first.inputs, first.outputs) == (2, 1, 1)
    assert (first.first_index, first.last_index, first.line) == (0, 1, 2)
    assert first.modules == ("Net[net]", "A[net.a]")
    assert (second.name, second.ops, second.inputs, second.outputs) == ("B_1_0", 1, 1, 1)


def test_the_order_of_the_block_is_not_read() -> None:
    lines = CHAIN.splitlines(keepends=True)
    lines.insert(1, op("%3", "%a", f'"9|{A}|x"'))
    moved = [lines[0], *lines[2:5], lines[1], *lines[5:]]
    assert [one.ops for one in predicted("".join(lines)).functions] == [3, 1]
    assert [one.ops for one in predicted("".join(moved)).functions] == [3, 1]


def test_modules_of_one_source_line_share_a_function() -> None:
    other = A.replace("net.a", "net.b")
    [only] = predicted(function(op("%0", "%a", f'"0|{A}|x"'), op("%1", "%0", f'"1|{other}|x"'))).functions
    assert (only.name, only.modules) == ("A_0_0", ("Net[net]",))
    assert dict(only.parts) == {("Net[net]", "A[net.a]"): 1, ("Net[net]", "A[net.b]"): 1}


def test_a_function_without_a_shared_class_is_called_forward() -> None:
    [only] = predicted(function(op("%0", "%a", '"0|/m.py:10|fa|11|x"'))).functions
    assert (only.name, only.modules) == ("forward_0_0", ())
    assert dict(only.parts) == {("/m.py:10 fa",): 1}


def test_the_first_order_that_is_tried_is_by_index_then_by_place() -> None:
    ops = [op("%0", "%a", f'"1|{B}|x"'), op("%1", "%a", f'"0|{A}|x"')]
    assert [one.first_index for one in predicted(function(*ops)).functions] == [0, 1]
    same = [op("%0", "%a", f'"1|{B}|x"'), op("%1", "%a", f'"1|{A}|x"')]
    assert [one.name for one in predicted(function(*same)).functions] == ["B_0_0", "A_1_0"]


def test_the_place_is_that_of_the_order_given() -> None:
    (dump,) = read_text(function(op("%0", "%a", f'"1|{B}|x"'), op("%1", "%a", f'"1|{A}|x"')))
    audited = audit_dump(dump)
    assert [one.name for one in predict(audited, orders={1: [1, 0, 2]}).functions] == ["A_0_0", "B_1_0"]


def test_users_enter_the_queue_result_by_result_and_the_last_in_the_text_first() -> None:
    lines = [f"m.py:{k}|f|{k}|x" for k in range(5)]
    sort = f'  %0:2 = "ttnn.sort"(%a) : (i32) -> (i32, i32) loc("0|{lines[0]}")\n'
    used = ["%0#1", "%0#0", "%0#1", "%0#0"]
    ops = [op(f"%{k}", value, f'"{k}|{lines[k]}"', "ttnn.abs") for k, value in enumerate(used, 1)]
    assert [one.first_index for one in predicted(function(sort, *ops)).functions] == [0, 4, 3, 2, 1]


def test_functions_are_equal_if_they_are_described_alike() -> None:
    ops = [op("%0", "%a", f'"1|{B}|x"'), op("%1", "%a", f'"1|{A}|x"')]
    first, again, other = (predicted(function(*some)).functions for some in (ops, ops, ops[::-1]))
    assert first == again
    assert first == tuple(again)
    assert first != other
    assert [len(first), len(list(first)), len(first[1:])] == [2, 2, 1]


def test_an_op_that_gets_another_name_is_read_by_that() -> None:
    (dump,) = read_text(
        function(
            op("%0", "%a", f'"0|{A}|x"'),
            op("%1", "%0", f'"7|{B}|x_tm0"("7|{B}|x")'),
            op("%2", "%1", f'"1|{A}|x"'),
            returned="%2",
        )
    )
    audited = audit_dump(dump)
    first_op = next(k for k in range(len(audited.ir)) if audited.ir.name(k) == "ttir.add")
    assert len(predict(audited).functions) == 3
    [only] = predict(audited, names={first_op + 1: f"0|{A}|x"}).functions
    assert (only.ops, only.last_index) == (3, 1)


def test_with_ttnn_only_ops_of_ttnn_count() -> None:
    free = f'  "ttnn.deallocate"(%0) : (i32) -> () loc("5|{B}|x")\n'
    text = function(
        op("%0", "%a", f'"0|{A}|x"', "ttnn.add"), op("%1", "%0", f'"1|{B}|x"', "ttcore.load"), free
    )
    result = predicted(text)
    assert [(one.name, one.ops) for one in result.functions] == [("A_0_0", 1), ("B_1_0", 1)]
    assert (result.ops, result.left_out) == (2, 0)


def test_a_free_of_what_no_function_makes_stays_outside() -> None:
    result = predicted(
        function(
            op("%0", "%a", f'"0|{A}|x"', "ttnn.add"),
            f'  "ttnn.deallocate"(%a) : (i32) -> () loc("5|{A}|x")\n',
        )
    )
    assert ([one.ops for one in result.functions], result.left_out) == ([1], 1)


def test_an_unreadable_op_stays_outside_and_holds_nothing() -> None:
    text = function(
        op("%0", "%a", f'"5|{A}|x"'),
        op("%1", "%0", '"x_layout"'),
        op("%2", "%1", f'"1|{B}|x"'),
        returned="%2",
    )
    result = predicted(text)
    assert [one.name for one in result.functions] == ["B_0_0", "A_1_0"]
    assert (result.left_out, result.unreadable) == (1, {Reason.FIELD: 1})


def test_names_with_a_prefix_are_read_without_it() -> None:
    result = predicted(CHAIN.replace('loc("', 'loc("DEBUG|'))
    assert (len(result.functions), result.left_out, result.unreadable) == (2, 0, {Reason.PREFIX: 3})


def test_an_op_with_regions_is_one_with_what_is_in_them() -> None:
    inner = op("%9", "%0", f'"3|{B}|x"')
    outer = f'  %1 = "ttir.map"(%a) ({{\n{inner}  }}) : (i32) -> i32 loc("1|{A}|x")\n'
    [only] = predicted(function(op("%0", "%a", f'"0|{A}|x"'), outer, returned="%1")).functions
    assert (only.ops, only.inputs, only.outputs) == (2, 1, 1)


def test_ops_in_the_regions_of_what_is_no_op_of_ttnn_count() -> None:
    inner = op("%1", "%a", f'"1|{A}|x"', "ttnn.add")
    text = function(
        op("%0", "%a", f'"0|{A}|x"', "ttnn.add"), f'  "scf.execute_region"() ({{\n{inner}  }}) : () -> ()\n'
    )
    assert [one.ops for one in predicted(text).functions] == [2]


def test_only_functions_for_the_device_are_cut_where_functions_say_what_they_are_for() -> None:
    work = op("%0", "%a", f'"0|{A}|x"')
    result = predicted(
        function(work, symbol="@c", attributes='attributes {tt.function_type = "const_eval"} ')
        + function(work, symbol="@f", attributes='attributes {tt.function_type = "forward_device"} ')
    )
    assert result.callers == ("@f",)


def test_all_functions_with_arguments_are_cut_where_none_says() -> None:
    work = op("%0", "%a", f'"0|{A}|x"')
    empty = "func.func @none() {\n  return\n}\n"
    callers = predicted(function(work, symbol="@f") + empty + function(work, symbol="@g")).callers
    assert callers == ("@f", "@g")


def test_two_functions_at_one_source_line_clash() -> None:
    text = function(op("%0", "%a", f'"0|{A}|x"'), op("%1", "%0", f'"1|{A.replace("fa", "fc")}|x"'))
    assert (predicted(text).clashes, predicted(text).failures) == (("/m.py:10",), (Failure.CLASHES,))


def test_a_cycle_of_a_graph_region_stays_outside() -> None:
    cycle = op("%1", "%2", f'"1|{A}|x"') + op("%2", "%1", f'"2|{A}|x"')
    text = function(
        f'  "my.graph"() ({{\n{cycle}  }}) : () -> ()\n', op("%0", "%a", f'"0|{A}|x"', "ttnn.add")
    )
    result = predicted(text.replace("ttir.add", "ttnn.add"))
    assert ([one.ops for one in result.functions], result.left_out) == ([1], 2)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("3|N[n]|C[n.c]|m.py:1|f|2|x", (3, ("N[n]", "C[n.c]"), "m.py:1", "f")),
        ("-1|unknown|unknown|-1|xla__device_data", (-1, (), "unknown", "unknown")),
        ("3||N[n]|m.py:1||f|2|x", (3, ("N[n]",), "m.py:1", "f")),
        ("3|f|2|x", (3, (), "3", "f")),
    ],
)
def test_names_that_are_read(name: str, read: tuple[int, tuple[str, ...], str, str]) -> None:
    index, *place = read
    assert read_name(name) == (index, tuple(place), False)


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ('"DEBUG|3|N[n]|m.py:1|f|2|x"', "prefix: 'DEBUG|' precedes its index"),
        ('"DEBUG|x"', "prefix: 'DEBUG|' precedes its index, and its index 'x' is not an integer"),
        (
            '"x"("3|N[n]|m.py:1|f|2|x")',
            "nesting: its index is in an inner name; only the outermost, 'x', is read",
        ),
        (
            '"x"("DEBUG|3|N[n]|m.py:1|f|2|x")',
            "nesting: its index is in an inner name; only the outermost, 'x', is read",
        ),
        ('"x_layout"("x")', "field: its index 'x_layout' is not an integer"),
        ('""', "field: its index '' is not an integer"),
        ('"3000000000|m.py:1|f|2|x"', "field: its index '3000000000' is not an integer"),
        ('"3|f|x"', "field: it has 3 fields instead of 'index|file:line|function|line|op'"),
        ('"3|N[n]|m.py:1|f|x"', "field: its line 'f' is not an integer"),
        ('"3|N|m.py:1|f|2|x"', "brackets: its module 'N' is not written 'Class[name]'"),
        ('"3|[n]|m.py:1|f|2|x"', "brackets: its module '[n]' is not written 'Class[name]'"),
    ],
)
def test_names_that_cannot_be_read(location: str, message: str) -> None:
    (dump,) = read_text(function(op("%0", "%a", location)))
    [found] = find(audit_dump(dump), rules_by_prefix("EIO107"))
    assert (found.message, found.line) == (message, 2)


@pytest.mark.parametrize(
    "location",
    ["unknown", '"m.py":3:4', 'callsite("x" at "y")', 'fused["x", "y"]', '"3|N[n]|m.py:1|f|2|x"("y")'],
)
def test_locations_that_are_no_names_or_readable_are_not_found(location: str) -> None:
    (dump,) = read_text(function(op("%0", "%a", location)))
    assert find(audit_dump(dump), rules_by_prefix("EIO107")) == []


def test_only_ops_that_become_functions_are_looked_at() -> None:
    (dump,) = read_text(
        function(op("%0", "%a", '"x"', "ttcore.load"), op("%1", "%0", f'"0|{A}|x"', "ttnn.add"))
    )
    assert find(audit_dump(dump), rules_by_prefix("EIO107")) == []


def test_what_follows_one_prefix_is_read() -> None:
    assert read_name("DEBUG|3|N[n]|m.py:1|f|2|x") == (3, (("N[n]",), "m.py:1", "f"), True)
    twice = read_name("DEBUG|DEBUG|3|N[n]|m.py:1|f|2|x")
    assert isinstance(twice, UnreadableLocation)
    assert twice.message == "'DEBUG|' precedes its index, and 'DEBUG|' precedes its index"


TORN = function(
    op("%0", "%a", f'"0|{A}|x"'),
    op("%1", "%0", f'"2|{B}|x"'),
    op("%2", "%1", f'"1|{A}|x"'),
    returned="%2",
)


def test_torn_modules_before_and_after_the_worst_first() -> None:
    before, after = (audit_dump(read_text(text)[0]) for text in (CHAIN, TORN))
    change = structure_change(before, after, right_labels(after))
    assert [(row.path[-1], dict(row.functions)) for row in change.modules] == [
        ("A[net.a]", {"before": 1, "after": 2, "fixed": 2, "relabelled": 1}),
        ("B[net.b]", {"before": 1, "after": 1, "fixed": 1, "relabelled": 0}),
    ]
    assert change.present is Stage.AFTER


def recorded(program: str) -> Prediction:
    return predict(audit_dump(read_text(recorded_program(program))[0]))


@pytest.mark.parametrize("program", RUNS)
def test_every_recorded_run_is_in_the_range_and_the_typical_number_is_near_them(program: str) -> None:
    runs = recorded_runs(program)
    found = recorded(program)
    assert found.failures == ()
    assert found.fewest is not None and found.most is not None and found.tried is not None
    assert found.fewest <= min(runs) <= max(runs) <= found.most
    assert (found.tried.fewest, found.tried.most, found.tried.all) == (min(runs), max(runs), True)
    assert found.typical == pytest.approx(sum(runs) / len(runs), rel=0.1)
    assert len(found.functions) == found.typical


@pytest.mark.parametrize(
    ("program", "bounds", "typical"),
    [
        ("small.original", (8, 41), 8),
        ("small.relabel", (7, 40), 10),
        ("encoder.original", (33, 130), 60),
        ("encoder.relabel", (33, 130), 60),
        ("resnet.original", (74, 194), 90),
        ("resnet.relabel", (74, 194), 90),
    ],
)
def test_recorded_programs(program: str, bounds: tuple[int, int], typical: int) -> None:
    found = recorded(program)
    assert ((found.fewest, found.most), found.typical) == (bounds, typical)


@pytest.mark.parametrize(
    ("sample", "bounds", "tried", "typical"),
    [
        ("encoder/before", (48, 164), (62, 78), 68),
        ("encoder/after", (36, 148), (51, 67), 60),
        ("resnet/before", (73, 185), (91, 125), 106),
        ("resnet/after", (82, 230), (156, 191), 172),
    ],
)
def test_samples(sample: str, bounds: tuple[int, int], tried: tuple[int, int], typical: int) -> None:
    (dump,) = read_text((SAMPLES / f"{sample}_alias.mlir").read_bytes())
    now = structure(dump).predictions[Stage.NOW]
    assert now.failures == (Failure.PREFIX,)
    assert now.tried is not None and not now.tried.all
    assert (now.fewest, now.most, now.tried.fewest, now.tried.most) == (*bounds, *tried)
    assert (now.typical, len(now.functions)) == (typical, typical)


def stopping(text: str) -> list[tuple[int, str]]:
    """The lines and messages of the ops at which code generation fails, of which there are some."""
    found = structure(read_text(text)[0])
    now = found.predictions[Stage.NOW]
    assert (now.fewest, now.most, now.typical, now.tried) == (None, None, None, None)
    assert {one.failure for one in found.stopping} <= set(now.failures)
    return [(one.op.line, one.message) for one in found.stopping]


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ('"m.py":3:4', "its location is a place in a file, not a name"),
        (f'fused["1|{A}|x", "m.py":3:1]', "its location is fused, not a name"),
        (f'callsite("1|{A}|x" at "y")', "its location is a call site, not a name"),
        ('"abs"', "its index 'abs' is not an integer"),
        ('""', "its index '' is not an integer"),
        (f'"x"("1|{A}|x")', "its index is in an inner name; only the outermost, 'x', is read"),
        ('"1|N|m.py:1|f|2|x"', "its module 'N' is not written 'Class[name]'"),
        ('"DEBUG|x"', "'DEBUG|' precedes its index, and its index 'x' is not an integer"),
    ],
)
def test_code_generation_fails_at_a_location_that_it_cannot_read(location: str, message: str) -> None:
    text = function(op("%0", "%a", f'"0|{A}|x"'), op("%1", "%0", location))
    assert stopping(text) == [(3, message)]


def test_code_generation_fails_at_an_op_that_the_text_gives_no_location() -> None:
    text = function(op("%0", "%a", f'"0|{A}|x"'), '  %1 = "ttir.add"(%0) : (i32) -> i32\n')
    assert stopping(text) == [(3, "it has no location; the compiler takes its place in the file as location")]


def test_code_generation_reads_the_locations_of_all_functions_but_the_names_of_one() -> None:
    def with_const(location: str) -> str:
        const = op("%0", "%a", location, "ttnn.abs")
        work = op("%0", "%a", f'"0|{A}|x"', "ttnn.abs")
        return function(
            const, symbol="@c", attributes='attributes {tt.function_type = "const_eval"} '
        ) + function(work, symbol="@f", attributes='attributes {tt.function_type = "forward_device"} ')

    assert stopping(with_const('"m.py":3:4')) == [(2, "its location is a place in a file, not a name")]
    for location in ("unknown", '"abs"'):
        assert predicted(with_const(location)).failures == ()


@pytest.mark.parametrize("location", ["unknown", '"1|f|x"', '"1|x"'])
def test_code_generation_leaves_an_op_without_a_place_in_the_source_where_it_is(location: str) -> None:
    found = predicted(
        function(op("%0", "%a", f'"0|{A}|x"', "ttnn.add"), op("%1", "%0", location, "ttnn.add"))
    )
    assert (found.failures, found.left_out, found.fewest) == ((), 1, 1)


def test_an_op_that_stays_between_two_functions_is_a_failure() -> None:
    text = function(
        op("%0", "%a", f'"0|{A}|x"', "ttnn.add"),
        op("%1", "%0", "unknown", "ttnn.add"),
        op("%2", "%1", f'"1|{B}|x"', "ttnn.add"),
        returned="%2",
    )
    assert stopping(text) == [(3, BETWEEN)]
    assert stopping(text.replace("loc(unknown)", 'loc("1|x")')) == [(3, BETWEEN)]
    assert predicted(text.replace('"ttnn.add"(%0)', '"ttnn.add"(%a)')).failures == ()


def test_two_functions_for_the_device_are_a_failure() -> None:
    marked = {"attributes": 'attributes {tt.function_type = "forward_device"} '}
    work = op("%0", "%a", f'"0|{A}|x"', "ttnn.add")
    text = function(work, symbol="@f", **marked) + function(work, symbol="@g", **marked)
    assert predicted(text).failures == (Failure.FUNCTIONS,)


def test_a_prefix_is_a_failure_but_leaves_the_figures() -> None:
    found = predicted(CHAIN.replace('loc("', 'loc("DEBUG|'))
    assert (found.failures, found.fewest, found.most, found.typical) == ((Failure.PREFIX,), 2, 2, 2)


def test_a_path_over_another_line_tears_a_module_in_any_run() -> None:
    [module, other] = structure(read_text(TORN)[0]).modules
    assert (module.path[-1], module.least, module.certain, module.functions[Stage.NOW]) == (
        "A[net.a]",
        1,
        2,
        2,
    )
    assert [(one.via.line, one.op.line) for one in module.returns] == [(3, 4)]
    assert (other.path[-1], other.certain, other.returns) == ("B[net.b]", 1, ())


def test_a_malformed_location_is_an_error() -> None:
    with pytest.raises(InputError):
        predicted(function(op("%0", "%a", '"x"(')))


def stages_and_files(text: str, options: AuditOptions) -> list[tuple[Prediction, Prediction]]:
    """What is said of a dump once it is fixed, without and with right labels, and of the files that fix writes."""
    said = structure(read_text(text)[0], options).predictions
    pairs = []
    for stage, relabel in ((Stage.FIXED, None), (Stage.RELABELLED, "nested")):
        written = fix(read_text(text), options, relabel=relabel).text
        read = structure(read_text(written)[0], options).predictions[Stage.NOW]
        pairs.append((without_lines(said[stage]), without_lines(read)))
    return pairs


def without_lines(prediction: Prediction) -> Prediction:
    """But for the lines that functions begin on, and why names cannot be read."""
    functions = tuple(replace(function, line=0) for function in prediction.functions)
    return replace(prediction, functions=functions, unreadable={})


FREE = f'  "ttnn.deallocate"(%0) : (i32) -> () loc("9|{B}|free")\n'


@pytest.mark.parametrize(
    ("text", "options"),
    [
        pytest.param(
            function(
                op("%0", "%a", f'"4|{A}|x"', "ttnn.abs"), FREE, op("%1", "%a", f'"5|{A}|x"', "ttnn.abs")
            ),
            FREES,
            id="a free that gets a label",
        ),
        pytest.param(
            "func.func @f(%0: tensor<4xi8>) {\n"
            f'  %1 = "ttnn.add"() : () -> tensor<1xi8> loc("1|{B}|x")\n'
            f'  %2 = "ttnn.add"(%1) : (tensor<1xi8>) -> tensor<1xi8> loc("0|{A}|x")\n'
            f'  %3 = "ttnn.add"() : () -> tensor<1xi8> loc("0|{A}|x")\n'
            '  "ttnn.deallocate"(%0) <{force = false}> : (tensor<4xi8>) -> ()\n'
            '  "ttnn.deallocate"(%1) <{force = false}> : (tensor<1xi8>) -> ()\n'
            f'  "ttnn.deallocate"(%2) <{{force = false}}> : (tensor<1xi8>) -> () loc("1|{B}|free")\n'
            "  return\n}\n",
            FREES,
            id="frees of a block where nothing moves once the labels are right",
        ),
        pytest.param(
            function(op("%0", "%a", '"9|"'), op("%1", "%0", f'"2|{A}|x"')),
            AuditOptions(),
            id="a name whose last field is empty",
        ),
        pytest.param(
            function(
                op("%0", "%a", f'"2|{A}|x"'),
                op("%1", "%0", f'"5|{B}|x"'),
                op("%2", "%0", '"3|m.py:4|f|1|x"'),
                op("%3", "%a", '"7|m.py:3|f|1|x"'),
                op("%4", "%1, %3", '"0|m.py:4|f|1|x"'),
            ),
            AuditOptions(),
            id="users in another order",
        ),
    ],
)
def test_the_stages_are_the_files_that_fix_writes(text: str, options: AuditOptions) -> None:
    for said, read in stages_and_files(text, options):
        assert said == read


def in_modules(text: str) -> str:
    """A program whose locations code generation can read."""

    def located(match: re.Match[str]) -> str:
        index = int(match[1])
        return f"{index}|Net[n]|L[n.{index % 2}]|m.py:{index % 3}|f|1|op"

    return re.sub(r"(?:DEBUG\|)?(\d+)\|net\|op", located, text)


@given(programs())
def test_the_stages_of_any_program_are_the_files_that_fix_writes(text: str) -> None:
    for said, read in stages_and_files(in_modules(text), AuditOptions()):
        assert said == read


@given(freeing_programs())
def test_so_they_are_where_frees_follow_their_last_use(text: str) -> None:
    for said, read in stages_and_files(in_modules(text), FREES):
        assert said == read
