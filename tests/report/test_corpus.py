"""Reports on many models, compared with the files in goldens, and the tables of their pages."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from eio_audit import Dump, Gate, Verdict, __version__, read_text
from eio_audit.audit.explain.order_picture import pictures_of_model
from eio_audit.report.html.pages import check_to_pages, page_names
from tests.audit.corpus.made import judged_corpus
from tests.golden import golden
from tests.internals import Console, rendered
from tests.logs import dump, function
from tests.report.pages import Page, column
from tests.rules import AVOIDABLE

GOLDENS = Path(__file__).parent / "goldens"
ORDERED, ONE, THREE = function("f", 1, 2, 3), function("f", 2, 1, 3), function("f", 3, 2, 1)
MANY = {
    **{f"model_{k:02}/1_canonicalize.mlir": THREE if k % 5 == 0 else ONE for k in range(12)},
    **{f"model_{k:02}/2_cse.mlir": ONE for k in range(4)},
    "clean/2_cse.mlir": ORDERED,
    "broken/2_cse.mlir": "",
    "log/passes.log": dump("Before", "inline", ORDERED) + dump("After", "inline", THREE),
}
FEW = {"a/1_cse.mlir": ONE, "b/1_cse.mlir": THREE, "c/1_cse.mlir": ORDERED}


def text_of(verdict: Verdict, *, verbose: bool = False) -> str:
    file = io.StringIO()
    rendered(verdict, "text", Console(file, verbose=verbose))
    return file.getvalue()


def reader(texts: dict[str, str]) -> Callable[[str], list[Dump]]:
    return lambda source: read_text(texts[source.removeprefix("corpus/")], source)


def drawn(texts: dict[str, str], verdict: Verdict, model: str) -> Sequence[object]:
    return pictures_of_model(verdict.check.by_model[model].dumps, reader(texts))


def pages_of(texts: dict[str, str], gate: Gate | None = None) -> dict[str, str]:
    verdict = judged_corpus(texts, gate)
    return dict(check_to_pages(verdict, (), __version__, reader(texts)))


# ---------------------------------------------------------------- text and Markdown


@pytest.mark.parametrize(("name", "verbose"), [("corpus.txt", False), ("corpus_verbose.txt", True)])
def test_models_and_passes_as_text(name: str, verbose: bool) -> None:
    text = text_of(judged_corpus(MANY), verbose=verbose)
    assert text == golden(text, GOLDENS / name)


def test_models_and_passes_as_markdown() -> None:
    text = rendered(judged_corpus(MANY), "markdown")
    assert text == golden(text, GOLDENS / "corpus.md")


def test_few_blocks_have_a_line_each() -> None:
    text = text_of(judged_corpus(FEW))
    assert "\n  2:3 @f ^bb0 cse: 3 inversions: " in text
    assert "worst dump" not in text


def test_one_model_has_no_tables() -> None:
    text = text_of(judged_corpus({f"a/{k}_p{k}.mlir": ONE for k in range(12)}))
    assert "2 more blocks" in text
    assert "worst dump" not in text


def test_names_steer_no_terminal_and_no_table() -> None:
    texts = {f"a|b\x1b[31m{k}/1_cse.mlir": ONE for k in range(12)}
    now = judged_corpus(texts)
    for text in (text_of(now), rendered(now, "markdown")):
        assert "\x1b" not in text
    assert "| `a\\|b\\x1b[31m0` | cse |" in rendered(now, "markdown")


# ---------------------------------------------------------------- pages


def test_the_first_page_has_a_row_for_each_model() -> None:
    page = Page(rendered(judged_corpus(MANY), "html", pictures=()))
    table = page.islands["models-rows"]
    names = ("model", "avoidable", "inversions", "minimum", "findings", "dumps", "errors", "ops", "worst")
    rows = list(zip(*(column(table, name) for name in names), strict=True))
    assert len(rows) == 15
    assert rows[0] == ("model_00", 4, 4, 0, 3, 2, 0, 8, "canonicalize")
    assert rows[-2:] == [("broken", 0, 0, 0, 0, 0, 1, 0, ""), ("clean", 0, 0, 0, 0, 1, 0, 4, "")]
    assert [name for name in ("avoidable", "inversions") if most(table, name) == 4] == [
        "avoidable",
        "inversions",
    ]


def most(table: dict[str, list[dict[str, object]]], key: str) -> object:
    return next(column.get("most") for column in table["columns"] if column["key"] == key)


def test_the_first_page_has_a_row_for_each_pass() -> None:
    table = Page(rendered(judged_corpus(MANY), "html", pictures=())).islands["passes-rows"]
    names = ("pass", "avoidable", "inversions", "findings", "models_avoidable", "models", "dumps")
    assert list(zip(*(column(table, name) for name in names), strict=True)) == [
        ("canonicalize", 18, 18, 15, 12, 12, 12),
        ("cse", 4, 4, 4, 4, 5, 5),
        ("after inline", 3, 3, 2, 1, 1, 1),
        ("before inline", 0, 0, 0, 0, 1, 1),
    ]


def test_bars_are_there_without_scripts() -> None:
    page = Page(rendered(judged_corpus(FEW), "html", pictures=()))
    cells = [a for tag, a in page.elements if tag == "td" and "part" in (a["class"] or "")]
    assert [a["style"] for a in cells if "avoidable" in (a["class"] or "")] == [
        *("--part:1", "--part:0.3333", "--part:0"),
    ]


def test_a_page_of_one_model_is_as_it_was() -> None:
    texts = {"a/1_cse.mlir": ONE, "a/2_inline.mlir": THREE}
    now = judged_corpus(texts)
    assert pages_of(texts) == {"index.html": rendered(now, "html", pictures=drawn(texts, now, "a"))}
    assert "models-rows" not in pages_of(texts)["index.html"]


def test_each_model_with_inversions_has_a_page_and_is_linked_to_it() -> None:
    pages = pages_of({**FEW, "broken/1_cse.mlir": ""})
    assert list(pages) == ["a.html", "b.html", "broken.html", "index.html"]
    number, links = Page(pages["index.html"]).islands["models-rows"]["links"]
    assert (number, links) == (0, ["b.html", "a.html", "broken.html", None])
    assert "All models" in Page(pages["a.html"]).words
    assert "index.html" in Page(pages["a.html"]).attributes("href")


def test_the_page_of_a_model_is_about_it_alone() -> None:
    page = Page(pages_of(FEW)["b.html"])
    assert "b: order of ops" in page.words
    assert "failed: 3 inversions " in page.words
    assert "corpus/a/" not in page.words
    assert page.islands["block-1-places"]["original"] == [2, 1, 0, -1]


def test_the_first_page_of_several_has_no_blocks() -> None:
    assert "blocks-rows" not in Page(pages_of(FEW)["index.html"]).islands
    assert "blocks-rows" in Page(rendered(judged_corpus(FEW), "html", pictures=())).islands


def test_a_model_below_the_ceiling_of_all_passes() -> None:
    page = Page(pages_of(FEW, Gate((AVOIDABLE,), max_inversions=4))["b.html"])
    assert "passed: 3 inversions: " in page.words
    assert "allowed" not in page.words


def test_a_broken_model_could_not_run() -> None:
    assert "could not run: 1 input unreadable" in pages_of({**FEW, "x/1_cse.mlir": ""})["x.html"]


def test_the_links_of_the_contents_lead_somewhere() -> None:
    now = judged_corpus(MANY)
    for text in (
        rendered(now, "html", pictures=drawn(MANY, now, "model_00")),
        pages_of(MANY)["index.html"],
    ):
        page = Page(text)
        targets = {href[1:] for href in page.attributes("href") if href.startswith("#") and "op-" not in href}
        assert {"by-model", "by-pass", "findings", "in-figures"} <= targets <= {*page.attributes("id")}
        assert len(page.attributes("id")) == len({*page.attributes("id")})


def test_the_page_of_a_model_with_a_hostile_name() -> None:
    name = '"><img src=x onerror=alert(1)>'
    pages = pages_of({**FEW, f"{name}/1_cse.mlir": ONE})
    assert (
        "img" not in Page(pages["index.html"]).tags() | Page(pages["_img_src_x_onerror_alert_1_.html"]).tags()
    )


@pytest.mark.parametrize(
    ("models", "names"),
    [
        (["resnet", "old/bert"], ["old_bert.html", "resnet.html"]),
        (["index"], ["index-2.html"]),
        (["Net", "net"], ["Net.html", "net-2.html"]),
        (["a b", "a/b", "a_b"], ["a_b.html", "a_b-2.html", "a_b-3.html"]),
        (["..", "é", ""], ["_.html", "_-2.html", "_-3.html"]),
        (["x" * 300], ["x" * 100 + ".html"]),
    ],
)
def test_the_name_of_a_page(models: list[str], names: list[str]) -> None:
    assert sorted(page_names(models).values()) == sorted(names)
    assert page_names(models) == page_names(models[::-1])
