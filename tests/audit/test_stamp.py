import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from iree.compiler import ir

from eio_audit import InputError, VerificationError, check, read_text, stamp
from eio_audit.audit.fix import labels as labels_module
from eio_audit.audit.fix.verification import read_relocated
from tests.internals import OriginalIndices, Source, read_ir
from tests.judge import parse
from tests.programs import programs

HAND_WRITTEN = Path(__file__).parents[1] / "data" / "custom_assembly.mlir"


def stamped(text: str, name: str = "in.mlir") -> str:
    dumps = read_text(text, name)
    return stamp(dumps).decode()


def read_with_location(old: str, location: bytes, new: str, added: bytes = b"") -> None:
    """Read what must be the old text with this location of its first op."""
    ir = read_ir(Source("in.mlir", old.encode()))
    read_relocated(ir, {0: location}, "stamped", new.encode(), added)


def test_an_op_without_location_gets_its_place_in_the_file_as_child() -> None:
    assert stamped('  %0:2, %1 = // two\n  "my.op"() : () -> (i1, i1, i1)\n') == (
        '  %0:2, %1 = // two\n  "my.op"() : () -> (i1, i1, i1) loc("DEBUG|0|my.op"("in.mlir":2:3))\n'
    )


def test_a_location_becomes_the_child() -> None:
    assert stamped('my.op loc(fused["a", unknown])') == 'my.op loc("DEBUG|0|my.op"(fused["a", unknown]))'


def test_an_alias_that_is_defined_above_becomes_the_child() -> None:
    text = '#loc = loc("a")\nmy.op loc(#loc)\n'
    assert stamped(text) == '#loc = loc("a")\nmy.op loc("DEBUG|0|my.op"(#loc))\n'


def test_an_alias_that_is_defined_below_is_named_below_it() -> None:
    text = 'my.op loc(#loc)\n#loc = loc("a")'
    assert stamped(text) == ('my.op loc(#stamp0)\n#loc = loc("a")\n#stamp0 = loc("DEBUG|0|my.op"(#loc))\n')


def test_new_aliases_keep_clear_of_old_ones() -> None:
    text = 'my.op loc(#stamp0)\n#stamp0 = loc("a")\n'
    assert stamped(text).startswith("my.op loc(#stamp_0)\n")


def test_nested_ops_follow_their_holder_and_end_before_it() -> None:
    assert stamped("a.outer {\n  a.inner\n}") == (
        'a.outer {\n  a.inner loc("DEBUG|1|a.inner"("in.mlir":2:3))\n} loc("DEBUG|0|a.outer"("in.mlir":1:1))'
    )


def test_a_function_and_the_module_around_it_get_their_place_without_an_index() -> None:
    assert stamped("module {\n  func.func @f() {\n    return\n  }\n}") == (
        "module {\n  func.func @f() {\n"
        '    return loc("DEBUG|2|func.return"("in.mlir":3:5))\n'
        '  } loc("in.mlir":2:3)\n} loc("in.mlir":1:1)'
    )


@pytest.mark.parametrize("location", ["unknown", '"f"("a.py":1:2)', "#a"])
def test_a_function_keeps_a_location_without_an_index(location: str) -> None:
    text = f'#a = loc("a")\nfunc.func @f() {{\n}} loc({location})\n'
    assert stamped(text) == text


@pytest.mark.parametrize("location", ['"DEBUG|7|f"("a.py":1:2)', '"f"("7|x")', 'fused["a", "7|x"]', "#a"])
def test_a_function_does_not_keep_an_index(location: str) -> None:
    text = '#a = loc("7|a")\nfunc.func @f() {\n} loc('
    assert stamped(f"{text}{location})\n") == f'{text}"in.mlir":2:1)\n'


@pytest.mark.parametrize(
    ("text", "scopes"),
    [
        ("module {\n my.x\n}", ["builtin.module"]),
        ("a.module @m {\n b.func @f() {\n  b.x\n }\n}", ["a.module", "b.func"]),
        ("a.shell {\n func.func @f() {\n  b.x\n }\n}", ["a.shell", "func.func"]),
        ("b.func @f() {\n b.call @g {\n  b.x\n }\n b.y\n}", ["b.func"]),
        ("func.func @f() {\n b.call @g {\n  b.x\n }\n}", ["func.func"]),
        ("module {\n %0 = b.x @f {\n  b.y\n }\n}", ["builtin.module"]),
        ("module {\n memref.global @g : memref<2xi32>\n b.decl @d\n}", ["builtin.module"]),
        (
            "func.func @f() {\n scf.execute_region {\n  module {\n  }\n }\n}",
            ["func.func", "scf.execute_region", "builtin.module"],
        ),
    ],
)
def test_what_is_or_holds_a_function_has_no_index(text: str, scopes: list[str]) -> None:
    ir = read_ir(Source("in.mlir", stamped(text).encode()))
    indices = OriginalIndices(ir)
    assert [ir.name(op) for op in range(len(ir)) if indices.index(op) is None] == scopes


def test_an_op_that_a_short_form_names_has_no_place_for_a_location() -> None:
    text = "linalg.map { math.absf } ins(%0 : tensor<1xf32>) outs(%1 : tensor<1xf32>)"
    source = f"%0 = my.a\n%1 = my.a\n{text}"
    assert stamped(source).splitlines()[2] == f'{text} loc("DEBUG|2|linalg.map"("in.mlir":3:1))'


def test_a_file_name_is_escaped_as_mlir_does() -> None:
    assert stamped("%0 = my.op", name='a "\u00e9"\\.mlir') == (
        '%0 = my.op loc("DEBUG|0|my.op"("a \\22\\C3\\A9\\22\\5C.mlir":1:6))'
    )


def test_each_dump_is_numbered_from_zero() -> None:
    assert stamped("my.op loc(unknown)\n// -----\nmy.op loc(unknown)\n") == (
        'my.op loc("DEBUG|0|my.op"(unknown))\n// -----\nmy.op loc("DEBUG|0|my.op"(unknown))\n'
    )


def test_malformed_input_is_an_error() -> None:
    with pytest.raises(InputError):
        stamped("my.op {")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("%0 = my.op", "a location is not the intended one"),
        (
            '%0 = my.op loc("DEBUG|1|my.op"("in.mlir":1:6))',
            "a location is not the intended one",
        ),
        ('%0 = my.ox loc("DEBUG|0|my.op"("in.mlir":1:6))', "more than the intended locations changed"),
        ('%0 = my.op  loc("DEBUG|0|my.op"("in.mlir":1:6))', "more than the intended locations changed"),
        ('%0:2 = my.op loc("DEBUG|0|my.op"("in.mlir":1:6))', "different operations or uses different values"),
        ('%0 = my.op loc("DEBUG|0|my.op"("in.mlir":1:6)', "cannot be read"),
    ],
)
def test_a_text_that_is_not_what_it_should_be_is_not_returned(text: str, message: str) -> None:
    with pytest.raises(VerificationError, match=message):
        read_with_location("%0 = my.op", b'"DEBUG|0|my.op"("in.mlir":1:6)', text)


def test_another_definition_than_the_added_one_is_not_returned() -> None:
    text = '%0 = my.op loc("DEBUG|0|my.op"("in.mlir":1:6))'
    with pytest.raises(VerificationError, match="more than the intended locations changed"):
        read_with_location(
            "%0 = my.op", b'"DEBUG|0|my.op"("in.mlir":1:6)', text + "\n#a = 1\n", b"\n#b = 1\n"
        )


@pytest.mark.parametrize("location", ['"DEBUG|0|func.func"("in.mlir":1:1)', '"in.mlir":1:2'])
def test_a_function_with_another_location_is_not_returned(location: str) -> None:
    text = "func.func @f() {\n}"
    assert stamped(text) == f'{text} loc("in.mlir":1:1)'
    with pytest.raises(VerificationError, match="a location is not the intended one"):
        read_with_location(text, b'"in.mlir":1:1', f"{text} loc({location})")


def test_a_location_that_carries_another_index_is_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels_module, "OriginalIndices", lambda _: SimpleNamespace(by_op=[7]))
    with pytest.raises(VerificationError, match="does not carry the intended op indices"):
        stamped("%0 = my.op")


@given(programs())
def test_every_op_is_indexed_and_in_order(text: str) -> None:
    result = check(read_text(stamped(text)))
    assert result.summary.indexed == result.summary.ops
    assert result.summary.inversions == 0


@given(programs())
def test_nothing_but_locations_changes(text: str) -> None:
    assert without_locations(stamped(text)) == without_locations(text)


def without_locations(text: str) -> str:
    return parse(text).operation.get_asm(enable_debug_info=False)


@pytest.mark.parametrize("local_scope", [True, False], ids=["inline", "alias"])
@pytest.mark.parametrize("debug_info", [True, False], ids=["locations", "bare"])
def test_mlir_accepts_every_form_and_sees_the_same_program(local_scope: bool, debug_info: bool) -> None:
    module = parse(HAND_WRITTEN.read_text()).operation
    text = module.get_asm(use_local_scope=local_scope, enable_debug_info=debug_info)
    assert without_locations(stamped(text)) == without_locations(text)


def test_the_child_is_the_place_that_mlir_itself_notes() -> None:
    text = HAND_WRITTEN.read_text()
    printed = parse(stamped(text, name="<stdin>"))
    assert [place_of(op) for op in ops_in(printed.operation)] == [
        str(op.location) for op in ops_in(parse(text).operation)
    ]


def ops_in(op: ir.Operation) -> list[ir.Operation]:
    """All ops that are printed, holders first."""
    inner = [o.operation for region in op.regions for block in region.blocks for o in block.operations]
    return [op, *(nested for o in inner if not is_implicit(o) for nested in ops_in(o))]


def is_implicit(op: ir.Operation) -> bool:
    """A terminator that custom assembly leaves out carries its holder's location."""
    return op.name in ("scf.yield", "affine.yield") and not len(op.operands)


def place_of(op: ir.Operation) -> str:
    """The child of an index location, or the location of a scope."""
    if op.name in ("builtin.module", "func.func"):
        return str(op.location)
    match = re.fullmatch(r'loc\("DEBUG\|\d+\|[^"]*"\((.*)\)\)', str(op.location))
    assert match, op.location
    return f"loc({match[1]})"
