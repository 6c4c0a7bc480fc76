import pytest

from eio_audit import Diff, InputError, OpChange, diff, read_text

BEFORE = """func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "ttir.abs"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|0|net|abs")
  %1 = "ttir.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|net|neg")
  %2 = "ttir.add"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|2|net|add")
  return %2 : tensor<4xf32> loc("ret")
}
"""


def compare(after: str, before: str = BEFORE) -> Diff:
    return diff(read_text(before)[0], read_text(after)[0])


def counts(d: Diff) -> dict[str, int]:
    return {"unchanged": d.ops.unchanged} | {name: len(changes) for name, changes in d.ops.groups.items()}


def op_of(change: OpChange) -> str:
    label = change.after or change.before
    assert label is not None
    return label.name


def test_the_same_dump_is_unchanged() -> None:
    assert counts(compare(BEFORE)) == {"unchanged": 5, "moved": 0, "modified": 0, "added": 0, "removed": 0}


def test_renumbering_is_no_change() -> None:
    renumbered = BEFORE.replace("%2", "%x").replace("%0", "%2").replace("%1", "%0").replace("%a", "%arg0")
    assert counts(compare(renumbered)) == {
        "unchanged": 5,
        "moved": 0,
        "modified": 0,
        "added": 0,
        "removed": 0,
    }


def test_location_aliases_are_no_change() -> None:
    aliased = BEFORE.replace('loc("DEBUG|0|net|abs")', "loc(#loc7)") + '#loc7 = loc("DEBUG|0|net|abs")\n'
    assert counts(compare(aliased)) == {"unchanged": 5, "moved": 0, "modified": 0, "added": 0, "removed": 0}


def test_a_moved_op() -> None:
    lines = BEFORE.split("\n")
    lines[1], lines[2] = lines[2], lines[1]
    result = compare("\n".join(lines))
    assert counts(result) == {"unchanged": 4, "moved": 1, "modified": 0, "added": 0, "removed": 0}
    assert (result.before.summary.inversions, result.after.summary.inversions) == (0, 1)


def test_other_operands_and_other_attributes() -> None:
    result = compare(
        BEFORE.replace("(%0, %1)", "(%1, %0)").replace('"ttir.neg"(%a)', '"ttir.neg"(%a) {x = 1}')
    )
    assert {op_of(change): change.changed for change in result.ops.modified} == {
        "ttir.add": ("operands",),
        "ttir.neg": ("attributes",),
    }


def test_an_added_derived_op_and_a_removed_one() -> None:
    derived = '  %9 = "ttir.permute"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|2|net|add_tm0"("DEBUG|2|net|add"))\n'
    after = BEFORE.replace("return", derived.strip() + "\n  return")
    result = compare(after)
    assert [(op_of(c), c.derived, c.place_after) for c in result.ops.added] == [("ttir.permute", True, 3)]
    assert [op_of(c) for c in compare(BEFORE, after).ops.removed] == ["ttir.permute"]


def test_ops_of_one_location_are_told_apart_by_what_they_use() -> None:
    twice = """func.func @f(%a: i32, %b: i32) {
  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|0|x")
  %1 = "ttir.neg"(%b) : (i32) -> i32 loc("DEBUG|1|y")
  "ttir.relu"(%0) : (i32) -> i32 loc("DEBUG|2|z")
  "ttir.relu"(%1) : (i32) -> i32 loc("DEBUG|2|z")
  return
}
"""
    lines = twice.split("\n")
    lines[3], lines[4] = lines[4], lines[3]
    assert counts(compare("\n".join(lines), twice)) == {
        "unchanged": 5,
        "moved": 1,
        "modified": 0,
        "added": 0,
        "removed": 0,
    }


@pytest.mark.parametrize("loop", ['"b"(#loc1)', "fused[#loc1]", "#loc1"])
def test_an_alias_defined_by_itself_behind_an_index_is_an_error(loop: str) -> None:
    text = f'"t.a"() : () -> () loc(#loc1)\n#loc1 = loc("DEBUG|1|x"(#loc2))\n#loc2 = loc({loop})\n'
    with pytest.raises(InputError, match="defined by itself"):
        compare(text, text)


def test_an_op_is_told_by_its_own_text_however_deep_its_regions_are() -> None:
    text = "module {\n  my.outer @a {\n    my.inner {\n      my.end\n    } {x = 1}\n  } {y = 1}\n}\n"
    [change] = compare(text.replace("x = 1", "x = 2"), text).ops.modified
    assert op_of(change) == "my.inner"
