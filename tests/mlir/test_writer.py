from hypothesis import given
from hypothesis import strategies as st

from eio_audit.mlir.reading.boundaries import comments_above
from tests.internals import in_orders
from tests.reading import ir_of


def reordered(text: str, *orders: tuple[int, list[int]]) -> str:
    """The text with blocks, by number, in other orders."""
    return in_orders(ir_of(text), dict(orders)).decode()


def test_ops_change_places_and_white_space_stays() -> None:
    text = 'module {\n  "t.a"() : () -> ()\n\n\t"t.b"() : () -> ()\n}\n'
    assert reordered(text, (1, [1, 0])) == 'module {\n  "t.b"() : () -> ()\n\n\t"t.a"() : () -> ()\n}\n'


def test_comments_go_with_their_op() -> None:
    text = """module {
  "t.a"() : () -> () // of a
  // of b, above
  // it
  "t.b"() : () -> ()
}
"""
    assert (
        reordered(text, (1, [1, 0]))
        == """module {
  // of b, above
  // it
  "t.b"() : () -> ()
  "t.a"() : () -> () // of a
}
"""
    )


def test_line_ends_are_kept() -> None:
    text = 'module {\r\n  "t.a"() : () -> ()\r\n  "t.b"() : () -> () // b\r\n}\r\n'
    assert (
        reordered(text, (1, [1, 0]))
        == 'module {\r\n  "t.b"() : () -> () // b\r\n  "t.a"() : () -> ()\r\n}\r\n'
    )


def test_ops_on_one_line() -> None:
    assert reordered('module { %0 = a.b : i32 "t.b"() : () -> () }', (1, [1, 0])) == (
        'module { "t.b"() : () -> () %0 = a.b : i32 }'
    )


def test_a_comment_does_not_swallow_the_op_behind_it() -> None:
    text = '"t.a"() : () -> () "t.b"() : () -> () // b\n"t.c"() : () -> ()'
    assert (
        reordered(text, (0, [1, 0, 2])) == '"t.b"() : () -> () // b\n "t.a"() : () -> ()\n"t.c"() : () -> ()'
    )


def test_a_quote_in_a_string_hides_no_comment() -> None:
    text = '"t.a"() : () -> () "t.b"() {s = "a\\"b"} : () -> () // b'
    assert reordered(text, (0, [1, 0])) == '"t.b"() {s = "a\\"b"} : () -> () // b\n "t.a"() : () -> ()'


def test_a_file_without_final_newline() -> None:
    text = '"t.a"() : () -> ()\n"t.b"() : () -> () // b'
    assert reordered(text, (0, [1, 0])) == '"t.b"() : () -> () // b\n"t.a"() : () -> ()'


def test_a_separator_that_differs_stays_in_its_place() -> None:
    text = 'module {\n  "t.a"() : () -> ()\n  "t.b"() : () -> ()\n\n  "t.c"() : () -> ()\n}\n'
    assert reordered(text, (1, [1, 2, 0])) == (
        'module {\n  "t.b"() : () -> ()\n  "t.c"() : () -> ()\n\n  "t.a"() : () -> ()\n}\n'
    )


def test_a_comment_does_not_swallow_the_op_behind_what_moves() -> None:
    text = '"t.a"() : () -> () // a\n"t.b"() : () -> () "t.c"() : () -> ()'
    assert (
        reordered(text, (0, [1, 0, 2])) == '"t.b"() : () -> ()\n"t.a"() : () -> () // a\n "t.c"() : () -> ()'
    )


def test_what_closes_a_region_on_the_line_of_its_last_op_is_written_once() -> None:
    text = """"t.r"() ({
  "t.a"() : () -> ()
  "t.b"() : () -> () }) : () -> ()
"t.c"() : () -> ()
"""
    assert (
        reordered(text, (0, [1, 0]), (1, [1, 0]))
        == """"t.c"() : () -> ()
"t.r"() ({
  "t.b"() : () -> ()
  "t.a"() : () -> () }) : () -> ()
"""
    )


def test_nested_blocks_move_with_their_op() -> None:
    text = """module {
  "t.r"() ({
    "t.a"() : () -> ()
    "t.b"() : () -> ()
  }) : () -> ()
  "t.c"() : () -> ()
}
"""
    assert (
        reordered(text, (1, [1, 0]), (2, [1, 0]))
        == """module {
  "t.c"() : () -> ()
  "t.r"() ({
    "t.b"() : () -> ()
    "t.a"() : () -> ()
  }) : () -> ()
}
"""
    )


def test_a_block_deep_inside_what_is_not_moved() -> None:
    text = 'module {\n"t.r"() ({\n"t.a"() : () -> ()\n"t.b"() : () -> ()\n}) : () -> ()\n}'
    assert reordered(text, (2, [1, 0])) == text.replace('"t.a"', "?").replace('"t.b"', '"t.a"').replace(
        "?", '"t.b"'
    )


def test_a_block_in_an_op_that_stays_inside_one_that_moves() -> None:
    text = """module {
  "t.r"() ({
    "t.a"() : () -> ()
    "t.b"() : () -> ()
    "t.s"() ({
      "t.x"() : () -> ()
      "t.y"() : () -> ()
    }) : () -> ()
  }) : () -> ()
  "t.c"() : () -> ()
}
"""
    assert (
        reordered(text, (1, [1, 0]), (2, [1, 0, 2]), (3, [1, 0]))
        == """module {
  "t.c"() : () -> ()
  "t.r"() ({
    "t.b"() : () -> ()
    "t.a"() : () -> ()
    "t.s"() ({
      "t.y"() : () -> ()
      "t.x"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}
"""
    )


OPS = ['"t.a"() : () -> ()', '"t.b"() : () -> () loc("x")', "%r = my.c : i32", '"t.d"() ({\n}) : () -> ()']
GAPS = ["\n", "\r\n  ", "\n\n", " // c\n", "\n // above\n\t", "\n// lone\n\n", " ", "\n\t// a\r\n // b\n  "]


@given(
    st.sampled_from(GAPS),
    st.lists(st.tuples(st.sampled_from(OPS), st.sampled_from(GAPS)), min_size=1, max_size=7),
    st.randoms(),
)
def test_every_order_holds_the_same_ops_and_comments(gap: str, pieces: list[tuple[str, str]], random) -> None:
    body = gap + "".join(op.replace("%r", f"%{k}") + gap for k, (op, gap) in enumerate(pieces))
    text = f"module {{{body}\n}}\n"
    ir = ir_of(text)
    order = list(range(len(pieces)))
    assert in_orders(ir, {1: order}) == text.encode()
    random.shuffle(order)
    after = ir_of(in_orders(ir, {1: order}))
    old_ops = [ir.block_ops[1][k] for k in order]
    assert [after.text(op) for op in after.block_ops[1]] == [ir.text(op) for op in old_ops]
    above, old_above = comments_above(after), comments_above(ir)
    assert [above.get(op) for op in after.block_ops[1]] == [old_above.get(op) for op in old_ops]
    assert sorted(after.dump_text.split()) == sorted(ir.dump_text.split())


def lines(*body: str) -> str:
    return "".join(f"{line}\n" for line in ("module {", *body, "}"))


A, B, C = '  "t.a"() : () -> ()', '  "t.b"() : () -> ()', '  "t.c"() : () -> ()'


def test_comments_above_the_first_op_go_with_it() -> None:
    assert reordered(lines("  // a", "\t// CHECK: a", A, B), (1, [1, 0])) == lines(
        B, "  // a", "\t// CHECK: a", A
    )


def test_comments_below_a_label_go_with_the_op() -> None:
    label = "^bb1:  // 2 preds: ^bb0, ^bb2"
    assert reordered(lines(label, "  // a", A, B), (1, [1, 0])) == lines(label, B, "  // a", A)


def test_a_comment_that_a_blank_line_parts_from_an_op_stays() -> None:
    assert reordered(lines("  // 1", "", A, "  // 2", "", "  // b", B), (1, [1, 0])) == lines(
        "  // 1", "", "  // b", B, "  // 2", "", A
    )


def test_a_comment_above_a_closing_brace_stays() -> None:
    assert reordered(lines(A, B, "  // end"), (1, [1, 0])) == lines(B, A, "  // end")


def test_a_comment_above_a_label_stays() -> None:
    text = lines(A, B, "// next", "^bb1:", C)
    assert reordered(text, (1, [1, 0])) == lines(B, A, "// next", "^bb1:", C)


def test_a_comment_above_the_terminator_stays_with_it() -> None:
    assert reordered(lines(A, B, "  // c", C), (1, [1, 0, 2])) == lines(B, A, "  // c", C)


def test_a_line_that_splits_files_is_no_comment() -> None:
    text = lines("  // 1", "  // -----", "  // a", A, B)
    assert reordered(text, (1, [1, 0])) == lines("  // 1", "  // -----", B, "  // a", A)


def test_a_comment_above_an_op_gets_a_line_of_its_own() -> None:
    text = 'module { "t.a"() : () -> () "t.b"() : () -> ()\n// c\n"t.c"() : () -> () }'
    assert reordered(text, (1, [2, 0, 1])) == (
        'module { \n// c\n"t.c"() : () -> () "t.a"() : () -> ()\n"t.b"() : () -> () }'
    )
    assert reordered(text, (1, [0, 2, 1])) == (
        'module { "t.a"() : () -> ()\n// c\n "t.c"() : () -> ()\n"t.b"() : () -> () }'
    )


def test_two_stretches_next_to_each_other_one_with_a_comment() -> None:
    text = lines(A, B, C, A, "  // b", B, C)
    assert reordered(text, (1, [0, 2, 1, 4, 3, 5])) == lines(A, C, B, "  // b", B, A, C)


def test_comment_lines_keep_their_own_indentation() -> None:
    text = lines("// a", A, "", "      // b", '    "t.b"() : () -> ()')
    assert reordered(text, (1, [1, 0])) == lines("      // b", B, "", "// a", '    "t.a"() : () -> ()')


def test_an_op_does_not_run_into_the_word_before_it() -> None:
    for separator in (" ", "", "\n"):
        text = f'module {{\n%0 = a.x : i32"t.b"() : () -> (){separator}a.y : i32\n}}\n'
        expected = f'module {{\n%0 = a.x : i32 a.y : i32{separator}"t.b"() : () -> ()\n}}\n'
        assert reordered(text, (1, [0, 2, 1])) == expected


def test_an_op_does_not_run_into_the_word_before_it_where_others_move_as_well() -> None:
    text = (
        'module {\n%0 = a.x : i32"t.b"() : () -> ()\na.y : i32\n"t.c"() : () -> ()\n"t.d"() : () -> ()\n}\n'
    )
    assert reordered(text, (1, [0, 2, 1, 4, 3])) == (
        'module {\n%0 = a.x : i32 a.y : i32\n"t.b"() : () -> ()\n"t.d"() : () -> ()\n"t.c"() : () -> ()\n}\n'
    )


def test_nothing_comes_between_ops_that_no_word_joins() -> None:
    text = 'module {\n%0 = a.x : vector<4>"t.b"() : () -> () a.y : i32\n}\n'
    assert reordered(text, (1, [0, 2, 1])) == text.replace(
        '"t.b"() : () -> () a.y : i32', 'a.y : i32 "t.b"() : () -> ()'
    )


def test_the_comment_of_what_becomes_the_last_op_does_not_come_before_the_first() -> None:
    text = 'module { "t.a"() : () -> () // a\n"t.b"() : () -> () }'
    assert reordered(text, (1, [1, 0])) == 'module { "t.b"() : () -> ()\n"t.a"() : () -> () // a\n }'


COMMENT_OF_NONE = "func.func @f() {\n  %0 = a.x // 0\n  // c\r  %1 = a.y\n  // own\n  %2 = a.z\n  return\n}\n"


def test_a_comment_that_a_carriage_return_ends_stays_apart_from_those_of_an_op() -> None:
    assert reordered(COMMENT_OF_NONE, (1, [0, 2, 1, 3])) == (
        "func.func @f() {\n  %0 = a.x // 0\n  // c\r  \n\n  // own\n%2 = a.z\n  %1 = a.y\n  return\n}\n"
    )


def test_such_a_comment_may_be_the_first_of_a_block() -> None:
    text = COMMENT_OF_NONE.replace("  %0 = a.x // 0\n", "")
    assert reordered(text, (1, [1, 0, 2])) == (
        "func.func @f() {\n  // c\r  \n\n  // own\n%2 = a.z\n  %1 = a.y\n  return\n}\n"
    )
