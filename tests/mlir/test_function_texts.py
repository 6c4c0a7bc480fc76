import pytest

from eio_audit import read_text
from eio_audit.mlir.input.function_texts import DumpText
from tests.internals import OpTable, OpTraits, read_ir

MODULE = """module {
  "my.global"() : () -> () loc("g")
  func.func @f(%a: i32) -> i32 {
    %0 = call @g(%a) : (i32) -> i32 loc(#loc1)
    return %0 : i32
  } loc(#loc)
  func.func private @h(i32)
  "func.func"() <{function_type = (i32) -> i32, sym_name = "g"}> ({
  ^bb0(%b: i32):
    "func.return"(%b) : (i32) -> () loc(#loc2)
  }) : () -> ()
}
#loc = loc(unknown)
#loc1 = loc("x"(#loc2))
#loc2 = loc("y")
"""


def divided(text: str) -> DumpText:
    return DumpText(read_text(text)[0])


def key(text: str) -> bytes:
    """What functions of one text and one meaning of its aliases share."""
    return divided(text).functions["@f"].key


def test_functions_are_found_with_their_lines() -> None:
    assert [(f.symbol, f.line) for f in divided(MODULE).functions.values()] == [("@f", 3), ("@g", 8)]


def test_functions_that_are_called() -> None:
    text = divided(MODULE)
    assert [f.symbol for f in text.reached_from(text.functions["@f"])] == ["@g"]
    assert text.reached_from(text.functions["@g"]) == []


def test_a_function_is_a_dump_of_its_own_with_its_locations_in_place() -> None:
    text = divided(MODULE)
    assert text.function_dump(text.functions["@g"]).source.data.decode() == (
        '"func.func"() <{function_type = (i32) -> i32, sym_name = "g"}> ({\n'
        "^bb0(%b: i32):\n"
        '  "func.return"(%b) : (i32) -> () loc("y")\n'
        "}) : () -> ()\n\n"
    )


LONG = "n" * 1000
TABLE = f"""#loc = loc("a")
#loc1 = loc("b"(#loc))
#loc2 = loc("{LONG}")
#attribute = my.attribute
"""


@pytest.mark.parametrize(
    ("line", "expected", "kept"),
    [
        ("my.op loc(#loc)", 'my.op loc("a")', ""),
        ('my.op {note = "loc(#loc)"}', 'my.op {note = "loc(#loc)"}', '#loc = loc("a")\n'),
        ("my.op loc(#loc1)", "my.op loc(#loc1)", '#loc1 = loc("b"(#loc))\n#loc = loc("a")\n'),
        ("my.op loc(#loc2)", "my.op loc(#loc2)", f'#loc2 = loc("{LONG}")\n'),
        ("my.op {x = #attribute}", "my.op {x = #attribute}", "#attribute = my.attribute\n"),
        ("my.op loc(#attribute)", "my.op loc(#attribute)", "#attribute = my.attribute\n"),
        ("my.op loc(#loc9)", "my.op loc(#loc9)", ""),
    ],
)
def test_only_an_alias_of_a_plain_location_at_a_line_end_is_put_in_place(
    line: str, expected: str, kept: str
) -> None:
    text = divided(f"func.func @f() {{\n  {line}\n}}\n{TABLE}")
    part = text.function_dump(text.functions["@f"]).text.decode()
    assert part == f"func.func @f() {{\n  {expected}\n}}\n\n{kept}"


def test_around_the_functions_are_their_headers_and_the_rest() -> None:
    around = divided(MODULE).outside
    ir = read_ir(around.source, around.span)
    assert [ir.name(op) for op in range(len(ir))] == [
        "builtin.module",
        "my.global",
        "func.func",
        "func.func",
        "func.func",
    ]


def test_aliases_count_by_what_they_stand_for() -> None:
    renumbered = MODULE.replace("#loc1", "#loc7").replace("#loc2", "#loc1")
    inline = MODULE.replace("loc(#loc1)", 'loc("x"("y"))')
    assert key(MODULE) == key(renumbered) == key(inline)


def test_another_location_is_another_function() -> None:
    assert key(MODULE) != key(MODULE.replace('loc("y")', 'loc("z")'))


def test_aliases_in_a_loop_count_by_their_names() -> None:
    looping = MODULE.replace('loc("y")', 'loc("y"(#loc1))')
    assert key(looping) != key(MODULE)


SEVERAL_LINES = """#k = #t.k<{
#a = 1
}, b>
func.func @f() {
  "t.a"() {k = #k} : () -> ()
  return
}
"""


def test_a_function_has_all_lines_of_the_aliases_it_uses() -> None:
    text = divided(SEVERAL_LINES)
    assert (
        text.function_dump(text.functions["@f"])
        .source.data.decode()
        .endswith("}\n\n#k = #t.k<{\n#a = 1\n}, b>\n")
    )
    assert text.outside.source.data.startswith(b"func.func")


def test_a_change_in_the_last_line_of_an_alias_is_one_of_the_function() -> None:
    assert key(SEVERAL_LINES) != key(SEVERAL_LINES.replace("}, b>", "}, c>"))


def test_neither_indentation_nor_loggers_change_a_function() -> None:
    alone = """func.func @f(%a: i32) -> i32 {
  %0 = call @g(%a) : (i32) -> i32 loc("x"("y"))
[2026-01-01 12:00:00] [DEBUG] compiling
  return %0 : i32
} loc(unknown)
"""
    assert key(alone) == key(MODULE)


def test_a_dump_that_begins_behind_its_marker() -> None:
    text = "// -----// IR Dump After A (a) //----- // func.func @f() {\n  return\n}\n"
    assert divided(text).functions["@f"].text == b"func.func @f() {\n  return\n}\n"


def test_an_unlisted_op_is_a_function_unless_it_holds_functions() -> None:
    text = """module {
  util.func public @f() {
    util.return
  }
  my.executable @e {
    func.func @g() {
      return
    }
  }
}
"""
    assert list(divided(text).functions) == ["@f", "@g"]


def test_functions_with_one_symbol_are_left_where_they_are() -> None:
    text = "module {\n" + "  module {\n    func.func @f() {\n      return\n    }\n  }\n" * 2 + "}\n"
    assert divided(text).functions == {}
    assert divided(text).outside.source.data.count(b"return") == 2


def test_a_region_that_goes_on_behind_a_brace_belongs_to_the_function() -> None:
    text = 'my.func @f() {\n  "a.b"() : () -> ()\n} else {\n  "a.c"() : () -> ()\n}\n'
    assert divided(text).functions["@f"].text.decode() == text


def test_functions_are_those_of_the_op_table() -> None:
    text = "my.scope @s {\n  my.code @f() {\n    my.end\n  }\n}\n"
    own = OpTable(
        {
            "my.scope": OpTraits(flags=frozenset({"symbol"})),
            "my.code": OpTraits(flags=frozenset({"function"})),
        }
    )
    assert list(DumpText(read_text(text)[0], own).functions) == ["@f"]
