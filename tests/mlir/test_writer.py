from hypothesis import given
from hypothesis import strategies as st

from eio_audit.mlir.writer import reorder
from tests.reading import ir_of


def reordered(text: str, *orders: tuple[int, list[int]]) -> str:
    """The text with blocks, by number, in other orders."""
    return reorder(ir_of(text), dict(orders)).decode()


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
GAPS = ["\n", "\r\n  ", "\n\n", " // c\n", "\n // above\n\t"]


@given(st.lists(st.tuples(st.sampled_from(OPS), st.sampled_from(GAPS)), min_size=1, max_size=6), st.randoms())
def test_every_order_holds_the_same_ops(pieces: list[tuple[str, str]], random) -> None:
    body = "".join(op.replace("%r", f"%{k}") + gap for k, (op, gap) in enumerate(pieces))
    text = f"my.region {{\n{body}}}\n"
    ir = ir_of(text)
    order = list(range(len(pieces)))
    assert reorder(ir, {1: order}) == text.encode()
    random.shuffle(order)
    after = ir_of(reorder(ir, {1: order}))
    assert [after.text(op) for op in after.block_ops[1]] == [ir.text(ir.block_ops[1][k]) for k in order]
