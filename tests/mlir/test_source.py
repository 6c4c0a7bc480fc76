import gzip
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import InputError, check, fix
from eio_audit.mlir.input.dumps import find_dumps
from eio_audit.mlir.source import Span, find_all, read_file
from tests.internals import Source


def test_only_line_feeds_end_a_line() -> None:
    source = Source("f", "a\x0cb\u2028c\nd".encode())
    assert source.position_at(source.data.index(b"d")) == (2, 1)


@given(
    data=st.text("aIR ", max_size=60).map(str.encode),
    text=st.sampled_from([b"IR ", b"R", b"aI"]),
    ends=st.tuples(st.integers(0, 60), st.integers(0, 60)),
)
def test_a_text_is_found_wherever_it_occurs(data: bytes, text: bytes, ends: tuple[int, int]) -> None:
    start, end = sorted(min(end, len(data)) for end in ends)
    found = list(find_all(data, text, Span(start, end)))
    assert found == [k for k in range(start, end - len(text) + 1) if data.startswith(text, k)]


@given(
    data=st.lists(st.sampled_from(["IR ", '"0x', '"', "\n", "0", "xIR"]), max_size=30)
    .map("".join)
    .map(str.encode)
)
def test_a_text_is_found_unless_it_is_in_hexadecimal(data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("eio_audit.mlir.source.AT_ONCE", 4)
        found = list(find_all(data, b"IR ", Span(0, len(data))))
    constants = [match.span() for match in re.finditer(rb'(?="0x[^"\n]*")"[^"]*', data)]
    others = [k.start() for k in re.finditer(rb"IR ", data)]
    missed = [k for k in others if k not in found]
    assert found == [k for k in others if k not in missed]
    assert all(any(start < k < end for start, end in constants) for k in missed)


def test_a_text_is_not_found_in_a_long_constant() -> None:
    data = b'IR "0x' + b"IR " * 100_000 + b'" IR '
    assert list(find_all(data, b"IR ", Span(0, len(data)))) == [0, len(data) - 3]


def test_an_open_quote_hides_nothing_on_later_lines() -> None:
    data = b'"0x' + b"0" * 100_000 + b'\nIR "'
    assert list(find_all(data, b"IR ", Span(0, len(data)))) == [len(data) - 4]


def test_lines_of_several_places() -> None:
    source = Source("f", b"a\nb\n\nc", first_line=5)
    assert [source.line_at(offset) for offset in (0, 2, 3, 5, 2)] == [5, 6, 6, 8, 6]


def test_columns_count_characters() -> None:
    source = Source("f", "é x".encode())
    assert source.position_at(source.data.index(b"x")) == (1, 3)


def test_an_error_shows_the_line_and_a_caret() -> None:
    source = Source("f.mlir", b"one\n\ttwo three\n")
    error = source.error(source.data.index(b"three"), "expected four")
    assert str(error) == "f.mlir:2:6: error: expected four\n\ttwo three\n\t    ^"


def test_an_error_in_a_long_line_shows_the_stretch_around_it() -> None:
    source = Source("f", b"x" * 10_000 + b"!" + b"y" * 10_000)
    line, caret = source.error(10_000, "here").excerpt.split("\n")
    assert line == "..." + "x" * 50 + "!" + "y" * 49 + "..."
    assert caret.index("^") == line.index("!")


@pytest.mark.parametrize(
    ("place", "line", "caret"),
    [
        (0, "!bcdefghi...", "^"),
        (6, "...ef!hij...", "     ^"),
        (7, "...fg!ijk...", "     ^"),
        (19, "...lmnopqrs!", "           ^"),
        (20, "...mnopqrst", "           ^"),
    ],
)
def test_an_excerpt_is_cut_to_the_width_of_a_terminal(place: int, line: str, caret: str) -> None:
    text = "abcdefghijklmnopqrst"
    source = Source("f", f"{text[:place]}!{text[place + 1 :]}".encode() if place < 20 else text.encode())
    assert source.error(place, "here").fitted(12) == f"f:1:{place + 1}: error: here\n{line}\n{caret}"


def test_tabs_do_not_move_the_caret_of_an_excerpt_that_is_cut() -> None:
    error = Source("f", b"a\tb!cdefghijklmnop").error(3, "here")
    assert error.fitted(12).split("\n")[1:] == ["... b!cde...", "     ^"]


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in Source("f", b"a\x1b[31mb").error(0, "here").excerpt


def test_compressed_files_are_recognized_by_content(tmp_path) -> None:
    path = tmp_path / "dump.mlir"
    path.write_bytes(gzip.compress(b"module {\n}\n"))
    assert Source.read(str(path)).data == b"module {\n}\n"


def test_a_large_file_is_read_like_a_small_one(tmp_path) -> None:
    text = b'func.func @f() {\n  %0 = t.b loc("2|b")\n  %1 = t.a loc("1|a")\n  return\n}\n'
    path = tmp_path / "dump.mlir"
    path.write_bytes(text)
    source = Source(str(path), read_file(str(path), 1000, large_bytes=1)[0])
    assert not isinstance(source.data, bytes)
    assert source.data[:] == text
    assert source.position_at(text.index(b"t.a")) == (3, 8)
    assert check(find_dumps(source)).summary.inversions == 1
    assert fix(find_dumps(source)).text == fix(find_dumps(Source("f", text))).text


def test_a_large_compressed_file_is_unpacked(tmp_path) -> None:
    path = tmp_path / "dump.mlir"
    path.write_bytes(gzip.compress(b"module {\n}\n"))
    assert read_file(str(path), 1000, large_bytes=1) == (b"module {\n}\n", True)


def test_a_damaged_compressed_file_is_an_error(tmp_path) -> None:
    path = tmp_path / "dump.mlir.gz"
    path.write_bytes(gzip.compress(b"module {\n}\n" * 100)[:-9])
    with pytest.raises(InputError, match="damaged compressed file"):
        Source.read(str(path))


def test_a_missing_file_is_an_error() -> None:
    with pytest.raises(InputError, match="cannot read: No such file"):
        Source.read("no/such/file.mlir")
