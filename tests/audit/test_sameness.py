"""In what sense two dumps are the same program."""

import re
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import AuditOptions, InputError, diff, read_text, shuffle
from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.audit.diff.sameness import sameness as sameness_of
from tests.internals import Interned, read_dump
from tests.judge import parse, same_program
from tests.programs import loops, programs

PROGRAM = """\
func.func @f(%m: memref<4xi32>, %i: index) {
  %a = arith.constant 1 : i32 loc("x")
  %b = arith.constant 2 : i32
  memref.store %a, %m[%i] : memref<4xi32>
  %c = memref.load %m[%i] : memref<4xi32>
  memref.store %b, %m[%i] : memref<4xi32>
  "t.use"(%c, %b) : (i32, i32) -> ()
  return
}
"""


def sameness(before: str, after: str) -> str:
    return diff(read_text(before)[0], read_text(after)[0]).sameness.sameness


def swapped(one: str, other: str) -> str:
    """The program with the lines that begin with these words in each other's place."""
    lines = PROGRAM.splitlines(keepends=True)
    k, n = (next(k for k, line in enumerate(lines) if line.startswith(f"  {word}")) for word in (one, other))
    lines[k], lines[n] = lines[n], lines[k]
    return "".join(lines)


def test_the_same_bytes_are_identical() -> None:
    assert sameness(PROGRAM, PROGRAM) == "bytes"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%a", "%q"),
        (' loc("x")', ""),
        (' loc("x")', ' loc("y")'),
        ("  ", "      "),
        ("return\n", "return // done\n"),
    ],
)
def test_names_locations_and_layout_are_no_difference(old: str, new: str) -> None:
    assert sameness(PROGRAM, PROGRAM.replace(old, new) + "\n") == "names"


@pytest.mark.parametrize(
    ("one", "other"), [("1.0", "1.000000e+00"), ("0.5", "5.0e-1"), ("1.0e10", "10000000000.0")]
)
def test_a_number_is_the_same_however_it_is_written(one: str, other: str) -> None:
    text = "%0 = arith.constant {} : f32\n"
    assert sameness(text.format(one), text.format(other)) == "names"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.0", "1.5"),
        ("1.0", "1.0e1"),
        ("-1.0", "1.0"),
        ("1.0", "1.0000000000000000000000000000000001"),
        ("1.0", "1.0e1000000"),
        ("0.0", "1.0e-3000000"),
        ("1.0", "1.0e99999999999999999999"),
    ],
)
def test_other_numbers_are_a_difference(one: str, other: str) -> None:
    text = "%0 = arith.constant {} : f32\n"
    assert sameness(text.format(one), text.format(other)) == "none"


def test_an_alias_is_what_it_is_defined_as() -> None:
    after = '#l = loc("x")\n' + PROGRAM.replace('loc("x")', "loc(#l)")
    assert sameness(PROGRAM, after) == "names"


def test_ops_without_a_dependence_may_change_places() -> None:
    assert sameness(PROGRAM, swapped("%a", "%b")) == "order"


@pytest.mark.parametrize(
    "division",
    [
        "%r = linalg.div ins(%a, %a : tensor<4xi32>, tensor<4xi32>) outs(%o : tensor<4xi32>) -> tensor<4xi32>",
        "%r = linalg.map { arith.divsi } ins(%a, %a : tensor<4xi32>, tensor<4xi32>) outs(%o : tensor<4xi32>)",
        "%r = stablehlo.divide %a, %a : tensor<4xi32>",
    ],
)
def test_a_division_on_tensors_may_not_pass_an_assertion(division: str) -> None:
    assertion = 'cf.assert %c, "zero"'
    text = """
func.func @f(%c: i1, %a: tensor<4xi32>, %o: tensor<4xi32>) -> tensor<4xi32> {{
  {}
  {}
  return %r : tensor<4xi32>
}}
"""
    assert sameness(text.format(assertion, division), text.format(division, assertion)) == "none"


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("memref.store %a", "memref.store %b", "<text>:5: %c is now before <text>:4: memref.store"),
        ("%c", "memref.store %b", "<text>:6: memref.store is now before <text>:5: %c"),
    ],
)
def test_a_dependence_by_effect_may_not_turn_round(one: str, other: str, reason: str) -> None:
    verdict = diff(read_text(PROGRAM)[0], read_text(swapped(one, other))[0]).sameness
    assert (verdict.sameness, verdict.reason) == ("none", f"{reason}, which it depends on")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("constant 2 ", "constant 3 "),
        ("(%c, %b)", "(%b, %c)"),
        ("(%c, %b)", "(%c, %a)"),
        ("index)", "index, %j: index)"),
        ("%m: memref<4xi32>, %i", "%m: memref<4xi32> {a}, %i"),
        ("  return\n", '  "t.more"() : () -> ()\n  return\n'),
        ('  "t.use"(%c, %b) : (i32, i32) -> ()\n', ""),
        ("@f", "@g"),
        ("store %a, %m[%i]", "store %a, %m[%i] {a}"),
    ],
)
def test_a_change_of_the_program_is_a_difference(old: str, new: str) -> None:
    assert sameness(PROGRAM, PROGRAM.replace(old, new)) == "none"


def test_what_follows_a_carriage_return_in_a_comment_counts() -> None:
    one = PROGRAM.replace("  return\n", "  // c\r memref.store %a, %m[%i] : memref<4xi32>\n  return\n")
    assert sameness(one, one.replace("// c\r memref.store %a", "// c\r memref.store %b")) == "none"


BRANCHES = """\
func.func @f(%c: i1, %x: i32) {
  "t.branch"(%c)[^one, ^two] : (i1) -> ()
^one:
  "t.a"(%x) : (i32) -> ()
  "t.end"() : () -> ()
^two:
  "t.b"(%x) : (i32) -> ()
  "t.end"() : () -> ()
}
"""


def test_labels_are_names() -> None:
    assert sameness(BRANCHES, BRANCHES.replace("^one", "^bb1")) == "names"


def test_other_successors_are_a_difference() -> None:
    assert sameness(BRANCHES, BRANCHES.replace("[^one, ^two]", "[^two, ^one]")) == "none"


def test_the_second_successor_counts_as_the_first() -> None:
    assert sameness(BRANCHES, BRANCHES.replace("^two]", "^one]")) == "none"


def test_functions_with_the_same_labels_may_change_places() -> None:
    other = BRANCHES.replace("@f", "@g")
    assert sameness(BRANCHES + other, other + BRANCHES) == "order"


def test_blocks_in_another_order_are_a_difference() -> None:
    head, one, two = re.split(r"(?=^\^)", BRANCHES.removesuffix("}\n"), flags=re.MULTILINE)
    assert sameness(BRANCHES, head + two + one + "}\n") == "none"


def test_functions_may_change_places() -> None:
    one, two = "func.func private @f()\n", "func.func private @g()\n"
    assert sameness(one + two, two + one) == "order"


def test_a_use_that_comes_to_precede_its_definition_in_a_graph_region_is_a_difference() -> None:
    one, two = '%0 = "t.a"() : () -> i32\n', '"t.b"(%0) : (i32) -> ()\n'
    assert sameness(f"module {{\n{one}{two}}}\n", f"module {{\n{two}{one}}}\n") == "none"


def test_the_metadata_of_a_file_counts() -> None:
    resources = '{-# dialect_resources: {builtin: {a: "0x0100"}} #-}\n'
    assert sameness(PROGRAM + resources, PROGRAM + resources.replace("01", "02")) == "none"


def side(text: str, options: AuditOptions | None = None) -> ComparedDump:
    return ComparedDump(read_dump(read_text(text)[0], options or AuditOptions()), Interned())


def why_not(before: str, after: str, *, became: list[int] | None = None) -> str:
    """What differs, where op k is claimed to have become ``became[k]``; without that, op k."""
    old, new = side(before), side(after)
    return sameness_of(old, new, dict(enumerate(became or range(len(old))))).reason


NESTED = """\
"t.r"() ({{
^x(%0: i1):
  "t.s"() ({{
  ^y(%1: i1):
    "t.a"({}) : (i1) -> ()
  }}) : () -> ()
}}) : () -> ()
"""
A, B = '"t.a"() : () -> ()\n', '"t.b"() : () -> ()\n'


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (
            '%0:2 = "t.a"() : () -> (i1, i1)\n"t.b"(%0#0) : (i1) -> ()\n',
            '%0:2 = "t.a"() : () -> (i1, i1)\n"t.b"(%0#1) : (i1) -> ()\n',
            "<text>:2: t.b has other operands",
        ),
        ("%0:2 = t.a\n", "%0 = t.a\n", "<text>:1: %0 has another number of results"),
        (
            "%0 = arith.constant 1 : i32\n",
            '%0 = "arith.constant"() {value = 1 : i32} : () -> i32\n',
            "<text>:1: %0 is printed in another form, which does not show the same",
        ),
        (f'"t.r"() ({{\n^x:\n{A}^y:\n{B}}}) : () -> ()\n', f'"t.r"() ({{\n^x:\n{A}}}, {{\n^y:\n{B}}}) : () -> ()\n',
         "^y is in another region"),
        (f'"t.r"() ({{\n^x(%0: i1):\n{A}}}) : () -> ()\n', f'"t.r"() ({{\n^x(%0: i2):\n{A}}}) : () -> ()\n',
         "^x has other arguments"),
        ('"t.r"() ({}) : () -> ()\n', '"t.r"() ({\n^x:\n}) : () -> ()\n', "the number of blocks differs"),
        (NESTED.format("%1"), NESTED.format("%0"), "<text>:5: t.a has other operands"),
    ],
)  # fmt: skip
def test_the_first_thing_that_differs_is_the_reason(before: str, after: str, reason: str) -> None:
    assert why_not(before, after) == reason


@pytest.mark.parametrize(
    ("before", "after", "became", "reason"),
    [
        (A + A, A, [0, 0], "two ops became one"),
        (A, A + A, [0], "<text>:2: t.a has no counterpart"),
        (
            f'"t.r"() ({{\n{A}}}) : () -> ()\n"t.r"() ({{\n{B}}}) : () -> ()\n',
            f'"t.r"() ({{\n{B}}}) : () -> ()\n"t.r"() ({{\n{A}}}) : () -> ()\n',
            [0, 3, 2, 1],
            "<text>:2: t.a is in another block",
        ),
        (
            f'"t.r"() ({{\n{A}}}, {{\n{B}}}) : () -> ()\n',
            f'"t.r"() ({{\n{B}}}, {{\n{A}}}) : () -> ()\n',
            [0, 2, 1],
            "<text>:2: t.a is in another block",
        ),
    ],
)
def test_a_wrong_claim_of_what_ops_became_is_refuted(
    before: str, after: str, became: list[int], reason: str
) -> None:
    assert why_not(before, after, became=became) == reason


def test_the_effects_of_the_new_order_hold_back_the_same_ops() -> None:
    old, new = side(PROGRAM), side(swapped("%a", "%b"), AuditOptions(assume_pure=("memref.store",)))
    verdict = sameness_of(old, new, {**{op: op for op in range(len(old))}, 1: 2, 2: 1})
    assert verdict.reason == "the ops of ^bb0 hold each other back in another way"


def test_equal_ops_whose_order_may_have_a_meaning_are_matched_in_order() -> None:
    one, two, call = (
        "%0 = arith.constant 1 : i32\n",
        "%1 = arith.constant 2 : i32\n",
        "func.call @g() : () -> ()\n",
    )
    before = "func.func @f() {\n" + one + call + call + two + call + "return\n}\n"
    after = "func.func @f() {\n" + two + call + one + call + call + "return\n}\n"
    assert sameness(before, after) == "order"


def renamed(text: str) -> str:
    return re.sub(r"%(\d)", r"%v\1", text)


def shuffled(text: str, seed: int) -> str:
    return shuffle(read_text(text), seed=seed).decode()


def test_loops_of_equal_ops_change_places() -> None:
    load = "    %{0} = memref.load %m[%i] : memref<4xi32>\n"
    loop = "  scf.for %{0} = %i to %i step %i {{\n{1}  }}\n"
    two = loop.format("j", load.format("a") + load.format("b"))
    one = loop.format("k", load.format("c"))
    program = "func.func @f(%m: memref<4xi32>, %i: index) {{\n{}  return\n}}\n"
    assert sameness(program.format(two + one), program.format(one + two)) == "order"


@given(programs() | loops(), st.integers(0, 9))
def test_a_shuffled_program_is_the_same_in_another_order(text: str, seed: int) -> None:
    after = shuffled(text, seed)
    expected = "bytes" if after == text else "order"
    assert sameness(text, after) in (expected, "names")  # equal ops may have changed places
    assert same_program(text, after)
    assert sameness(text, renamed(after)) != "none"


@given(programs() | loops())
def test_a_renamed_program_is_the_same_text_up_to_names(text: str) -> None:
    assert sameness(text, re.sub(r"%([a-z0-9]+)", r"%v_\1", text)) == ("names" if "%" in text else "bytes")


@given(programs())
def test_two_prints_in_generic_form_are_the_same_text_up_to_names(text: str) -> None:
    once = printed(text)
    again = printed(renamed(once))
    assert again == once
    assert sameness(renamed(once), again) in ("names", "bytes")


def printed(text: str) -> str:
    return str(parse(text).operation.get_asm(print_generic_op_form=True, enable_debug_info=True))


@given(loops(), st.integers(0, 99))
def test_conflicting_neighbours_that_are_exchanged_are_a_difference(text: str, seed: int) -> None:
    lines = text.splitlines(keepends=True)
    pairs = [
        k
        for k, (one, other) in enumerate(pairwise(lines))
        if "memref." in one and "memref." in other and "store" in one + other and one.split() != other.split()
    ]
    if not pairs:
        return
    k = Random(seed).choice(pairs)
    lines[k], lines[k + 1] = lines[k + 1], lines[k]
    after = "".join(lines)
    if not same_program(text, after):  # or the two buffers' accesses are among others like them
        assert sameness(text, after) == "none"


@given(programs(), st.integers(0, 99))
def test_a_use_of_another_value_is_a_difference(text: str, seed: int) -> None:
    uses = [match for match in re.finditer(r"\(%(\d+)", text) if int(match[1]) > 0]
    if not uses:
        return
    use = Random(seed).choice(uses)
    after = text[: use.start(1)] + str(int(use[1]) - 1) + text[use.end(1) :]
    if not same_program(text, after):
        assert sameness(text, after) == "none"


@given(programs() | loops(), st.integers(0, 99))
def test_what_is_called_the_same_is_so_by_mlir(text: str, seed: int) -> None:
    """Any lines change places; MLIR judges what is called the same program."""
    lines = text.splitlines(keepends=True)
    inner = [
        k for k, line in enumerate(lines) if line.startswith("  ") and "{" not in line and "}" not in line
    ]
    random = Random(seed)
    if len(inner) < 2:
        return
    k, n = random.sample(inner, 2)
    lines[k], lines[n] = lines[n], lines[k]
    try:
        found = sameness(text, "".join(lines))
    except InputError:
        return
    if found != "none":
        assert same_program(text, "".join(lines))


UNLISTED = 'func.func @k(%a: i1, %b: i1) {\n  %0 = q.x "A" %a : i1\n  %1 = q.x "B" %b : i1\n  return\n}\n'


def unknown_ops(first: str, second: str) -> tuple[str, ...]:
    """The ops of unknown effect without which two ops in the other order are the same program."""
    texts = [
        f"func.func @k(%a: i1, %m: memref<i1>) {{\n  {a}\n  {b}\n  return\n}}\n"
        for a, b in ((first, second), (second, first))
    ]
    return diff(*(read_text(text)[0] for text in texts)).sameness.unknown_ops


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("q.x %a : i1", "q.y %a : i1", ("q.x", "q.y")),
        ("scf.if %a {\n    q.x %a : i1\n  }", "q.y %a : i1", ("q.x", "q.y")),
        ("q.x %a : i1", "memref.store %a, %m[] : memref<i1>", ("q.x",)),
        ("%0 = memref.load %m[] : memref<i1>", "memref.store %a, %m[] : memref<i1>", ()),
    ],
)
def test_ops_of_unknown_effect_in_another_order_are_named(
    first: str, second: str, names: tuple[str, ...]
) -> None:
    assert unknown_ops(first, second) == names


def test_what_is_assumed_pure_makes_the_program_the_same() -> None:
    texts = UNLISTED, UNLISTED.replace('"A" %a', '"C"').replace('"B" %b', '"A" %a').replace('"C"', '"B" %b')
    before, after = (read_text(text)[0] for text in texts)
    assert diff(before, after).sameness.unknown_ops == ("q.x",)
    assert diff(before, after, AuditOptions(assume_pure="q.*")).sameness.sameness == "order"
