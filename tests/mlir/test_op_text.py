"""An op's text as two dumps compare it."""

import pytest

from eio_audit.mlir.reading.op_text import OpTexts
from tests.reading import ir_of


def texts_of(line: str, aliases: str = "") -> OpTexts:
    """The texts where the second op is in a function with arguments %a and %b."""
    return OpTexts(ir_of(f"{aliases}func.func @f(%a: i32, %b: i32) {{\n  {line}\n  return\n}}\n"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            '%0:2 = "t.x"(%a, %b) : (i32, i32) -> (i32, i32) loc("x")',
            '"t.x"(%, %) : (i32, i32) -> (i32, i32)',
        ),
        ('%0 = "t.x"(%a)   {s = "%a  // b"} : (i32) -> i32', '"t.x"(%) {s = "%a  // b"} : (i32) -> i32'),
        ("arith.addi %a, %b : i32  // users: %1", "arith.addi %, % : i32"),
        ('"t.x"() {l = loc("y")} : () -> () loc("x")', '"t.x"() {l = loc("y")} : () -> ()'),
        ("func.func private @g(i32) -> (tensor<4xi32>)", "func.func private @g(i32) -> tensor<4xi32>"),
    ],
)
def test_names_locations_and_layout_are_left_out(line: str, expected: str) -> None:
    assert texts_of(line).of(1).text.decode() == expected


@pytest.mark.parametrize(
    "argument",
    [
        '%x: tensor<4xi32> loc("a")',
        "%x: tensor<4xi32> loc(#l)",
        '%x: tensor<4xi32>  loc("a":1:2)',
        '%x : tensor<4xi32> loc(callsite("a" at "b"))',
    ],
)
def test_the_location_of_an_argument_is_left_out(argument: str) -> None:
    read = ir_of(f'#l = loc("y")\nfunc.func @f({argument}) {{\n  return\n}}\n')
    assert OpTexts(read).of(0).text.replace(b" :", b":") == b"func.func @f(%: tensor<4xi32>) {}"


def test_the_location_after_the_attributes_of_an_argument_is_left_out() -> None:
    read = ir_of('func.func @f(%x: i32 {t.k = #t.kind<in>} loc("a"), %y: i32 loc("b")) {\n  return\n}\n')
    assert OpTexts(read).of(0).text == b"func.func @f(%: i32 {t.k = #t.kind<in>}, %: i32) {}"


def test_equal_headers_of_two_dumps_share_their_text_if_aliases_mean_the_same() -> None:
    known: dict[object, object] = {}
    header = "func.func @f(%x: i32 {t.k = #a, t.l = #t.of<in>}, %y: i32) {\n  return\n}\n"
    one, same, other = (
        OpTexts(ir_of(f"#a = {value}\n{header}"), known).of_all()[0] for value in ("1", "1", "2")
    )
    assert one is same
    assert other.text != one.text


@pytest.mark.parametrize(
    ("aliases", "expected"),
    [
        ("#m = affine_map<(d0) -> (d0)>\n", "affine_map<(d0) -> (d0)>"),
        ('#m = loc("y")\n', 'loc("y")'),
        ("#m = [#n, #n]\n#n = 1 : i64\n", "[1 : i64, 1 : i64]"),
        ("#m = [#n]\n#n = [#m]\n", "[[#m]]"),
        ("", "#m"),
    ],
)
def test_aliases_are_what_they_stand_for(aliases: str, expected: str) -> None:
    assert texts_of('"t.x"() {k = #m} : () -> ()', aliases).of(1).attributes == {"k": expected}


def test_attributes_and_type_of_generic_assembly() -> None:
    text = texts_of(
        '%0 = "t.x"(%a) <{b = [1, {c = 2}], a}> ({\n  }) {"d e" = "}, f"} : (i32) -> !t.y<i32, (i8) -> i1>'
    ).of(1)
    assert text.attributes == {"a": "", "b": "[1, {c = 2}]", "d e": '"}, f"'}
    assert text.types == ("i32", "!t.y<i32, (i8) -> i1>")


def test_types_of_custom_assembly() -> None:
    text = texts_of("%0 = t.x %a i7 : tensor<4x!q.z<i8>>, memref<?xf32, strided<[1]>> to !llvm.ptr").of(1)
    assert text.types == ("i7", "tensor<4x!q.z<i8>>", "memref<?xf32, strided<[1]>>", "!llvm.ptr")


def test_the_texts_of_all_ops_are_those_of_each() -> None:
    """Ops that differ only in value names share one text, in this dump and in the next."""
    known: dict[object, object] = {}
    for aliases in ("#map = affine_map<(d0) -> (d0)>\n", "#map = affine_map<(d0) -> (0)>\n"):
        read = ir_of(
            f'{aliases}func.func @f(%a: i32) {{\n  %0 = "t.x"(%a) {{m = #map, s = "%a"}} : (i32) -> i32\n'
            '  %1 = "t.x"(%0) {m = #map, s = "%a"} : (i32) -> i32\n  %2 = "t.y"(%a, %1) : (i32, i32) -> i32\n'
            '  %3:2 = "t.y"(%1, %2) : (i32, i32) -> (i32, i32)\n  %4 = "t.y"(%3#0, %2) : (i32, i32) -> i32\n'
            "  cf.br ^bb1\n^bb1:\n  return\n}\n"
        )
        texts = OpTexts(read, known).of_all()
        assert texts == [OpTexts(read).of(op) for op in range(len(read))]
        assert texts[3] is texts[5]


@pytest.mark.parametrize(
    ("one", "other", "are_equal"),
    [
        ("!t.r<c>{%a}", "!t.r<c>{%b}", True),
        ("!t.r<t.s<c>>{%a}", "!t.r<t.s<c>>{%b}", True),
        ("#t.m<%a>", "#t.m<%b>", False),
        ("#t.m<d -> %a>", "#t.m<d -> %b>", False),
        ("#t.m<(d) -> %a>", "#t.m<(d) -> %b>", False),
        ('#t.m<">", %a>', '#t.m<">", %b>', False),
        ("#t.m<[a], %a>", "#t.m<[a], %b>", False),
    ],
)
def test_a_value_name_counts_only_inside_a_dialect_attribute(one: str, other: str, are_equal: bool) -> None:
    read = ir_of(f"func.func @f(%a: i32, %b: i32) {{\n  t.x {one}\n  t.x {other}\n  return\n}}\n")
    texts = OpTexts(read).of_all()
    assert texts == [OpTexts(read).of(op) for op in range(len(read))]
    assert (texts[1] == texts[2]) is are_equal


def test_blanks_and_aliases_in_a_dialect_attribute_are_as_in_any_other() -> None:
    text = texts_of("t.x #arith.m< c >, #arith.m<#v>, #arith.m<c>", "#v = 1 : i64\n").of(1)
    assert text.text == b"t.x #arith.m< c >, #arith.m<1 : i64>, #arith.m<c>"
