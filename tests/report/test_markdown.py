"""What a document is in Markdown."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.report.document import Link, Rest, Section, Steps, document, figures_of, line
from eio_audit.report.markdown import quoted, to_markdown
from eio_audit.report.wording.conclusion import Step


def written(*sections: object) -> list[str]:
    return to_markdown(document(*sections), "check").splitlines()[2:]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "#12",
        "@main",
        "a_b_c",
        "*x*",
        "GH-7",
        ":smile:",
        "https://a.b",
        "a|b",
        "deadbee",
        "#1 [0, 1]",
        "A<B, C>",
    ],
)
def test_what_github_would_read_is_in_code_style(text: str) -> None:
    assert quoted(text) == f"`{text}`"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#12 t.a at line 3", "`#12` t.a at line 3"),
        ("3. x", "`3`. x"),
        ("- x", "`-` x"),
        ("in (a_b.mlir:3): 2 -> 3", "in (`a_b.mlir:3`): 2 -> 3"),
        ("P<A, B>: x", "`P<A, B>`: x"),
    ],
)
def test_other_words_are_as_they_are(text: str, said: str) -> None:
    assert quoted(text) == said


@given(st.text("ab1 #_*`[]<>():.-|@", max_size=30))
def test_nothing_but_code_has_marks(text: str) -> None:
    outside = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", quoted(text))
    assert not re.search(r"[#_*`\[\]<|@]", outside)


@pytest.mark.parametrize(
    "text", ["2 wrong indices in 1 of 1 dumps", "0 -> 18 inversions", "canonicalize: 3 s (-v)"]
)
def test_plain_words_are_as_they_are(text: str) -> None:
    assert quoted(text) == text


@given(st.text(max_size=30))
def test_text_stays_in_its_line(text: str) -> None:
    assert len(written([text, "end"])) <= 3


def test_bold_pieces_are_bold_without_what_is_around_their_words() -> None:
    assert written([line(("order: ", "bold"), "0 -> 18 inversions")]) == ["**order**: 0 -> 18 inversions"]


def test_indented_sentences_are_a_list() -> None:
    sentences = [line("a", indent=2), line("b", indent=4), Rest("... and 3 more", indent=4)]
    assert written(["head", *sentences, "end"]) == [
        *["head", "", "- a", "  - b", "  - ... and 3 more (-v)", "", "end"],
    ]


def test_names_come_before_numbers_in_a_table() -> None:
    table = figures_of(
        [{"n": 3, "op": "t.a"}], "#n, op", {"n": lambda one: one["n"], "op": lambda one: one["op"]}
    )
    assert written([table]) == ["| op | n |", "| --- | ---: |", "| `t.a` | 3 |"]


def test_commands_are_a_block_of_their_own() -> None:
    assert written(Section("next", [Steps([Step("eio-audit fix a.mlir", "shows it")])])) == [
        *["#### next", "", "```sh", "eio-audit fix a.mlir  # shows it", "```"],
    ]


def test_a_place_is_text() -> None:
    assert written([Link("a.mlir:3:1", "a.mlir", 3, "bold")]) == ["**`a.mlir:3:1`**"]


def test_what_is_empty_is_left_out() -> None:
    assert list(document(["", ("", "dim"), Steps(), Rest("")], Section("title", []))) == []
