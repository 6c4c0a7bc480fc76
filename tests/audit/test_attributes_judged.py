"""Attributes and types that the verdict calls the same are the same to MLIR."""

import re

from hypothesis import assume, given
from hypothesis import strategies as st
from iree.compiler import ir

from eio_audit import InputError, diff, normal_form, read_text
from tests.judge import parse

NUMBERS = ("1.0", "1.00", "1.10", "-1.0", "7", "0x7", '"1.0"', '"1.00"')
NAMES = ("%a", "%b", "%q", "^a", "@s", '@"s"', "#k", "#m", "!t", '"%a"', 'loc("x")', 'loc("y")')
SIGNS = ("->", "(", ")", "[", "]", ",", "//c\n")
WORDS = st.sampled_from((*NUMBERS, *NAMES, *SIGNS, "a", "a-b", '"a  b"', '"a b"', "i32"))
BLANKS = st.sampled_from(["", " ", "  ", "\n"])
BODIES = st.lists(st.tuples(WORDS, BLANKS), max_size=5).map(lambda parts: "".join(map("".join, parts)))
ATTRIBUTES = (
    BODIES.map(lambda body: f"#my.g<{body}>")
    | BODIES.map(lambda body: f"!my.t<{body}>")
    | st.sampled_from(
        ["1.0 : f32", "1.00 : f32", "-1.0 : f32", "1.0 : f64", "0x7 : i32", "7 : i32", '"a"', '"a "']
    )
    | st.sampled_from(
        ["#k", "#m", "#n", "!t", "@s", '@"s"', 'loc("x")', 'loc("y")', "loc(#l)", "[#k, #l]", "[]"]
    )
    | st.sampled_from(
        ["dense<1.0> : tensor<2xf32>", "dense<1.00> : tensor<2xf32>", "[1.0 : f32 // c\n]", "unit"]
    )
)
TABLES = st.tuples(
    *(st.sampled_from(ways) for ways in (["1.0 : f32", "1.00 : f32", "7 : i32"], ["i32", "f32"]))
)


def program(table: tuple[str, str], attributes: list[str]) -> str:
    number, kind = table
    entries = ", ".join(f"k{k} = {text}" for k, text in enumerate(attributes))
    return (
        f'#k = {number}\n#m = "m"\n#n = [#k, #m]\n!t = {kind}\n#l = loc("x")\n'
        f'func.func @f(%a: i32, %b: i32) {{\n  "t.x"(%a) {{{entries}}} : (i32) -> ()\n  return\n}}\n'
    )


def printed(text: str) -> str | None:
    """The program as MLIR prints it, without what may differ. None if it is none."""
    try:
        return parse(text).operation.get_asm(print_generic_op_form=True, enable_debug_info=False)
    except ir.MLIRError:
        return None


def variants(attribute: str) -> st.SearchStrategy[str]:
    """An attribute with another spelling of a number, a blank, a name, a comment, or another attribute."""
    changes = [
        (r"1\.00", "1.0"),
        (r"1\.0\b", "1.00"),
        (" ", "  "),
        (r"\n", " "),
        ("%a", "%b"),
        ("//c", "//d"),
        ('"x"', '"y"'),
    ]
    others = {re.sub(old, new, attribute, count=1) for old, new in changes}
    return st.sampled_from(sorted({attribute, *others})) | ATTRIBUTES


@given(st.data())
def test_attributes_that_are_called_the_same_are_so_by_mlir(data: st.DataObject) -> None:
    attributes = data.draw(st.lists(ATTRIBUTES, min_size=1, max_size=3))
    others = [data.draw(variants(attribute)) for attribute in attributes]
    one, other = program(data.draw(TABLES), attributes), program(data.draw(TABLES), others)
    expected, found = printed(one), printed(other)
    assume(expected is not None and found is not None)
    try:
        sides = [read_text(text)[0] for text in (one, other)]
        verdict = diff(*sides).sameness.sameness
        forms = [normal_form(side).text for side in sides]
    except InputError:  # a comment in an attribute's text
        assume(False)
    if verdict != "none" or forms[0] == forms[1]:
        assert expected == found
