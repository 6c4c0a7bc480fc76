"""Wrong op indices are put right: what is written, that nothing else changes, and that the order is whole then."""

import re

import pytest
from hypothesis import given

from eio_audit import AuditOptions, IndexPattern, OriginalOrder, VerificationError, check, fix, read_text
from eio_audit.audit.fix.labels import new_locations, relabelled
from eio_audit.audit.fix.verification import read_relocated
from eio_audit.mlir.rewriting import with_locations
from tests.audit.test_check import ISSUE
from tests.internals import audit_dump
from tests.programs import programs


def right(text: str, form: str = "nested") -> str:
    return fix(read_text(text), relabel=form).text.decode()


def chain(first: str, second: str, tail: str = "") -> str:
    """Two ops, the second using the first, with these locations."""
    return (
        "func.func @f(%a: i32) {\n"
        f'  %0 = "ttir.permute"(%a) : (i32) -> i32 {first}\n'
        f'  %1 = "ttir.add"(%0) : (i32) -> i32 {second}\n'
        f"  return\n}}\n{tail}"
    )


def test_the_mission_example() -> None:
    assert right(ISSUE) == ISSUE.replace(
        'loc("DEBUG|23|ResNet[resnet]|m.py:1|forward|2|permute")',
        'loc("DEBUG|18|ResNet[resnet]|m.py:1|forward|2|permute"("DEBUG|23|ResNet[resnet]|m.py:1|forward|2|permute"))',
    )


def test_without_the_old_location() -> None:
    assert right(ISSUE, "flat") == ISSUE.replace("DEBUG|23", "DEBUG|18")


def test_the_label_is_another_ops_and_the_last_field_its_own() -> None:
    text = chain(
        'loc("23|Net[n]|Conv[n.c]|m.py:9|forward|15|permute_tm0"("23|Net[n]|Conv[n.c]|m.py:9|forward|15|permute"))',
        'loc("18|Net[n]|Norm[n.b]|m.py:7|norm|12|add")',
    )
    assert right(text, "flat") == text.replace(
        'loc("23|Net[n]|Conv[n.c]|m.py:9|forward|15|permute_tm0"("23|Net[n]|Conv[n.c]|m.py:9|forward|15|permute"))',
        'loc("18|Net[n]|Norm[n.b]|m.py:7|norm|12|permute_tm0")',
    )


def test_an_alias_that_is_defined_below_gets_a_name_of_its_own_below_it() -> None:
    text = chain("loc(#loc1)", "loc(#loc2)", '#loc1 = loc("3|p")\n#loc2 = loc("2|a")\n')
    assert (
        right(text)
        == text.replace("i32 loc(#loc1)", "i32 loc(#relabel0)") + '#relabel0 = loc("2|p"(#loc1))\n'
    )


def test_an_alias_that_is_defined_above_is_named_in_place() -> None:
    aliases = '#loc1 = loc("3|p")\n#loc2 = loc("2|a")\n'
    text = aliases + chain("loc(#loc1)", "loc(#loc2)")
    assert right(text) == text.replace("i32 loc(#loc1)", 'i32 loc("2|p"(#loc1))')


def test_a_new_alias_ends_as_the_other_lines_do() -> None:
    text = chain("loc(#loc1)", "loc(#loc2)", '#loc1 = loc("3|p")\n#loc2 = loc("2|a")').replace("\n", "\r\n")
    expected = text.replace("i32 loc(#loc1)", "i32 loc(#relabel0)") + '\r\n#relabel0 = loc("2|p"(#loc1))\r\n'
    assert right(text) == expected


def test_new_aliases_have_names_that_are_not_taken() -> None:
    text = chain("loc(#relabel0)", "loc(#loc2)", '#relabel0 = loc("3|p")\n#loc2 = loc("2|a")\n')
    assert "loc(#relabel_0)" in right(text)
    assert right(text).endswith('#relabel_0 = loc("2|p"(#relabel0))\n')


def test_a_location_of_any_kind_becomes_the_child() -> None:
    text = chain('loc(fused["9|p", "m.py":3:4])', 'loc(callsite("7|callee" at "2|caller"))')
    assert right(text) == text.replace(
        'loc(fused["9|p", "m.py":3:4])', 'loc("2|p"(fused["9|p", "m.py":3:4]))'
    )


def test_a_name_with_escapes_and_no_fields() -> None:
    text = chain(r'loc("9|p\22q")', r'loc("2|a\C3\A4")')
    assert right(text) == text.replace(r'loc("9|p\22q")', r'loc("2|p\22q"("9|p\22q"))')


def test_an_index_in_the_last_field_takes_the_whole_label() -> None:
    options = AuditOptions(pattern=IndexPattern(r"(?P<index>\d+)$"))
    text = chain('loc("p|at 9")', 'loc("a|at 2")')
    after = fix(read_text(text), options, relabel="flat").text.decode()
    assert after == text.replace("p|at 9", "a|at 2")


def test_then_the_order_is_restored() -> None:
    text = """func.func @f(%a: i32) {
  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("4|a")
  %1 = "ttir.permute"(%a) : (i32) -> i32 loc("9|p")
  %2 = "ttir.add"(%1) : (i32) -> i32 loc("2|b")
  %3 = "ttir.exp"(%a) : (i32) -> i32 loc("1|c")
  return
}
"""
    assert (
        right(text)
        == """func.func @f(%a: i32) {
  %3 = "ttir.exp"(%a) : (i32) -> i32 loc("1|c")
  %1 = "ttir.permute"(%a) : (i32) -> i32 loc("2|p"("9|p"))
  %2 = "ttir.add"(%1) : (i32) -> i32 loc("2|b")
  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("4|a")
  return
}
"""
    )


def test_figures_of_a_fix() -> None:
    result = fix(read_text(ISSUE), relabel="nested")
    assert (result.changed, result.relabelled, result.moved) == (True, 1, 0)
    assert (result.before.inversions, result.ordered_from.inversions) == (1, 0)


@pytest.mark.parametrize(
    ("first", "second", "made_by_passes"),
    [
        ('loc("9|p_tm0"("9|p"))', 'loc("2|a")', 1),  # derived
        ('loc("9|p")', 'loc("2|a")', 0),
    ],
)
def test_figures_of_an_audit(first: str, second: str, made_by_passes: int) -> None:
    [block] = check(read_text(chain(first, second))).dumps[0].blocks
    [wrong] = block.mislabelled
    assert (wrong.op.index, wrong.right.index, wrong.right.name, wrong.inversions) == (9, 2, "ttir.add", 1)
    assert (block.wrong_indices, block.wrong_by_passes, block.wrong_certified) == (1, made_by_passes, True)


def test_a_layout_op_is_wrong_rather_than_one_that_computes() -> None:
    text = (
        chain('loc("9|p")', 'loc("2|a")')
        .replace("ttir.permute", "ttir.exp")
        .replace("ttir.add", "ttir.reshape")
    )
    assert right(text, "flat") == text.replace("2|a", "9|a")


def test_a_layout_op_with_the_location_of_another_is_wrong_rather_than_one_without() -> None:
    text = """func.func @f(%a: i32) {
  %2 = "ttir.exp"(%a) : (i32) -> i32 loc("2|q")
  %0 = "ttir.reshape"(%a) : (i32) -> i32 loc("9|p")
  %1 = "ttir.permute"(%0) : (i32) -> i32 loc("2|q")
  return
}
"""
    assert right(text, "flat") == text.replace(
        '%0) : (i32) -> i32 loc("2|q")', '%0) : (i32) -> i32 loc("9|q")'
    )


def test_labels_of_another_dump_cannot_be_put_right() -> None:
    before = """func.func @f(%a: i32) {
  %0 = "ttir.relu"(%a) : (i32) -> i32 loc("relu")
  %1 = "ttir.permute"(%0) : (i32) -> i32 loc("permute")
  return
}
"""
    after = """func.func @f(%a: i32) {
  %0 = "ttir.permute"(%a) : (i32) -> i32 loc("permute")
  %1 = "ttir.relu"(%0) : (i32) -> i32 loc("relu")
  return
}
"""
    options = AuditOptions(order_from=OriginalOrder(read_text(before)[0]))
    figures = check(read_text(after), options).summary
    assert (figures.forced, figures.wrong_indices) == (1, 0)
    with pytest.raises(ValueError, match="cannot be used with order_from"):
        fix(read_text(after), options, relabel="nested")


LOCATION = re.compile(r' loc\((?:"[^"]*"\(?)+\)+')


@given(programs())
def test_no_comparable_inversion_is_left_and_only_locations_and_places_change(text: str) -> None:
    after = right(text)
    figures = check(read_text(after)).summary
    assert figures.inversions == figures.not_compared + figures.reversed_dependences
    assert right(after) == after
    assert sorted(LOCATION.sub("", after).splitlines()) == sorted(LOCATION.sub("", text).splitlines())


@given(programs())
def test_as_many_locations_change_as_the_audit_says(text: str) -> None:
    before = audit_dump(read_text(text)[0])
    after = relabelled(before, before.donors).dump_text.decode().splitlines()
    changed = sum(old != new for old, new in zip(text.splitlines(), after, strict=True))
    assert changed == before.audit.summary.wrong_indices == len(before.donors)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ttir.reshape", "ttir.squeeze", "more than the intended locations changed"),
        ("DEBUG|15", "DEBUG|14", "more than the intended locations changed"),
        ("(%56)", "(%55)", "different operations or uses different values"),
        (
            "DEBUG|18|ResNet[resnet]|m.py:1|forward|2|permute",
            "DEBUG|19|x",
            "not the intended one",
        ),
        ('("DEBUG|23|ResNet[resnet]|m.py:1|forward|2|permute")', "", "not the intended one"),
        ("return %57", "return %57 %", "cannot be read"),
    ],
)
def test_a_text_that_is_not_what_it_should_be_is_not_written(old: str, new: str, message: str) -> None:
    dump = audit_dump(read_text(ISSUE)[0])
    locations = new_locations(dump, dump.donors)
    text, added = with_locations(dump.ir, locations, b"#relabel")
    assert read_relocated(dump.ir, locations, "relabelled", text, added).dump_text == right(ISSUE).encode()
    assert old.encode() in text
    with pytest.raises(VerificationError, match=message):
        read_relocated(dump.ir, locations, "relabelled", text.replace(old.encode(), new.encode()), added)
