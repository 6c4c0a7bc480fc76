"""Rule EIO107: the names of locations that code generation cannot read. One literal location, one fact."""

import pytest

from eio_audit import InputError, read_text
from tests.cli.running import SAMPLES, run
from tests.internals import audit_dump, find
from tests.rules import UNREADABLE

AFTER = SAMPLES / "small" / "after_alias.mlir"
GOOD, BAD = '"0|Net[net]|A[net.a]|m.py:10|f|11|x"', '"x"'
ON_DEVICE = 'attributes {tt.function_type = "forward_device"} '


def op(result: str, operand: str, location: str, name: str = "ttir.add") -> str:
    return f'  {result} = "{name}"({operand}) : (i32) -> i32 loc({location})\n'


def function(*ops: str, symbol: str = "@f", attributes: str = "") -> str:
    return f"func.func {symbol}(%a: i32) -> i32 {attributes}{{\n{''.join(ops)}  return %a : i32\n}}\n"


def found(text: str) -> list[tuple[int, str]]:
    """The lines and messages of the findings."""
    (dump,) = read_text(text)
    return [(one.line, one.message) for one in find(audit_dump(dump), [UNREADABLE])]


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ('"DEBUG|3|N[n]|m.py:1|f|2|x"', "prefix: 'DEBUG|' precedes its index"),
        ('"DEBUG|3||N[n]|m.py:1|f|2|x"', "prefix: 'DEBUG|' precedes its index"),
        ('"DEBUG|x"', "prefix: 'DEBUG|' precedes its index, and its index 'x' is not an integer"),
        (
            '"DEBUG|DEBUG|3|m.py:1|f|2|x"',
            "prefix: 'DEBUG|' precedes its index, and 'DEBUG|' precedes its index",
        ),
        (
            '"x"("3|N[n]|m.py:1|f|2|x")',
            "nesting: its index is in an inner name; only the outermost, 'x', is read",
        ),
        (
            '"x"("DEBUG|3|N[n]|m.py:1|f|2|x")',
            "nesting: its index is in an inner name; only the outermost, 'x', is read",
        ),
        ('"x"("DEBUG|DEBUG|3|N[n]|m.py:1|f|2|x")', "field: its index 'x' is not an integer"),
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
    assert found(function(op("%0", "%a", location))) == [(2, message)]


@pytest.mark.parametrize(
    "location",
    [
        '"3|N[n]|C[n.c]|m.py:1|f|2|x"',
        '"3|N[n]|m.py:1|f|2|x"("y")',
        '"3||N[n]|m.py:1||f|2|x"',
        '"3|f|2|x"',
        '"-1|unknown|unknown|-1|xla__device_data"',
        *("unknown", '"m.py":3:4', 'callsite("x" at "y")', 'fused["x", "y"]'),
    ],
)
def test_names_that_are_read_and_locations_that_are_no_names(location: str) -> None:
    assert found(function(op("%0", "%a", location))) == []


def test_a_name_with_very_many_prefixes_is_no_traceback() -> None:
    [(_, message)] = found(function(op("%0", "%a", f'"{"DEBUG|" * 5000}x"')))
    assert message.count("precedes") == 5000


def test_once_there_are_ops_of_ttnn_only_they_are_read() -> None:
    load = op("%0", "%a", BAD, "ttir.abs")
    assert found(function(load)) == [(2, "field: its index 'x' is not an integer")]
    assert found(function(load, op("%1", "%0", GOOD, "ttnn.add"))) == []
    assert [line for line, _ in found(function(load, op("%1", "%0", BAD, "ttnn.add")))] == [3]


@pytest.mark.parametrize("name", ["ttcore.load", "func.call"])
def test_before_that_some_ops_are_not_read(name: str) -> None:
    assert found(function(op("%0", "%a", BAD, name))) == []


def test_an_op_with_regions_is_read_but_not_what_is_in_them() -> None:
    inner = op("%9", "%a", BAD)
    text = function(f'  %1 = "ttir.map"(%a) ({{\n{inner}  }}) : (i32) -> i32 loc("y")\n')
    assert found(text) == [(2, "field: its index 'y' is not an integer")]


def test_where_functions_say_what_they_are_for_only_those_for_the_device_are_read() -> None:
    work = op("%0", "%a", BAD)
    const = function(work, symbol="@c", attributes='attributes {tt.function_type = "const_eval"} ')
    assert found(const) == []
    assert [line for line, _ in found(const + function(work, attributes=ON_DEVICE))] == [6]


def test_where_none_says_all_functions_with_arguments_are_read() -> None:
    work = op("%0", "%a", BAD)
    empty = "func.func @none() {\n" + op("%0", "", BAD).replace("(i32) ->", "() ->") + "  return\n}\n"
    assert [line for line, _ in found(function(work) + empty + function(work, symbol="@g"))] == [2, 10]


def test_a_malformed_location_is_an_error() -> None:
    with pytest.raises(InputError):
        found(function(op("%0", "%a", '"x"(')))


def test_the_gate_names_them_where_it_is_asked_to() -> None:
    assert b"EIO107" not in run("check", AFTER).stdout
    result = run("check", AFTER, "--select", "EIO107", "--format", "concise")
    assert result.returncode == 1
    assert result.stdout.count(b": EIO107 ") == 17
    everything = run("check", AFTER, "--select", "EIO1", "--format", "concise").stdout
    assert everything.count(b": EIO107 ") == 17
