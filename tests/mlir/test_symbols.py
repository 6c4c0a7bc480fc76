"""The grammar of a symbol: wherever one is read, every spelling of it is the same symbol."""

import pytest

from eio_audit import read_text
from eio_audit.mlir.input.function_texts import DumpText
from eio_audit.mlir.semantics.calls import Calls
from tests.reading import ir_of

FUNCTION = "func.func @NAME() {\n  return\n}\n"
CALL = "func.func @main() {\n  call @NAME() : () -> ()\n  return\n}\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@f->i32", {"@f"}),
        ("@f-g", {'@"f-g"'}),
        ("@-f", {'@"-f"'}),
        ("@a::@b", {"@a", "@b"}),
        (r'@"a\22b"(', {r'@"a\22b"'}),
        ('@"a\nb"', set()),
    ],
)
def test_where_a_symbol_ends(text: str, found: set[str]) -> None:
    [dump] = read_text(f"func.func @main() {{\n  my.op {text}\n  return\n}}\n")
    assert DumpText(dump).functions["@main"].symbols == {"@main"} | found


@pytest.mark.parametrize("spelled", ["f", '"f"', r'"\66"'])
@pytest.mark.parametrize("called", ["f", '"f"', r'"\66"'])
def test_a_call_by_any_spelling(spelled: str, called: str) -> None:
    text = FUNCTION.replace("NAME", spelled) + CALL.replace("NAME", called)
    ir = ir_of(text)
    assert Calls(ir).callee[3] == 0
    functions = DumpText(read_text(text)[0])
    assert [f.symbol for f in functions.reached_from(functions.functions["@main"])] == ["@f"]


def test_a_call_of_a_name_with_an_escape() -> None:
    text = (FUNCTION + CALL).replace("NAME", r'"a\22b"')
    assert Calls(ir_of(text)).callee[3] == 0
    functions = DumpText(read_text(text)[0])
    assert functions.functions["@main"].symbols == {"@main", r'@"a\22b"'}


@pytest.mark.parametrize(
    "text",
    [
        'func.func @"a b"() {\n  return\n}\n',
        '"func.func"() ({\n  "func.return"() : () -> ()\n}) {sym_name = "a b"} : () -> ()\n',
        '"func.func"() <{"sym_name"="a b"}> ({\n  "func.return"() : () -> ()\n}) : () -> ()\n',
    ],
)
def test_one_symbol_in_all_forms(text: str) -> None:
    assert ir_of(text).symbol(0) == '@"a b"'


def test_a_marker_names_the_symbol_without_quotes() -> None:
    line = "// -----// IR Dump After CSE (cse) ('func.func' operation: @a b) //----- //\n"
    [dump] = read_text(line + FUNCTION.replace("NAME", '"a b"'))
    assert dump.marker is not None
    assert dump.marker.symbol == '@"a b"'
