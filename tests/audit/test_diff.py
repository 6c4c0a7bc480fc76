import re

import pytest

from eio_audit import AuditOptions, Diff, InputError, OpChange, diff, read_text
from tests.internals import OpTraits

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


def located(arguments: str, block: str) -> str:
    """A function whose arguments have these locations, the second in a block of its own."""
    return f"""func.func @f(%a: i32 loc({arguments})) -> i32 {{
  cf.br ^bb1(%a : i32) loc("b")
^bb1(%b: i32 loc({block})):
  return %b : i32 loc("r")
}} loc("f")
"""


def test_the_location_of_an_argument_is_of_the_op_around_its_block() -> None:
    (change,) = compare(located("unknown", '"y"'), located('"x"', '"y"')).ops.modified
    (difference,) = change.differences
    assert (op_of(change), difference.name) == ("func.func", "argument 0 of ^bb0")
    assert (difference.before, difference.after) == ('"x"', "unknown")


def test_the_location_of_an_argument_may_be_an_alias() -> None:
    assert compare('#x = loc("x")\n' + located("#x", '"y"'), located('"x"', '"y"')).ops.modified == ()


def test_locations_of_arguments_that_one_dump_does_not_print_are_no_change() -> None:
    plain = located('"x"', '"y"').replace(' loc("y")', "")
    assert compare(plain, located('"x"', '"y"')).ops.modified == ()


def test_all_locations_may_be_lost() -> None:
    lost = re.sub(r"loc\(.*?\)", "loc(unknown)", BEFORE)
    assert {change.changed for change in compare(lost).ops.modified} == {("location",)}


@pytest.mark.parametrize(("child", "definition"), [("unknown", ""), ("#loc", "#loc = loc(unknown)\n")])
def test_a_name_with_an_unknown_child_is_the_name(child: str, definition: str) -> None:
    with_child = BEFORE.replace('loc("DEBUG|0|net|abs")', f'loc("DEBUG|0|net|abs"({child}))') + definition
    assert counts(compare(with_child)) == {
        "unchanged": 5,
        "moved": 0,
        "modified": 0,
        "added": 0,
        "removed": 0,
    }


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
    with pytest.raises(InputError, match="refers to itself"):
        compare(text, text)


def test_an_op_is_told_by_its_own_text_however_deep_its_regions_are() -> None:
    text = "module {\n  my.outer @a {\n    my.inner {\n      my.end\n    } {x = 1}\n  } {y = 1}\n}\n"
    [change] = compare(text.replace("x = 1", "x = 2"), text).ops.modified
    assert op_of(change) == "my.inner"


def differences(result: Diff) -> list[tuple[str, str, str, str, str]]:
    """Op, kind, name, before, after of all that differs."""
    return [
        (op_of(change), one.kind, one.name, one.before, one.after)
        for change in result.ops.modified
        for one in change.differences
    ]


def test_a_header_that_differs_is_shown_with_both_braces_of_its_region() -> None:
    text = "my.outer {k = 1} {\n  my.inner\n}\n"
    [(_, *shown)] = differences(compare(text.replace("1", "2"), text))
    assert shown == ["attributes", "", "my.outer {k = 1} {}", "my.outer {k = 2} {}"]


ONE_OP = """func.func @f(%a: i32, %b: i32) {{
  %0 = "t.x"(%a) <{{p = 1 : i32}}> : (i32) -> i32 loc("DEBUG|0|x")
  {0}
  return loc("ret")
}}
"""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            '"t.y"(%0) <{k = [1, 2]}> {u} : (i32) -> () loc("y")',
            '"t.y"(%0) <{k = [1, 3], l}> : (i32) -> () loc("y")',
            [
                ("attributes", "k", "[1, 2]", "[1, 3]"),
                ("attributes", "l", "", ""),
                ("attributes", "u", "", ""),
            ],
        ),
        (
            '%1 = "t.y"(%0) : (i32) -> i32 loc("y")',
            '%1 = "t.y"(%0) : (i32) -> i64 loc("y")',
            [("types", "", "(i32) -> i32", "(i32) -> i64")],
        ),
        (
            '"t.y"(%a) : (i32) -> () loc("y")',
            '"t.y"(%b) : (i32) -> () loc("y")',
            [("operands", "0", "argument 0 of ^bb0", "argument 1 of ^bb0")],
        ),
        (
            '"t.y"(%0) : (i32) -> () loc("y")',
            '"t.y"(%0) : (i32) -> () loc("z")',
            [("location", "", '"y"', '"z"')],
        ),
        (
            '%1 = arith.constant 1 : i64 loc("y")',
            '%1 = arith.constant 2 : i64 loc("y")',
            [("attributes", "", "arith.constant 1 : i64", "arith.constant 2 : i64")],
        ),
        (
            '%1 = arith.constant 1 : i64 loc("y")',
            '%1 = "arith.constant"() <{value = 2 : i64}> : () -> i64 loc("y")',
            [("attributes", "", "1", "2")],
        ),
        (
            '%1 = arith.extsi %0 : i32 to i64 loc("y")',
            '%1 = "arith.extsi"(%0) : (i32) -> i128 loc("y")',
            [("types", "", "i64", "i128")],
        ),
    ],
)
def test_what_of_an_op_differs(before: str, after: str, expected: list[tuple[str, str, str, str]]) -> None:
    result = compare(ONE_OP.format(after), ONE_OP.format(before))
    assert [found[1:] for found in differences(result)] == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("arith.constant 1 : i64", '"arith.constant"() <{value = 1 : i64}> : () -> i64'),
        ("arith.constant 1.0 : f32", "arith.constant   1.0 : f32"),
        ("arith.cmpi slt, %a, %b : i32", '"arith.cmpi"(%a, %b) <{predicate = 2 : i64}> : (i32, i32) -> i1'),
        ('"t.y"() {k = #attr} : () -> i32', '"t.y"() {k = affine_map<(d0) -> (d0)>} : () -> i32'),
        ('"t.y"(%a) : (!type) -> i32', '"t.y"(%a) : (tensor<4xf32>) -> i32'),
    ],
)
def test_the_printing_form_is_no_difference(before: str, after: str) -> None:
    aliases = "#attr = affine_map<(d0) -> (d0)>\n!type = tensor<4xf32>\n"
    texts = [aliases + ONE_OP.format(f'%1 = {text} loc("y")') for text in (before, after)]
    assert counts(compare(texts[1], texts[0]))["unchanged"] == 4


LOOP = """func.func @f(%n: index, %x: f32) {
  %c = arith.constant 1 : index
  scf.for %i = %c to %n step %c {
    %0 = arith.addf %x, %x : f32 loc("DEBUG|1|sum")
    "t.use"(%0) : (f32) -> () loc("DEBUG|2|use")
  }
  return
}
"""


def test_a_hoisted_op_is_moved_from_block_to_block() -> None:
    lines = LOOP.split("\n")
    lines[2], lines[3] = lines[3], lines[2]
    result = compare("\n".join(lines), LOOP)
    assert counts(result) == {"unchanged": 5, "moved": 1, "modified": 0, "added": 0, "removed": 0}
    [change] = result.ops.moved
    assert (change.block_before, change.block_after) == ("scf.for (line 3) in @f", "@f ^bb0")


def test_an_op_may_name_an_argument_of_its_region_behind_it() -> None:
    text = "func.func @f(%a: i32) {\n  my.loop (%p) in (%a) {\n    my.op\n  } to (%p)\n  return\n}\n"
    assert compare(text, text).ops.unchanged == 4


def test_terminators_that_a_form_implies_are_not_added() -> None:
    generic = LOOP.replace(
        "scf.for %i = %c to %n step %c {", '"scf.for"(%c, %n, %c) ({\n  ^bb0(%i: index):'
    ).replace("  }\n  return", '    "scf.yield"() : () -> ()\n  }) : (index, index, index) -> ()\n  return')
    result = compare(generic, LOOP)
    assert counts(result) == {"unchanged": 6, "moved": 0, "modified": 0, "added": 0, "removed": 0}
    assert result.ops.implied == 1


def test_a_function_in_a_module_is_the_function_alone() -> None:
    result = compare(f"module {{\n{BEFORE}}}\n")
    assert counts(result) == {"unchanged": 5, "moved": 0, "modified": 0, "added": 0, "removed": 0}


def test_a_renamed_function_is_modified_and_its_ops_are_unchanged() -> None:
    result = compare(BEFORE.replace("@f", "@g"))
    assert counts(result) == {"unchanged": 4, "moved": 0, "modified": 1, "added": 0, "removed": 0}


def test_users_of_other_arguments_do_not_differ_when_an_argument_goes() -> None:
    before = BEFORE.replace("@f(", "@f(%unused: i32, ")
    assert counts(compare(BEFORE, before)) == {
        "unchanged": 4,
        "moved": 0,
        "modified": 1,
        "added": 0,
        "removed": 0,
    }


@pytest.mark.parametrize(
    ("location", "relation"),
    [
        ('"DEBUG|2|net|add_tm0_tm1"("DEBUG|2|net|add_tm0"("DEBUG|2|net|add"))', "derived"),
        ('callsite("DEBUG|2|net|add" at "main")', "derived"),
        ('fused["x", "DEBUG|2|net|add"]', "derived"),
        ('"DEBUG|2|net|add"', "cloned"),
    ],
)
def test_an_added_op_names_the_op_it_came_from(location: str, relation: str) -> None:
    line = '  %2 = "ttir.add"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>'
    copy = line.replace("%2", "%9").replace("(%0, %1)", "(%1, %1)") + f" loc({location})\n"
    [change] = compare(BEFORE.replace("  return", copy + "  return")).ops.added
    assert change.ancestor is not None
    assert (change.ancestor.op.line, change.ancestor.relation.value) == (4, relation)


def test_an_inlined_op_is_moved_out_of_its_function() -> None:
    before = """func.func private @g(%a: i32) -> i32 {
  %0 = "t.neg"(%a) : (i32) -> i32 loc("DEBUG|1|neg")
  return %0 : i32
}
func.func @f(%a: i32) -> i32 {
  %0 = call @g(%a) : (i32) -> i32 loc("DEBUG|2|call")
  return %0 : i32
}
"""
    after = """func.func @f(%a: i32) -> i32 {
  %0 = "t.neg"(%a) : (i32) -> i32 loc(callsite("DEBUG|1|neg" at "DEBUG|2|call"))
  return %0 : i32
}
"""
    result = compare(after, before)
    inlined = next(change for change in result.ops.modified if op_of(change) == "t.neg")
    assert (inlined.moved, inlined.block_before, inlined.block_after) == (True, "@g ^bb0", "@f ^bb0")
    assert "location" in inlined.changed


def test_an_op_that_changes_regions_or_blocks_is_moved_from_one_to_another() -> None:
    text = "func.func @f() {{\n  my.op {{\n  {}\n  my.b\n  }} {{\n  {}\n  my.c\n  ^bb1:\n  {}\n  my.end\n  }}\n}}\n"
    before, between, after = (text.format(*("my.a" if k == n else "" for k in range(3))) for n in range(3))
    [change] = compare(between, before).ops.moved
    assert change.block_before == "region 0 of my.op (line 2) in @f"
    assert change.block_after == "^bb0 of region 1 of my.op (line 2) in @f"
    [change] = compare(after, between).ops.moved
    assert change.block_after == "^bb1 of region 1 of my.op (line 2) in @f"


def test_an_op_that_moves_between_functions_of_one_name_is_moved_from_one_line_to_another() -> None:
    text = "module @a {{\n  func.func @f() {{\n{}  my.b\n}}\n}}\nmodule @c {{\n  func.func @f() {{\n  my.d\n{}}}\n}}\n"
    [change] = compare(text.format("", "  my.a\n"), text.format("  my.a\n", "")).ops.moved
    assert (change.block_before, change.block_after) == ("@f ^bb0 (line 3)", "@f ^bb0 (line 8)")


def test_a_function_that_leaves_its_module_is_moved_from_one_op_to_another() -> None:
    function = "func.func private @f(i32)\n"
    before = f"module {{\nmodule @a {{\n{function}}}\n}}\n"
    [change] = compare(f"module {{\n{function}}}\n", before).ops.moved
    assert (change.block_before, change.block_after) == (
        "builtin.module @a (line 2)",
        "builtin.module (line 1)",
    )
    [change] = compare(f"{function}module {{\nmodule @a {{\n}}\n}}\n", before).ops.moved
    assert (change.block_before, change.block_after) == ("builtin.module @a (line 2)", "the top level")


def test_ops_that_nothing_tells_apart_are_paired_in_order() -> None:
    line = '  "t.x"() : () -> ()\n'
    before = f"func.func @f() {{\n{line * 3}  return\n}}\n"
    result = compare(before.replace(line * 3, line * 2), before)
    assert [change.before.line for change in result.ops.removed if change.before] == [4]


def test_the_fewest_ops_are_moved() -> None:
    ops = [f'  "t.x{k}"() : () -> () loc("DEBUG|{k}|x")' for k in range(6)]
    text = "func.func @f() {{\n{0}\n  return\n}}\n"
    after = [ops[k] for k in (3, 0, 1, 2, 5, 4)]
    result = compare(text.format("\n".join(after)), text.format("\n".join(ops)))
    assert [op_of(change) for change in result.ops.moved] == ["t.x3", "t.x4"]
    assert [(change.inversions_before, change.inversions_after) for change in result.ops.moved] == [
        (0, 3),
        (0, 1),
    ]


def test_ops_of_the_project_are_told_apart_by_their_symbols() -> None:
    one, other = (
        '  "my.global"() {n = 1, sym_name = "a"} : () -> ()\n',
        '  "my.global"() {n = 2, sym_name = "b"} : () -> ()\n',
    )
    before = read_text(f"module {{\n{one}{other}}}\n")[0]
    after = read_text(f"module {{\n{one.replace('1', '2')}{other.replace('2', '1')}}}\n")[0]
    own = AuditOptions(ops={"my.global": OpTraits(flags=frozenset({"symbol"}))})
    result = diff(before, after, own)
    assert [d.name for change in result.ops.modified for d in change.differences] == ["n", "n"]


def test_another_value_of_the_same_name_has_its_place() -> None:
    before, after = (
        f'func.func @f() {{\n  %c = arith.constant {number} : i32 loc("{place}")\n  "t.use"(%c) : (i32) -> () loc("u")\n  return\n}}\n'
        for number, place in ((1, "a"), (2, "b"))
    )
    [[old], [new]] = read_text(before, "a.mlir"), read_text(after, "b.mlir")
    [change] = diff(old, new).ops.modified
    assert [(one.before, one.after) for one in change.differences] == [
        ("%c arith.constant (a.mlir:2)", "%c arith.constant (b.mlir:2)")
    ]
