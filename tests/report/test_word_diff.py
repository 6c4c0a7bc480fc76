"""The words in which two texts differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.report.wording.diff import marked, word_diff


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("a", "a", "a"),
        ("", "x", "{+x+}"),
        ("array<i64: 1, 16, 16>", "array<i64: 1, 256, 1>", "array<i64: 1, [-16, 16-]{+256, 1+}>"),
        ("@f, %a", "@f, %b", "@f, [-%a-]{+%b+}"),
        ("1, 4, 128", "128", "[-1, 4, -]128"),
        (
            "x" * 50 + " a " + "y" * 50,
            "x" * 50 + " b " + "y" * 50,
            f"...{'x' * 17} [-a-]{{+b+}} {'y' * 17}...",
        ),
        ("0x" + "A" * 99 + "B", "0x" + "A" * 99 + "C", "[-...AAAAAAAAAAB-]{+...AAAAAAAAAAC+}"),
    ],
)
def test_marked_words(before: str, after: str, text: str) -> None:
    assert marked(word_diff(before, after, verbose=False)) == text


@given(*[st.text("ab1 ,%", max_size=30)] * 2)
def test_nothing_is_lost(before: str, after: str) -> None:
    stretches = word_diff(before, after, verbose=True)
    assert ("".join(one.before for one in stretches), "".join(one.after for one in stretches)) == (
        before,
        after,
    )
    assert all(one.differs or one.before == one.after for one in stretches)


def test_long_texts_are_compared_as_a_whole() -> None:
    assert len(word_diff("1, " * 1000, "2, " * 1000, verbose=True)) == 1


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (
            "map = affine_map<(d0, d1) -> (d0)>",
            "map = affine_map<(d0, d1) -> (d1)>",
            "map = [-affine_map<(d0, d1) -> (d0)>-]{+affine_map<(d0, d1) -> (d1)>+}",
        ),
        ("f(%, % : i1, i2)", "f(%, %, % : i1, i2, i3)", "f({+%, +}%, % : i1, i2{+, i3+})"),
        ("f(%) : i1", "f(%, %) : i1", "f({+%, +}%) : i1"),
        ("load %[%, %]", "load %[%]", "load %[[-%, -]%]"),
    ],
)
def test_a_mark_does_not_cut_a_word(before: str, after: str, text: str) -> None:
    assert marked(word_diff(before, after, verbose=True)) == text


def test_a_long_text_is_cut_between_words() -> None:
    before = "index, tensor<128x64xf32>, tensor<128x64xf32>, a : tensor<128x64xf32>, tensor<256x64xf32>"
    stretches = word_diff(before, before.replace("a :", "b :"), verbose=False)
    assert marked(stretches) == "...<128x64xf32>, [-a-]{+b+} : tensor<..."


@given(st.text("ab1 ,<>%", max_size=120), st.text("ab1 ,<>%", max_size=120))
def test_a_shortened_text_begins_and_ends_as_the_whole(before: str, after: str) -> None:
    whole, cut = (word_diff(before, after, verbose=verbose) for verbose in (True, False))
    assert [one.differs for one in whole] == [one.differs for one in cut]
    assert all(len(one.before) <= 43 and len(one.after) <= 43 for one in cut)
