"""The normal form: one text for every printing of one program."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import normal_form, read, read_text, shuffle
from tests.judge import parse, same_program
from tests.programs import loops, programs
from tests.test_diff_of_forms import PROGRAMS, printed

SAMPLES = sorted((Path(__file__).parent.parent.parent / "sample_irs").glob("*/*.mlir"))


def normal(text: str, *, ordered: bool = False, located: bool = False) -> str:
    (dump,) = read_text(text)
    return normal_form(dump, ordered=ordered, located=located).text.decode()


PROGRAM = """\
#map = affine_map<(d0) -> (d0)>
func.func @f(%m: memref<4xi32>, %i: index) {
    // one
    %a = arith.constant 1 : i32 loc("x")
  %b = "t.b"(%a) {map = #map} : (i32) -> i32
  "t.region"(%b) ({
  ^bb0(%k: i32):
    "t.use"(%k) : (i32) -> ()
  }) : (i32) -> ()
  return
}
"""


def test_a_program_in_normal_form() -> None:
    assert (
        normal(PROGRAM)
        == """\
func.func @f(%arg0: memref<4xi32>, %arg1: index) {
  %constant_31d4 = arith.constant 1 : i32
  %b_5d9f = "t.b"(%constant_31d4) {map = affine_map<(d0) -> (d0)>} : (i32) -> i32
  "t.region"(%b_5d9f) ({
  ^bb0(%arg2: i32):
    "t.use"(%arg2) : (i32) -> ()
  }) : (i32) -> ()
  return
}
"""
    )


def test_locations_are_kept_if_asked_for() -> None:
    assert normal('%0 = "t.a"() : () -> i32 loc("x")', located=True).endswith(' loc("x")\n')


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%a", "%other"),
        ("    // one\n", ""),
        (' loc("x")', ""),
        ("  ", "\t"),
        ("#map", "#map7"),
        ("^bb0", "^x"),
    ],
)
def test_printing_makes_no_difference(old: str, new: str) -> None:
    assert normal(PROGRAM.replace(old, new)) == normal(PROGRAM)


def test_a_change_renames_only_what_uses_it() -> None:
    lines = [f'  %{k} = "t.a{k}"(%{k - 1}) : (i32) -> i32\n' for k in range(1, 6)]
    text = '  %0 = "t.start"() : () -> i32\n' + "".join(lines)
    before, after = normal(text).splitlines(), normal(text.replace("t.a2", "t.new")).splitlines()
    assert [k for k in range(6) if before[k] != after[k]] == [2, 3, 4]


CONSTANTS = """\
func.func @f() -> (i32, i32) {
  %b = arith.constant 2 : i32
  %a = arith.constant 1 : i32
  return %a, %b : i32, i32
}
"""


def test_text_order_is_kept_unless_asked_for() -> None:
    assert re.findall("arith.constant (.)", normal(CONSTANTS)) == ["2", "1"]
    assert re.findall("arith.constant (.)", normal(CONSTANTS, ordered=True)) == ["1", "2"]


def test_ops_that_nothing_tells_apart_are_counted() -> None:
    (dump,) = read_text(CONSTANTS.replace("return %a, %b : i32, i32", "return").replace("2", "1"))
    assert normal_form(dump, ordered=True).undecided == (2, 3)


def test_ops_in_a_graph_region_stay() -> None:
    ops = ['%a = "t.a"(%b) : (i32) -> i32', '%b = "t.a"(%c) : (i32) -> i32', '%c = "t.c"() : () -> i32']
    for order in (ops, ops[::-1]):
        (dump,) = read_text("module {\n" + "\n".join(order) + "\n}\n")
        form = normal_form(dump, ordered=True)
        assert re.findall('"t.(.)"', form.text.decode()) == re.findall('"t.(.)"', " ".join(order))
        assert form.undecided == ()


def test_ops_that_are_alike_are_no_obstacle() -> None:
    """Which of the ops that are alike became which is known, not found out again."""
    (dump,) = read_text(ALIKE)
    assert normal_form(dump, ordered=True).undecided == (7, 10)


ALIKE = """\
func.func @f(%m: memref<i32>) {
  %6 = arith.constant 0 : i32
  %0 = arith.constant 0 : i32
  %2 = arith.muli %0, %0 : i32
  %1 = arith.constant 0 : i32
  %4 = arith.muli %0, %0 : i32
  %8 = arith.addi %6, %4 : i32
  memref.store %0, %m[] : memref<i32>
  %5 = "t.x"(%0) : (i32) -> i32
  %7 = arith.addi %1, %2 : i32
  return
}
"""


@given(programs() | loops(), st.integers(0, 9))
def test_another_order_makes_no_difference(text: str, seed: int) -> None:
    other = re.sub(r"%(\d)", r"%v\1", shuffle(read_text(text), seed=seed).decode())
    forms = [normal_form(read_text(program)[0], ordered=True) for program in (text, other)]
    assert forms[0].text == forms[1].text or all(form.undecided for form in forms)


@given(programs() | loops())
def test_the_normal_form_is_the_same_program(text: str) -> None:
    after = normal(text, ordered=True, located=True)
    assert same_program(text, after, but_for_locations=True)
    assert normal(after, ordered=True, located=True) == after


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path,
            id=f"{path.parent.name}-{path.stem}",
            marks=pytest.mark.slow if path.stem == "resnet" else [],
        )
        for path in SAMPLES
    ],
)
def test_samples_in_any_order_have_one_normal_form(path: Path) -> None:
    (dump,) = read(path)
    (other,) = read_text(shuffle([dump], seed=1))
    forms = [normal_form(one, ordered=True) for one in (dump, other)]
    assert forms[0] == forms[1]
    assert forms[0].undecided == ()


@pytest.mark.parametrize("generic", [True, False])
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_mlir_prints_what_has_one_normal_form(path: Path, generic: bool) -> None:
    module = parse(path.read_text())
    forms = {
        normal(printed(module, (generic, local), locations=located))
        for local in (True, False)
        for located in (True, False)
    }
    assert len(forms) == 1


def test_an_arrow_in_a_dialect_body_ends_no_name() -> None:
    text = 'func.func @f(%arg0: i32) {\n  "t.x"(%arg0) {k = #my.g<%a->%a>} : (i32) -> ()\n  return\n}\n'
    assert normal_form(read_text(text)[0]).text.decode() == text


ODD_VALUES = [
    "$x",
    "_",
    "a.b",
    "a-b",
    "0",
    "01",
    "arg0",
    "arg1",
    "a.2",
    "a.r1",
    "a_0000",
    "-",
    ".",
    "x$1",
    "A",
]
ODD_SYMBOLS = [
    "f",
    '"f"',
    '"f g"',
    '"%0"',
    '"^bb0"',
    '"// x"',
    '"#l"',
    "_",
    "$a",
    "a.b",
    "a-b",
    '"a-b"',
    '"\\00"',
    '"{"',
    '"é"',
    '""',
]
ODD_OPS = ["t.a", "t.a-b", "t.0", "t._", "t.$", "x", "t.ü", "t.a b", "t.", ".a", "a..b", "T.A", "t.2"]


@given(
    st.permutations(ODD_VALUES),
    st.lists(st.sampled_from(ODD_SYMBOLS), min_size=2, max_size=2, unique_by=lambda name: name.strip('"')),
    st.lists(st.sampled_from(ODD_OPS), min_size=4, max_size=4),
    st.sampled_from(["", "^bb0:", "^$x:", "^a-b:", "^7:"]),
    st.booleans(),
)
def test_the_normal_form_of_a_normal_form_is_itself(
    values: list[str], symbols: list[str], ops: list[str], label: str, ordered: bool
) -> None:
    a, b, c, d, e, f, *_ = (f"%{value}" for value in values)
    text = f"""
func.func private @{symbols[0]}()
func.func @{symbols[1]}({a}: i32) {{
  {b} = "{ops[0]}"({a}) {{s = @{symbols[0]}, k = "{a}"}} : (i32) -> i32
  {c}, {d}:2 = "{ops[1]}"({b}) : (i32) -> (i32, i32, i32)
  {e} = "{ops[2]}"({c}, {d}#1) ({{
  {label}
    {f} = "{ops[3]}"({d}#0) : (i32) -> i32
    "t.end"({f}) : (i32) -> ()
  }}) : (i32, i32) -> i32
  return
}}
"""
    once = normal(text, ordered=ordered)
    assert normal(once, ordered=ordered) == once


def test_a_name_has_only_letters_that_mlir_reads() -> None:
    assert "%__" in normal('func.func @f() {\n  %0 = "t.ü"() : () -> i32\n  return\n}\n')


def test_a_name_does_not_begin_with_a_digit() -> None:
    assert "%_2d_" in normal('func.func @f() {\n  %0 = "t.2d"() : () -> i32\n  return\n}\n')
