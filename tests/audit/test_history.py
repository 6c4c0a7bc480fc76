"""One op through all passes."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from eio_audit import Dump, InputError, OpEvent, OpHistory, check, history, read, read_text, stream
from tests.logs import module
from tests.test_samples import SAMPLES

START = ("%a = t.a %x", "%b = t.b %a", "%c = t.c %a")


def function(*ops: str, name: str = "f") -> str:
    lines = [f"  {op} : i32" for op in ops]
    return "\n".join([f"func.func @{name}(%x: i32) {{", *lines, "  return", "}", ""])


def after(pass_name: str, text: str, when: str = "After") -> str:
    return f"// -----// IR Dump {when} {pass_name.upper()} ({pass_name}) //----- //\n{text}\n"


def log(*texts: str) -> str:
    """The dumps after the passes p0, p1, ..."""
    return "".join(after(f"p{number}", text) for number, text in enumerate(texts))


def followed(text: str, op: str) -> tuple[OpHistory, ...]:
    result = history(read_text(text), op)
    assert result.errors == ()
    return result.ops


def rows(op: OpHistory) -> list[tuple[str, str | None]]:
    """Of each event the kind, and the pass."""
    return [(event.kind.value, event.pass_name) for event in op.events]


def differences(event: OpEvent) -> list[tuple[str, str, str]]:
    assert event.change is not None
    return [(one.kind, one.before, one.after) for one in event.change.differences]


def test_an_op_that_no_pass_changed() -> None:
    [op] = followed(log(function(*START), function(*START)), "%b")
    assert rows(op) == [("first", None), ("last", None)]
    assert [event.state and event.state.op.line for event in op.events] == [4, 12]
    assert op.is_unchanged


def test_an_op_whose_operand_changed() -> None:
    [op] = followed(log(function(*START), function(*START[:2], "%c = t.c %b")), "%c")
    assert rows(op) == [("first", None), ("changed", "p1")]
    assert differences(op.events[1]) == [("operands", "%a t.a", "%b t.b")]
    assert [event.state and event.state.operands for event in op.events] == [("%a t.a",), ("%b t.b",)]


def test_an_op_whose_type_changed() -> None:
    text = function(*START)
    [op] = followed(log(text, text.replace("t.b %a : i32", "t.b %a : i64")), "%b")
    assert differences(op.events[1]) == [("types", "i32", "i64")]
    assert [event.state and event.state.types for event in op.events] == ["i32", "i64"]


def test_an_op_whose_location_changed() -> None:
    located = 'func.func @f() {\n  %a = t.a : i32 loc("one")\n  return loc("end")\n}\n'
    [op] = followed(log(located, located.replace("one", "two")), "%a")
    assert differences(op.events[1]) == [("location", '"one"', '"two"')]


def test_an_op_that_moved() -> None:
    ops = [f"%{k} = t.op{k} %x" for k in range(5)]
    [op] = followed(log(function(*ops), function(*ops[1:], ops[0])), "%0")
    assert rows(op) == [("first", None), ("changed", "p1")]
    assert op.events[1].change is not None
    assert op.events[1].change.moved
    assert [event.state and event.state.place for event in op.events] == [0, 4]


def test_an_op_that_others_moved_around_has_not_changed() -> None:
    ops = [f"%{k} = t.op{k} %x" for k in range(5)]
    [op] = followed(log(function(*ops), function(*ops[1:], ops[0])), "%2")
    assert rows(op) == [("first", None), ("last", None)]


def test_an_op_that_was_removed_and_what_its_users_use_now() -> None:
    [op] = followed(log(function(*START[:2], "%c = t.c %b"), function("%a = t.a %x", "%c = t.c %a")), "%b")
    assert rows(op) == [("first", None), ("removed", "p1")]
    assert op.events[1].users_now_use == "%a t.a"
    assert (op.events[1].state, op.events[1].place.line) == (None, 9)


def test_another_name_is_no_change() -> None:
    renamed = function("%0 = t.a %x", "%1 = t.b %0", "%2 = t.c %0")
    [op] = followed(log(function(*START), renamed), "%b")
    assert rows(op) == [("first", None), ("last", None)]
    assert [event.state and event.state.op.result for event in op.events] == ["%b", "%1"]


def test_dumps_that_are_the_same_up_to_alias_names_are_no_change() -> None:
    text = 'func.func @f() {\n  %a = t.a : i32 loc(#loc)\n  return loc(#loc)\n}\n#loc = loc("a")\n'
    [op] = followed(log(text, text.replace("#loc", "#loc1")), "%a")
    assert rows(op) == [("first", None), ("last", None)]


DERIVED = (
    'func.func @f() {\n  %a = t.a : i32 loc("1|a")\n  return\n}\n',
    (
        "func.func @f() {\n"
        '  %a = t.a : i32 loc("1|a")\n'
        '  %b = t.cast %a : i32 loc("1|a_tm0"("1|a"))\n'
        '  %c = t.cast %a : i64 loc("1|a_tm1"("1|a"))\n'
        "  return\n}\n"
    ),
)


def test_ops_that_a_pass_derived_are_followed_too() -> None:
    ops = followed(log(*DERIVED, DERIVED[0]), "%a")
    assert [rows(op) for op in ops] == [
        [("first", None), ("last", None)],
        [("made", "p1"), ("removed", "p2")],
        [("made", "p1"), ("removed", "p2")],
    ]
    assert [op.origin for op in ops] == [None, 0, 0]
    change = ops[1].events[0].change
    assert change is not None
    assert change.ancestor is not None
    assert (change.ancestor.op.name, change.ancestor.relation) == ("t.a", "derived")


def test_an_op_that_was_converted_to_another_dialect_is_followed() -> None:
    ops = '  %a = t.a : i32 loc("one")\n  %b = t.b : i32 loc("one")\n'
    text = f"func.func @f() {{\n{ops}  return\n}}\n"
    asked, made = followed(log(text, text.replace("t.", "u.")), "%b")
    assert (rows(asked), rows(made)) == ([("first", None), ("removed", "p1")], [("made", "p1")])
    change = made.events[0].change
    assert change is not None
    assert change.ancestor is not None
    assert (made.first.op.name, change.ancestor.relation) == ("u.b", "converted")


def test_an_op_that_is_named_in_a_later_dump_is_followed_from_its_first() -> None:
    changed = function(*START[:2], "%new = t.c %b")
    [op] = followed(log(function(*START), changed), "%new")
    assert rows(op) == [("first", None), ("changed", "p1")]
    assert op.first.op.result == "%c"


def test_a_derived_op_that_is_named_in_a_later_dump_begins_where_it_was_made() -> None:
    [op] = followed(log(*DERIVED, DERIVED[1]), "18")
    assert rows(op) == [("made", "p1"), ("last", None)]
    change = op.events[0].change
    assert change is not None
    assert change.ancestor is not None
    assert change.ancestor.op.name == "t.a"


@pytest.mark.parametrize("op", ["4", "4:3", "<text>:4", "%b of @f", "%b", "t.b", "t.b of f"])
def test_ways_to_name_an_op(op: str) -> None:
    [found] = followed(log(function(*START), function(*START)), op)
    assert found.first.op.name == "t.b"


def test_ops_of_a_line_of_the_model_and_ops_with_an_index() -> None:
    text = 'func.func @f() {\n  %a = t.a : i32 loc("net.py":3:1)\n  %b = t.b : i32 loc("7|b")\n  return\n}\n'
    assert [op.first.op.name for op in followed(log(text), "net.py:3")] == ["t.a"]
    assert [op.first.op.name for op in followed(log(text), "#7")] == ["t.b"]


@pytest.mark.parametrize(
    ("op", "message"),
    [
        ("%bb", "no op defines %bb; did you mean %b (line 4)"),
        ("%x", "no op defines %x: it is an argument of a block"),
        ("#3", "no op carries index 3"),
        ("99", "line 99 is outside all dumps"),
        ("1", "no op is on line 1"),
        ("net.py:3", "no op comes from line 3 of a file net.py"),
        ("t.d", "no op is called 't.d'"),
        ("%a of @g", "no op in @g is called '%a'; elsewhere: 3 (t.a %a in @f)"),
    ],
)
def test_an_op_that_is_in_no_dump_is_an_error(op: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        followed(log(function(*START), function(*START)), op)
    assert message in caught.value.message


def test_a_name_in_several_functions_is_an_error_that_tells_how_to_name_one() -> None:
    text = log(module(function(*START), function(*START, name="g")))
    with pytest.raises(InputError) as caught:
        followed(text, "%b")
    assert "name one by its line, or its function: '%b of @f': 5 (t.b %b in @f)" in caught.value.message
    [op] = followed(text, "%b of @g")
    assert op.first.function == "@g"


def test_lines_and_columns_are_those_of_the_file() -> None:
    [op] = followed(log(module(function(*START)), module(function(*START))), "%b")
    states = [event.state for event in op.events]
    assert [(state.op.line, state.column) for state in states if state] == [(5, 5), (15, 5)]


def test_only_the_function_of_the_op_counts() -> None:
    f, g, other = function(*START), function(*START, name="g"), function("%a = t.z %x", name="g")
    [op] = followed(log(module(f, g), module(f, other), f, other, module(f, other)), "%b of @f")
    assert rows(op) == [("first", None), ("last", None)]
    assert op.events[-1].place.line == 45


def test_dumps_of_single_functions_interleave() -> None:
    f, g = function(*START), function(*START, name="g")
    [op] = followed(log(f, g, function("%a = t.a %x"), g), "%b of @f")
    assert rows(op) == [("first", None), ("removed", "p2")]


def test_an_op_of_a_function_that_is_gone_is_removed() -> None:
    f, g = function(*START), function(*START, name="g")
    [op] = followed(log(module(f, g), module(g)), "%b of @f")
    assert rows(op) == [("first", None), ("removed", "p1")]


def test_an_op_that_went_into_another_function_is_followed_there() -> None:
    f, g = function("%a = t.a %x", '%b = t.b %a {name = "b"}'), function("%c = t.c %x", name="g")
    both = function("%c = t.c %x", "%a = t.a %x", '%b = t.b %a {name = "b"}', name="g")
    [op] = followed(log(module(f, g), module(both), module(both)), "%b")
    assert rows(op) == [("first", None), ("changed", "p1"), ("last", None)]
    assert [event.state and event.state.function for event in op.events] == ["@f", "@g", "@g"]


def test_an_op_that_was_inlined_before_a_dump_of_the_caller_alone_is_followed() -> None:
    f, g = function("%a = t.a %x"), function("%c = t.c %x", name="g")
    both = function("%c = t.c %x", "%a = t.a %x", name="g")
    text = log(module(f, g), f, both, module(both))
    [op] = followed(text, "%a")
    assert rows(op) == [("first", None), ("changed", "p3")]
    assert op.events[-1].state is not None
    assert op.events[-1].state.function == "@g"
    copy = next(number for number, line in enumerate(text[text.index("p2") :].splitlines()) if "t.a" in line)
    assert followed(text, str(text.count("\n", 0, text.index("p2")) + copy + 1)) == (op,)


def test_an_op_of_a_renamed_function_is_followed() -> None:
    [op] = followed(log(module(function(*START)), module(function(*START, name="h"))), "%b")
    assert op.events[-1].state is not None
    assert op.events[-1].state.function == "@h"


def test_a_module_that_does_not_show_the_function_does_not_remove_it() -> None:
    outer = module(function(*START), module(function("%z = t.z %x", name="g")))
    inner = module(function("%z = t.z %x", name="g"))
    [op] = followed(log(outer, inner, outer), "%b")
    assert rows(op) == [("first", None), ("last", None)]


def test_an_op_outside_functions() -> None:
    text = "module {\n  t.global @a = 1 : i32\n  func.func @f() {\n    return\n  }\n}\n"
    [op] = followed(log(text, text.replace("1", "2"), text.replace("1", "2")), "t.global")
    assert rows(op) == [("first", None), ("changed", "p1"), ("last", None)]


def test_a_difference_in_a_dump_before_a_pass_is_of_the_pass_at_work() -> None:
    changed = function(*START[:2], "%c = t.c %b")
    text = after("a", function(*START), "Before") + after("b", changed, "Before")
    [op] = followed(text, "%c")
    assert rows(op) == [("first", None), ("changed", "a")]


def test_a_difference_that_no_shown_pass_made() -> None:
    changed = function(*START[:2], "%c = t.c %b")
    text = after("a", function(*START)) + after("b", changed, "Before") + after("b", changed)
    [op] = followed(text, "%c")
    assert rows(op) == [("first", None), ("changed", None), ("last", None)]


def test_a_dump_that_cannot_be_read_does_not_hide_the_others() -> None:
    broken = "func.func @f() {\n  %b = t.b %nowhere : i32\n"
    result = history(read_text(log(function(*START), broken, function("%a = t.a %x"))), "%b")
    assert [error.position and error.position.line for error in result.errors] == [11]
    assert rows(result.ops[0]) == [("first", None), ("removed", "p2")]


def test_a_dump_is_an_error_if_another_function_of_it_cannot_be_read() -> None:
    broken = function("%0 = t.a %nowhere", name="g").replace("t.a", "t.a (")
    result = history(read_text(log(module(function(*START)), module(function(*START), broken))), "%b")
    assert [error.position and error.position.line for error in result.errors] == [22]
    assert rows(result.ops[0]) == [("first", None)]


def test_an_iterator_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "passes.log"
    path.write_text(log(function(*START), function(*START[:2], "%new = t.c %b")))
    [op] = history(stream(str(path)), "%new").ops
    assert rows(op) == [("first", None), ("changed", "p1")]


RESNET = SAMPLES / "resnet" / "all_passes_alias.log"


def test_a_real_log() -> None:
    asked, *made = history(read(RESNET), "6578").ops
    assert [(event.kind, event.pass_name, event.state and event.state.op.line) for event in asked.events] == [
        ("first", None, 84),
        ("changed", "ttir-flatten-sliding-window", 2674),
        ("changed", "ttir-erase-inverse-ops", 4712),
        ("last", None, 6578),
    ]
    assert [(op.first.op.line, op.removal and op.removal.pass_name) for op in made] == [
        (2675, "ttir-explicate-tms"),
        (2676, "ttir-explicate-tms"),
        (2710, "ttir-explicate-tms"),
    ]


def states_of(dumps: Iterable[Dump]) -> dict[int, tuple[str, int, int]]:
    """By line of each op: its name, its place and the number of ops in its block."""
    found = {}

    def visit(dump) -> None:  # type: ignore[no-untyped-def]
        for ops in dump.ir.block_ops:
            for place, op in enumerate(ops):
                found[dump.label(op).line] = (dump.ir.name(op), place, len(ops))

    check(dumps, visit=visit)
    return found


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("small/eio_only_alias.log", 1),
        ("small/all_passes_alias.log", 40),
        pytest.param("small/all_passes_alias.log", 6, marks=pytest.mark.slow),
    ],
)
def test_the_last_row_of_every_op_agrees_with_the_last_dump_that_has_it(name: str, step: int) -> None:
    """Every op of every dump has a history, which goes on to the last dump unless a pass removed the op."""
    dumps = read(SAMPLES / name)
    states = states_of(dumps)
    last = dumps[-1]
    for line in list(states)[::step]:
        op = history(dumps, str(line)).ops[0]
        kinds = [event.kind for event in op.events]
        assert kinds[0] in ("first", "made")
        assert "removed" not in kinds[:-1]
        end = op.events[-1]
        if end.state is None:
            continue
        assert end.place.line == last.line
        assert states[end.state.op.line] == (end.state.op.name, end.state.place, end.state.ops)
        if line >= last.line:
            assert end.state.op.line == line


def test_what_is_added_at_the_location_of_a_removed_op_may_be_made_from_it() -> None:
    def located(*ops: str) -> str:
        return function("%a = t.a %x", *ops).replace("%a : i32", '%a : i32 loc("l")')

    before, after_ = located("%b = t.b %a", "%c = t.e %a"), located("%b = t.c %a", "%c = t.d %a")
    ops = followed(log(before, after_), "%b")
    assert [(event.kind, event.at_its_location) for event in ops[0].events] == [
        ("first", {}),
        ("removed", {"t.c": 1, "t.d": 1}),
    ]
