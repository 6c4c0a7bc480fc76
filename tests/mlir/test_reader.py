import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reading import check_error, ir_of, names, uses


def test_generic_assembly() -> None:
    text = """
    "builtin.module"() ({
      "func.func"() <{sym_name = "f"}> ({
      ^bb0(%arg0: i32):
        %0 = "t.a"(%arg0) {x = 1 : i32} : (i32) -> i32
        "func.return"(%0) : (i32) -> ()
      }) : () -> ()
    }) : () -> ()
    """
    assert names(text) == ["builtin.module", "  func.func", "    t.a", "    func.return"]
    assert uses(text) == [("t.a", "func.return")]


def test_custom_assembly_of_an_unknown_dialect() -> None:
    text = """
    my.func @f(%a: !my.t<[1, 2]>) -> !my.t attributes {my.x = {y = 1}} {
      %0, %1 = my.split %a by <2> : !my.t -> (!my.t, !my.t)
      my.sink %1 to @place::@inner : !my.t
      my.return %0 : !my.t
    }
    """
    assert names(text) == ["my.func", "  my.split", "  my.sink", "  my.return"]
    assert uses(text) == [("my.split", "my.sink"), ("my.split", "my.return")]


def test_results_of_one_op_are_told_apart() -> None:
    ir = ir_of('%0:2 = "t.a"() : () -> (i32, i32)\n"t.b"(%0#1, %0#0) : (i32, i32) -> ()')
    first = ir.first_result[0]
    assert list(ir.operands_of(1)) == [first + 1, first]


def test_names_without_dialect_get_the_one_implied() -> None:
    assert names("module {\n func.func @f() {\n return\n }\n}") == [
        "builtin.module",
        "  func.func",
        "    func.return",
    ]


def test_a_region_is_told_from_an_attribute_dictionary() -> None:
    text = """
    func.func @f(%c: i1) {
      %0 = my.op {a = 1, b} : i32
      my.if %c {
        my.yield
      } else {
        my.other {unit}
      } {attribute = "x"}
      return
    }
    """
    assert names(text) == [
        "func.func",
        "  my.op",
        "  my.if",
        "    my.yield",
        "    my.other",
        "  func.return",
    ]


def test_several_ops_and_a_whole_region_on_one_line() -> None:
    text = 'func.func @f(%c: i1) { %0 = a.b %c : i32 scf.if %c { "t.x"() : () -> () "t.y"(%0) : (i32) -> () } return }'
    assert names(text) == ["func.func", "  a.b", "  scf.if", "    t.x", "    t.y", "  func.return"]


def test_ops_over_several_lines() -> None:
    text = """
    func.func @f(%a: i32) {
      %0 = "t.a"(%a,
          %a) <{x = [1,
                     2]}>
        : (i32, i32)
        -> i32
        loc("x")
      my.op ins(%0 : i32)
            outs(%a : i32) {x = 1}
      return
    }
    """
    assert names(text) == ["func.func", "  t.a", "  my.op", "  func.return"]


def test_region_keywords_on_their_own_line() -> None:
    text = """
    func.func @f(%init: i32) {
      %r:2 = my.while(%it = %init, %x = %init) : i32, i32
       cond {
        my.return %it
      } do {
        my.return %x
      }
      my.use %r#1
      return
    }
    """
    assert names(text) == [
        "func.func",
        "  my.while",
        "    my.return",
        "    my.return",
        "  my.use",
        "  func.return",
    ]


def test_regions_of_an_op_outside_all_ops_on_their_own_lines() -> None:
    text = """
omp.declare_reduction @add : f32
init {
^bb0(%a: f32):
  omp.yield (%a : f32)
}
// CHECK: combiner
combiner {
^bb1(%b: f32, %c: f32):
  omp.yield (%b : f32)
}
func.func @f() { return }
"""
    assert names(text) == [
        "omp.declare_reduction",
        "  omp.yield",
        "  omp.yield",
        "func.func",
        "  func.return",
    ]


def test_names_without_dialect_begin_ops_where_they_are_aligned() -> None:
    text = """
    pdl.pattern {
      %0 = kind
      constrain "x"(%0)
      %1 = operation %0
        -> (%0)
        with something %0
      rewrite %1 {
        erase %1
      }
    }
    """
    assert names(text) == [
        "pdl.pattern",
        "  kind",
        "  constrain",
        "  operation",
        "  pdl.rewrite",
        "    erase",
    ]


def test_clauses_aligned_with_their_op() -> None:
    text = """
    func.func @f(%i: index) {
      scf.index_switch %i
      case 2 {
        scf.yield
      }
      default {
        scf.yield
      }
      return
    }
    """
    assert names(text) == [
        "func.func",
        "  scf.index_switch",
        "    scf.yield",
        "    scf.yield",
        "  func.return",
    ]


def test_regions_aligned_with_their_op() -> None:
    text = """
    func.func @f(%a: i32) {
      %0:2 = stablehlo.while(%it = %a, %x = %a) : i32, i32
      cond {
        stablehlo.return %it : i32
      } do {
        stablehlo.return %it, %x : i32, i32
      }
      %1 = my.fold(%y = %a) : i32
      body {
        my.return %y
      }
      return
    }
    """
    assert names(text) == [
        "func.func",
        "  stablehlo.while",
        "    stablehlo.return",
        "    stablehlo.return",
        "  my.fold",
        "    my.return",
        "  func.return",
    ]


def test_a_location_in_a_header_is_no_end() -> None:
    text = 'affine.for %i loc("i") = 0 to 4 {\n  "t.use"(%i) : (index) -> () loc("u")\n} loc("for")'
    assert names(text) == ["affine.for", "  t.use"]
    assert ir_of(text).location_text(0) == b'"for"'


def test_an_empty_region_takes_the_names_of_its_header() -> None:
    assert names("func.func @f(%a: index) {\n  scf.for %i = %a to %a step %a {\n  }\n  return\n}") == [
        "func.func",
        "  scf.for",
        "  func.return",
    ]


def test_a_string_before_a_list_is_no_op() -> None:
    assert names('module {\n  sv.macro.def @X "{{0}}"([@a])\n  t.a "t.b"() : () -> ()\n}\n') == [
        "builtin.module",
        "  sv.macro.def",
        "  t.a",
    ]


def test_a_quoted_symbol_is_no_op() -> None:
    assert names('func.func @f(%x: i32) {\n  call @"a b"(%x) : (i32) -> ()\n  return\n}') == [
        "func.func",
        "  func.call",
        "  func.return",
    ]


def test_a_dictionary_behind_attributes_or_a_region() -> None:
    text = 'my.module attributes {\n  gpu.container_module\n} {\n  my.op {\n    "t.a"() : () -> ()\n  } {unit} : i32\n}'
    assert names(text) == ["my.module", "  my.op", "    t.a"]


def test_a_comment_inside_an_alias() -> None:
    assert list(ir_of("#t = {\n a = [\n 1, // one ]\n 2\n ]\n} // end\nmodule {\n}").aliases) == [b"#t"]


def aliases(text: str) -> dict[str, str]:
    ir = ir_of(text)
    return {
        name.decode(): ir.source.data[span.start : span.end].decode() for name, span in ir.aliases.items()
    }


@pytest.mark.parametrize(
    "value",
    [
        "#t.k<\n args = [\n #a,\n #a\n ],\n b = []>",
        "#t.k<\n#a,\n#a\n>",
        "#t.k<a,\n  b = {\n#a = 1\n}>",
        "{\n#a = 1,\n!b = 2\n}",
        "[\n#a\n]",
        "#t.k<{\n}, {\n}>",
        "!t.k<\n  x = !u<\n  i32>\n>",
        "#t.k<1 < 2,\n 3 > 2>",
        '#t.k<"[",\n "\\"(">',
        "[a, // ]\n b]",
        "#t.k<a, // [b]\n c>",
        "!t.k<a // b>",
    ],
)
def test_an_alias_over_several_lines(value: str) -> None:
    name = "!k" if value.startswith("!") else "#k"
    text = f"#a = 1\n{name} = {value}\nmodule {{\n}}\n#z = 2\n"
    assert aliases(text) == {"#a": "1", name: value, "#z": "2"}
    behind = f"module {{\n}}\n#a = 1\n{name} = {value}\n#z = 2"
    assert aliases(behind) == {"#a": "1", name: value, "#z": "2"}
    assert names(text) == ["builtin.module"]


@pytest.mark.parametrize("following", ["#b = 2", "", "module {\n}", '"t.a"() : () -> ()', "// -> >", "]"])
def test_an_angle_that_nothing_closes_is_an_operator(following: str) -> None:
    ir = "#a = #t.k<1<2>\n" + following + "\n"
    if following == "]":
        check_error(ir, 2, 1, "unbalanced ']': nothing is open here")
    else:
        assert aliases(ir)["#a"] == "#t.k<1<2>"


def test_a_string_of_an_alias_that_has_no_end() -> None:
    check_error('#a = {k = "x\n}\n', 1, 11, "unterminated string")


def test_brackets_in_a_long_string_of_an_alias() -> None:
    assert aliases(f'#a = {{k = "{"(" * 5000}"}}\n#b = 1\n')["#b"] == "1"


def test_braced_text_of_an_unknown_dialect_is_no_region() -> None:
    text = """
    func.func @f(%a: i32) {
      my.dispatch @x {
        ro %a[0] : i32,
        wo %a[1] : i32
      } {y}
      return
    }
    """
    assert names(text) == ["func.func", "  my.dispatch", "  func.return"]


def test_a_loop_variable_may_repeat_a_name_that_is_visible() -> None:
    text = """
    func.func @f(%a: index) {
      %0 = scf.while (%b = %a) : (index) -> index {
        scf.condition %b
      } do {
        ^bb0(%c: index):
        scf.for %a = %c to %c step %c {
          "t.use"(%a) : (index) -> ()
        }
        scf.yield %c
      }
      return
    }
    """
    ir = ir_of(text)
    [use] = [op for op in range(len(ir)) if ir.name(op) == "t.use"]
    assert [ir.value_owner[value] for value in ir.operands_of(use)] == [-1 - ir.op_block[use]]


def test_a_typed_use_in_a_header_stays_a_use() -> None:
    text = """
    func.func @f() {
      %0 = "t.a"() : () -> i32
      my.generic ins(%0: i32) {
      ^bb0(%in: i32):
        my.yield %in
      }
      return
    }
    """
    assert uses(text) == [("t.a", "my.generic")]


def test_a_symbol_that_reads_like_a_keyword() -> None:
    assert names("module @attributes {\n  func.func @f() {\n    return\n  }\n}") == [
        "builtin.module",
        "  func.func",
        "    func.return",
    ]


def test_a_quoted_name_is_whole() -> None:
    assert names('"gpu.func"() ({\n  "terminator"() : () -> () loc("x")\n}) : () -> ()') == [
        "gpu.func",
        "  terminator",
    ]


def test_parameters_of_a_declaration_are_no_uses() -> None:
    assert names("module {\n hw.module.extern @x(in %a : i1, out b : i1)\n hw.instance @y\n}") == [
        "builtin.module",
        "  hw.module.extern",
        "  hw.instance",
    ]


def test_loop_variables_are_arguments_of_the_region() -> None:
    text = """
    func.func @f(%n: index, %x: f32) {
      %c0 = arith.constant 0 : index
      %r = scf.for %i = %c0 to %n step %c0 iter_args(%acc = %x) -> (f32) {
        %y = my.add %acc, %i : f32
        scf.yield %y : f32
      }
      affine.for %i = 0 to 10 {
        my.use %i : index
      }
      return
    }
    """
    assert uses(text) == [
        ("arith.constant", "scf.for"),
        ("arith.constant", "scf.for"),
        ("my.add", "scf.yield"),
    ]


def test_isolated_regions_have_names_of_their_own() -> None:
    text = """
    module {
      func.func @f() {
        %0 = "t.a"() : () -> i32
        return
      }
      func.func @g() {
        %0 = "t.b"() : () -> i32
        "t.use"(%0) : (i32) -> ()
        return
      }
    }
    """
    assert uses(text) == [("t.b", "t.use")]


def test_sibling_regions_may_repeat_names() -> None:
    text = """
    func.func @f(%c: i1) {
      scf.if %c {
        %0 = "t.a"() : () -> i32
        "t.use"(%0) : (i32) -> ()
      } else {
        %0 = "t.b"() : () -> i32
        "t.use"(%0) : (i32) -> ()
      }
      return
    }
    """
    assert uses(text) == [("t.a", "t.use"), ("t.b", "t.use")]


def test_blocks_with_labels_arguments_and_successors() -> None:
    text = """
    func.func @f(%c: i1, %x: i32) {
      cf.cond_br %c, ^bb1(%x : i32), ^bb2
    ^bb1(%a: i32 loc("x")):  // pred: ^bb0
      cf.br ^bb2
    ^bb2:  // 2 preds: ^bb0, ^bb1
      return
    }
    """
    ir = ir_of(text)
    assert [ir.block_name(block) for block in range(ir.block_count)] == ["^bb0", "^bb0", "^bb1", "^bb2"]
    assert [len(ops) for ops in ir.block_ops] == [1, 1, 1, 1]


def test_what_a_sequence_has_for_the_ops_of_a_block() -> None:
    text = """
    func.func @f() {
      "my.op"() : () -> ()
      "my.loop"() ({
        "my.inner"() : () -> ()
      }) : () -> ()
      return
    }
    """
    ir = ir_of(text)
    of_blocks = [
        ir.of_block(block, ["f", "op", "loop", "inner", "return"]) for block in range(ir.block_count)
    ]
    assert of_blocks == [["f"], ["op", "loop", "return"], ["inner"]]


def test_a_value_may_be_defined_in_a_block_printed_later() -> None:
    text = """
    func.func @f() {
      cf.br ^bb2
    ^bb1:
      "t.use"(%0) : (i32) -> ()
      return
    ^bb2:
      %0 = "t.a"() : () -> i32
      cf.br ^bb1
    }
    """
    assert uses(text) == [("t.a", "t.use")]


@pytest.mark.parametrize(
    "text",
    [
        '"t.a"() {s = "%9 } ) -> \\" loc(#loc7) // {"} : () -> () loc("x")',
        '"t.a"() {m = affine_set<(d0) : (d0 - 1 >= 0, d0 <= 4)>} : () -> ()',
        '"t.a"() : () -> tensor<4xf32, affine_map<(d0) -> (d0)>> // } ( "',
        "%0 = my.cmp 1 < 2 : i1",
        '"t.a"() {v = dense<"0xAB{"> : tensor<1xi8>} : () -> ()',
        '"t.a"() {l = loc("DEBUG|1|x")} : () -> ()',
        '%0 = my.op "text, with (brackets" {a = ">"} : i32',
    ],
)
def test_text_that_looks_like_structure_is_none(text: str) -> None:
    assert len(ir_of(f'{text}\n"t.next"() : () -> ()')) == 2


def test_the_location_is_the_last_one() -> None:
    ir = ir_of('"t.a"() {l = loc("inside")} : () -> () loc("own"("child"))')
    assert ir.location_text(0) == b'"own"("child")'


def test_a_location_may_stand_on_the_next_line() -> None:
    ir = ir_of('"t.a"() : () -> () // users: {\n  loc("own")')
    assert ir.location_text(0) == b'"own"'


def test_a_location_in_a_comment_is_none() -> None:
    ir = ir_of('"t.a"() : () -> () // loc("x")\n')
    assert ir.location_text(0) is None
    assert ir.text(0) == b'"t.a"() : () -> ()'


def test_aliases_before_and_after_their_use() -> None:
    ir = ir_of('#loc1 = loc("a")\n"t.a"() : () -> () loc(#loc2)\n#loc2 = loc("b"(#loc1))\n')
    assert {name: ir.source.data[span.start : span.end] for name, span in ir.aliases.items()} == {
        b"#loc1": b'"a"',
        b"#loc2": b'"b"(#loc1)',
    }


def test_a_file_metadata_trailer_is_stepped_over() -> None:
    text = '"t.a"() : () -> ()\n\n{-#\n  dialect_resources: {\n builtin: {\n blob: "0x08#-}00"\n }\n }\n#-}\n'
    assert names(text) == ["t.a"]


def test_log_lines_around_ops_are_ignored() -> None:
    text = "[2026-08-21 10:00:00] [DEBUG] started {\nmodule {\n}\nerror: something failed (code 1\n"
    assert names(text) == ["builtin.module"]


def test_the_source_lines_of_a_long_diagnostic_are_ignored() -> None:
    text = """%0 = t.a
a.mlir:6:14: warning: slow

for a reason
  %1 = my.op(%a, %b)
  ^
a.mlir:2:1: note: called from
func.func @main(%a: i32) {
^~~~~~~~~
t.b %0
"""
    assert names(text) == ["t.a", "t.b"]


def test_a_coloured_op_does_not_pass_for_a_line_of_a_logger() -> None:
    text = 'func.func @f() {\n\x1b[36m  %0 = "t.a"() : () -> i32\x1b[0m\n  return\n}\n'
    check_error(text, 2, 1, "colours in a line of IR")


@pytest.mark.parametrize(
    "noise",
    [
        "[2026-08-21 10:00:00.123] [DEBUG] [compiler] value %0 = {",
        "\x1b[32m[info]\x1b[0m ran pass (x",
        "2026-08-21 10:00:00.123 | INFO     | model:forward:12 - 3 < 4",
        "I0821 12:00:00.000000 1234 file.cc:7] x = {",
        "F0821 12:00:00.000000 1234 file.cc:7] Check failed: x = {",
        "WARNING: something }",
        "error: failed",
        "/models/net.py:12: UserWarning: old (",
        'model.mlir:3:7: remark: here is "a',
        '<stdin>:3:7: error: bad\n    %0 = "t.a"() : () -> i32 loc("x")\n         ^',
        'loc("DEBUG|3|x"("a.py":1:2)): warning: slow',
        "<unknown>:0: note: see above }",
        '<stdin>:3:7: note: see current operation: \n"t.a"(%x) ({\n^bb0(%y: i32):\n  t.b %z\n}) : (i32) -> ()',
    ],
)
def test_log_lines_inside_a_dump_are_stepped_over(noise: str) -> None:
    text = f"""func.func @f() {{
{noise}
  %0 = "t.a"() : () -> i32 loc("DEBUG|1|a")
{noise}
  scf.if %0 {{
    {noise}
    "t.b"() : () -> ()
{noise}
    "t.c"() : () -> ()
  }}
  return
}}
"""
    assert names(text) == ["func.func", "  t.a", "  scf.if", "    t.b", "    t.c", "  func.return"]


def test_a_byte_order_mark_is_stepped_over() -> None:
    assert names(b"\xef\xbb\xbfmodule {\n}\n") == ["builtin.module"]


def test_nearly_ten_thousand_levels_of_nesting() -> None:
    depth = 9_999
    text = (
        "func.func @f(%p: i1) {\n"
        + "scf.if %p {\n" * depth
        + '"t.x"() : () -> ()\n'
        + "}\n" * depth
        + "return\n}\n"
    )
    assert len(ir_of(text)) == depth + 3


def test_an_unlisted_op_may_hold_a_graph_region() -> None:
    ir = ir_of('"t.wrap"() ({\n "t.use"(%0) : (i32) -> ()\n %0 = "t.a"() : () -> i32\n}) : () -> ()')
    assert list(ir.region_is_graph) == [1, 1]


@pytest.mark.parametrize("text", ['"t.a"() : () -> ()', "module", "my.op @a b", '"t.a"() {x = 1} //'])
def test_an_op_may_end_with_the_dump(text: str) -> None:
    assert len(ir_of(text)) == 1


@pytest.mark.parametrize(
    "attribute", ["#my.g<%b>", "#my<%b>", "!my.t<[%b -> %no], <%b>>", '#my.g<">", %b>', "[#my.g<a // b, %b>]"]
)
@pytest.mark.parametrize("op", ['"t.x"(%a) {{k = {0}}} : (i32) -> ()', "t.x %a {0}, %a"])
def test_the_body_of_an_attribute_or_type_names_no_values(op: str, attribute: str) -> None:
    line = op.format(attribute)
    if "//" in line:
        line = line.replace("]", "\n]")
    read = ir_of(f"func.func @f(%a: i32, %b: i32) {{\n  {line}\n  return\n}}\n")
    assert set(read.operands_of(1)) == {0}


def test_errors_name_the_place() -> None:
    check_error("func.func @f() {\n  return\n", 2, 9, "expected '}' to match '{' at 1:16")
    check_error(
        'func.func @f() {\n  "t.a"( : () -> ()\n}', 3, 1, "expected the bracket that closes '(' at 2:8"
    )
    check_error('"t.a"( : () -> ()', 1, 6, "'(' is never closed")
    check_error("module {\n}\n}\n", 3, 1, "unbalanced '}'")
    check_error("module {\n}\n{-#\n{-#\n", 3, 1, "'{-#' is never closed")
    check_error('"t.a"() {x = [1)} : () -> ()', 1, 16, "expected the bracket that closes '[' at 1:14")
    check_error(
        "func.func @f(%a: i32) {\n  t.a m[%a, %a)\n}", 2, 15, "expected the bracket that closes '[' at 2:8"
    )
    check_error('"t.a"() {s = "open} : () -> ()', 1, 14, "unterminated string")
    check_error('"t.a"() : () -> () loc("DEBUG|1|x', 1, 24, "unterminated string")
    check_error(
        'func.func @f() {\n  "t.a"(%0) : (i32) -> ()\n  return\n}', 2, 9, "'%0', which is not defined"
    )
    check_error("func.func @f() {\n  %0 = a.b\n  %0 = a.c\n  return\n}", 3, 3, "redefinition of value '%0'")
    check_error(
        'func.func @f() {\n  "t.a"(%0) : (i32) -> ()\n  %0 = a.c\n  return\n}',
        2,
        9,
        "'%0' before its definition",
    )
    check_error('%0 = "t.a"() : () -> i32\n"t.b"(%0#1) : (i32) -> ()', 2, 7, "the op has fewer results")
    check_error('%a, %0:999999999 = "t.a"() : () -> i32', 1, 5, "more results than the file has bytes")
    check_error('module {\n  %0:0 = "t.a"() : () -> () loc("a")\n}', 2, 3, "at least one result")
    check_error('#loc1 = loc("a")\n#loc1 = loc("b")\n', 2, 1, "redefinition of alias '#loc1'")
    check_error("func.func @f() {\n  ?\n}", 2, 3, "expected an operation")
    check_error(
        "func.func @f() {\n  ^bb0(%a: i32)\n  return\n}", 3, 3, "expected ':' after the block's arguments"
    )


def test_each_result_has_a_name() -> None:
    ir = ir_of('%a:2, %b = "my.op"() : () -> (i32, i32, i32)\n')
    assert (ir.results(0), ir.result_names(0)) == (["%a", "%b"], ["%a#0", "%a#1", "%b"])


_GAPS = st.sampled_from(["", " ", "\n  ", " // %c = 1\n", "\n\n// one\n  // two, three:\n "])


@given(st.lists(_GAPS, min_size=7, max_size=7))
def test_results_in_any_layout(gaps: list[str]) -> None:
    layout = '%a{}:{}2{},{}%b{}={}"my.op"() : () -> (i32, i32, i32)\nmy.use %a#1, %b{}: i32\n'.format(*gaps)
    ir = ir_of(layout)
    assert (ir.result_names(0), ir.source.data[ir.name_start(0) :][:7]) == (
        ["%a#0", "%a#1", "%b"],
        b'"my.op"',
    )
    assert uses(layout) == [("my.op", "my.use")] * 2


def test_an_op_keeps_what_stands_between_its_regions_as_its_own_text() -> None:
    ir = ir_of("my.op {\n  my.a\n} by {k = 1} {\n  my.b\n} {\n^bb0(%x: i32):\n} end\n")
    assert ir.own_text(0) == b"my.op {} by {k = 1} {} {\n^bb0(%x: i32):\n} end"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('loc("x")\nmodule {\n}\n', 1, 1),
        ('module {\n} loc("f")\nloc("x")\n', 3, 1),
        ('module {\n  loc("x")\n  "t.a"() : () -> ()\n}\n', 2, 3),
        ('my.region {\n  loc("x")\n  "t.a"() : () -> ()\n}\n', 2, 3),
        ('module {\n  "t.a"() : () -> () loc("a")\n  loc("x") // of a?\n}\n', 3, 3),
        ('"t.r"() ({\n^bb0:\n  loc(fused[\n"a", "b"])\n}) : () -> ()\n', 3, 3),
    ],
)
def test_a_location_that_belongs_to_no_op(text: str, line: int, column: int) -> None:
    check_error(text, line, column, "expected an operation before this location")


def test_a_diagnostic_that_begins_with_a_location_is_a_line_of_a_log() -> None:
    assert names('loc("x"): error: no\nmodule {\n  loc("x":1:2): note: here\n  my.a\n}\n') == [
        "builtin.module",
        "  my.a",
    ]


def test_a_name_means_the_value_outside_again_behind_a_region_that_shadows_it() -> None:
    text = """%0 = "my.outer"() : () -> i32
my.region {
  %0 = "my.inner"() : () -> i32
  "my.use"(%0) : (i32) -> ()
}
"my.use"(%0) : (i32) -> ()
"""
    assert uses(text) == [("my.inner", "my.use"), ("my.outer", "my.use")]


def test_a_region_that_is_not_isolated_may_not_shadow() -> None:
    text = """func.func @f(%c: i1) {
  %0 = arith.constant 1 : i32
  scf.if %c {
    %0 = arith.constant 2 : i32
  }
  return
}
"""
    check_error(text, 4, 5, "redefinition of value '%0'")


def test_a_region_may_repeat_an_argument_that_the_header_names() -> None:
    text = """func.func @f(%x: i32, %c: i1) {
  %r = scf.while (%a = %x) : (i32) -> i32 {
    "my.use"(%a) : (i32) -> ()
    scf.condition(%c) %a : i32
  } do {
  ^bb0(%a: i32):
    "my.use"(%a) : (i32) -> ()
    scf.yield %a : i32
  }
  return
}
"""
    ir = ir_of(text)
    users = [op for op in range(len(ir)) if ir.name(op) == "my.use"]
    owners = [ir.value_owner[ir.operands_of(op)[0]] for op in users]
    assert owners == [-1 - ir.op_block[op] for op in users]  # each the argument of its own block


def test_an_operand_behind_a_region_may_be_defined_below() -> None:
    ir = ir_of('my.do {\n"my.x"() : () -> ()\n} while (%0#1)\n%0:2 = "my.two"() : () -> (i32, i32)\n')
    assert list(ir.operands_of(0)) == [ir.first_result[2] + 1]


def test_an_op_may_not_use_its_own_result_inside() -> None:
    text = """func.func @f() {
  %0 = scf.execute_region -> i32 {
    scf.yield %0 : i32
  }
  return
}
"""
    check_error(text, 3, 15, "use of value '%0' before its definition")


@pytest.mark.parametrize("gap", ["\n", " // one\n", "\n\n// one\n  // two {\n  "])
def test_an_unlisted_op_outside_all_others_whose_brace_is_on_the_next_line(gap: str) -> None:
    text = f'firrtl.circuit "A" attributes {{a = [{{b = "c"}}]}}{gap}{{\n  firrtl.module @A() {{}}\n}}\n'
    assert names(text) == ["firrtl.circuit", "  firrtl.module"]


def test_a_function_outside_all_others_may_lack_its_dialect() -> None:
    text = "func @f(%a: i32) -> i32 {\n  return %a : i32\n}\nfunc private @g(i32)\nfunc main() is called\n"
    assert names(text) == ["func.func", "  func.return", "func.func"]


def test_an_interval_may_be_half_open() -> None:
    text = "func.func @f(%a: index, %b: index) {\n  rtg.random_number_in_range [%a, %b)\n  return\n}\n"
    assert names(text) == ["func.func", "  rtg.random_number_in_range", "  func.return"]


def test_an_unlisted_op_outside_all_others_is_read_if_it_has_an_operand() -> None:
    assert names('%0 = "t.a"() : () -> i32\nt.b %0 : i32\nmodel.py is read, 50% done\n') == ["t.a", "t.b"]


NOT_A_NAME = "expected a value's name after '%': a number, or a letter first"


@pytest.mark.parametrize(
    ("op", "column"), [("%0_0 = my.a", 3), ('"my.a"(%0a) : (i32) -> ()', 10), ("my.a %a, %1.b", 12)]
)
def test_a_name_that_begins_with_a_digit_is_a_number(op: str, column: int) -> None:
    check_error(f"func.func @f(%a: i32) {{\n  {op}\n  return\n}}", 2, column, NOT_A_NAME)


def test_a_number_may_stand_before_a_minus() -> None:
    text = (
        "func.func @f(%0: index, %m: memref<4xi8>) {\n  %1 = affine.load %m[%0-1] : memref<4xi8>\n return\n}"
    )
    ir = ir_of(text)
    assert list(ir.operands_of(1)) == [1, 0]


def test_a_percent_sign_in_a_type_begins_no_name() -> None:
    assert names("func.func @f(%a: !my.t<%0x>) {\n  my.a %a : !my.t<%0x, %>\n  return\n}") == [
        "func.func",
        "  my.a",
        "  func.return",
    ]


REPEATED = {
    "a region of an unlisted op": 'func.func @f(%a: i32) {{\n  "my.r"() ({{\n  {0}\n  }}) : () -> ()\n  return\n}}',
    "a region in such a region": (
        'func.func @f(%a: i32) {{\n "my.r"() ({{ "my.r"() ({{\n  {0}\n }}) : () -> () }}) : () -> ()\n return\n}}'
    ),
    "an isolated region": (
        'func.func @f(%a: i32) {{\n  "builtin.module"() ({{\n  {0}\n  }}) : () -> ()\n  return\n}}'
    ),
    "a module": "func.func @f(%a: i32) {{\n  builtin.module {{\n  {0}\n  }}\n  return\n}}",
}


@pytest.mark.parametrize("where", REPEATED)
@pytest.mark.parametrize(
    ("op", "column"), [("%a = arith.constant 1 : i32", 3), ("func.func @g(%a: i32) { return }", 16)]
)
def test_no_region_repeats_a_name_around_it(where: str, op: str, column: int) -> None:
    check_error(REPEATED[where].format(op), 3, column, "redefinition of value '%a'")


def test_a_hidden_name_is_not_repeated_by_a_loop() -> None:
    text = (
        "func.func @f(%a: index) {\n module {\n func.func @g(%b: index) {\n"
        "  scf.for %a = %b to %b step %b {\n }\n return\n }\n }\n return\n}"
    )
    check_error(text, 4, 11, "redefinition of value '%a'")


def test_the_syntax_of_an_op_may_repeat_a_name() -> None:
    text = """func.func @f(%a: i32) {
      my.region {
        %a = arith.constant 1 : i32 loc("x")
        scf.if %c {
          %a = arith.constant 1 : i32
        }
      }
      return
    }"""
    check_error(text, 5, 11, "redefinition of value '%a'")
    ir = ir_of(text.replace("          %a", "          %b").replace("%c", "%a"))
    assert ir.repeats_names


def test_a_carriage_return_ends_a_comment() -> None:
    text = "func.func @f(%x: f32) {\n  %0 = arith.negf %x : f32 // a\r %1 = my.b %0 // b\r//c\r  my.c %1\n return // }\r}"
    assert names(text) == ["func.func", "  arith.negf", "  my.b", "  my.c", "  func.return"]
    assert [ir_of(text).text(op) for op in (1, 2)] == [b"%0 = arith.negf %x : f32", b"%1 = my.b %0"]


def test_an_op_goes_on_behind_a_comment_that_a_carriage_return_ends() -> None:
    assert uses("%0 = my.a\n%1 = my.b %0, // %2 =\r %0 : i32\n") == [("my.a", "my.b"), ("my.a", "my.b")]


def test_ten_thousand_levels_of_nesting_are_too_deep() -> None:
    text = '"my.r"() ({\n' * 10_001
    check_error(text, 10_001, 11, "regions are nested more than 10,000 deep")
