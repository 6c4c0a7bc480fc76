"""What is known of lines that have been read before, and what is not."""

from __future__ import annotations

from collections.abc import Iterator

from eio_audit import Source
from eio_audit.mlir.fast.known_lines import FEWEST_AT_ONCE, KnownColumns, KnownLines
from eio_audit.mlir.input.files import Text
from eio_audit.mlir.reading.reader import read_ir

TEXT = b"""\
func.func @f() {
  %0 = "t.a"() : () -> i32 loc("DEBUG|0|a")
  %1:2 = "t.b"(%0) : (i32) -> (i32, i32) loc("DEBUG|1|b")
  "t.c"(%0, %1#1) : (i32, i32) -> () loc(unknown)
  "t.d"() ({
    "t.e"(%0) : (i32) -> () loc(unknown)
  }) : () -> () loc(unknown)
  "t.f"() : () -> () loc(unknown)
}
"""
LINES = TEXT.splitlines(keepends=True)


def known(*order: range, text: bytes = TEXT) -> KnownLines:
    return KnownLines(read_ir(Source("f", text), keeps_names=True), order)


def test_lines_in_another_order_are_known() -> None:
    columns = known(range(3, 4), range(2, 3), range(1, 2)).columns_at(LINES[3] + LINES[2] + LINES[1], 0, 0)
    assert columns is not None
    assert columns.names == [b"t.c", b"t.b", b"t.a"]
    assert columns.results == [b"", b"%1", b"%0"]
    assert columns.result_counts == [0, 2, 1]
    assert columns.uses == [b"%0", b"%1", b"%0"]
    assert columns.use_starts == [0, 2, 3, 3]
    assert (columns.numbered, columns.numbers) == ([1, 3], [1])
    assert list(columns.op_starts) == [2, 2 + len(LINES[3]), 2 + len(LINES[3]) + len(LINES[2])]
    assert columns.end == len(LINES[1] + LINES[2] + LINES[3])


def test_a_line_that_differs_by_a_byte_is_not_known() -> None:
    assert known(range(1, 2)).columns_at(LINES[1].replace(b"i32", b"i16"), 0, 0) is None
    columns = known(range(1, 3)).columns_at(LINES[1] + b"\n" + LINES[2], 0, 0)
    assert columns is None


def test_what_is_known_ends_where_a_region_begins_and_where_it_ends() -> None:
    text = b"".join(LINES[1:])
    columns = known(range(1, 7)).columns_at(text, 0, 0)
    assert columns is not None
    assert columns.names == [b"t.a", b"t.b", b"t.c"]
    inside = known(range(5, 7)).columns_at(LINES[5] + LINES[7], 0, 0)
    assert inside is not None
    assert inside.names == [b"t.e"]


def test_an_op_that_opens_a_region_is_not_known() -> None:
    assert known(range(4, 5)).columns_at(LINES[4], 0, 0) is None


def test_an_op_without_its_dialect_is_not_known() -> None:
    """Elsewhere it may be the ``return`` of another one."""
    text = b"func.func @f() {\n  return loc(unknown)\n}\n"
    assert known(range(1, 2), text=text).columns_at(b"  return loc(unknown)\n", 0, 0) is None


def test_the_next_op_tells_where_to_look() -> None:
    order = known(range(1, 3), range(1, 2))
    assert order.columns_at(LINES[1], 0, 1) is None
    columns = order.columns_at(LINES[2] + LINES[1], 0, 1)
    assert columns is not None
    assert columns.names == [b"t.b", b"t.a"]
    assert order.columns_at(LINES[1], 0, 3) is None


def test_few_lines_are_looked_for_where_others_stood_just_before() -> None:
    """Else each line that is in the way would cost as much as all that could follow it."""
    body = b"".join(b'  "t.a"() : () -> () loc("%d")\n' % line for line in range(10))
    lines = known(range(1, 11), text=b'"t.f"() ({\n' + body + b"}) : () -> ()\n")
    assert lines.columns_at(b"\n" + body, 0, 0) is None
    found = [len(columns.names) for _ in range(3) if (columns := lines.columns_at(body, 0, 0))]
    assert found == [FEWEST_AT_ONCE, 2 * FEWEST_AT_ONCE, 10]


class CountedSearches(KnownLines):
    """Known lines, and how often they are looked for."""

    searches = 0

    def columns_at(self, text: Text, offset: int, op: int) -> KnownColumns | None:
        self.searches += 1
        return super().columns_at(text, offset, op)


def test_known_lines_are_given_up_where_their_names_have_got_another_meaning() -> None:
    lines = [b'  %%%d = "t.a"() : () -> i32 loc("%s")\n' % (line, b"x" * 8192) for line in range(300)]
    opening, closing = b'"t.f"() ({\n"t.r"() ({\n', b"}) : () -> () loc(unknown)\n"
    old = opening + b"".join(lines) + closing + b"".join(lines) + closing
    new = b'"t.f"() ({\n' + b"".join(lines) + b'"t.r"() ({\n' + b"".join(lines) + closing + closing
    order = [range(1), range(302, 602), range(1, 302)]
    searched = CountedSearches(read_ir(Source("f", old), keeps_names=True), order)
    assert len(read_ir(Source("f", new), known=searched)) == 602
    # All in front of the region, then its header, which is not plain, and what it holds.
    assert searched.searches == 3


def test_stretches_that_come_before_are_not_passed_over_again() -> None:
    class Order(list[range]):
        iterated = 0

        def __iter__(self) -> Iterator[range]:
            for run in super().__iter__():
                self.iterated += 1
                yield run

    order = Order([range(1, 2), range(2, 3), range(3, 4)])
    lines = KnownLines(read_ir(Source("f", TEXT), keeps_names=True), order)
    order.iterated = 0
    assert lines.columns_at(LINES[3], 0, 2) is not None
    assert order.iterated == 0
