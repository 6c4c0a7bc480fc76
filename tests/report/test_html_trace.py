import pytest

from eio_audit import read, trace
from eio_audit.report.html.pages import trace_to_html
from tests.cli.running import SAMPLES
from tests.report.pages import Page, column


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(trace_to_html(trace(read(str(SAMPLES / "resnet" / "all_passes_alias.log"))), "1.0"))


def test_the_first_that_shuffled_is_named_first(page: Page) -> None:
    assert (
        "2 of 8 passes introduced 55 avoidable inversions, first ttir-flatten-sliding-window." in page.words
    )


def test_the_timeline_has_the_passes_that_changed_something_one_by_one(page: Page) -> None:
    classes = [attributes.get("class") for tag, attributes in page.elements if tag == "li"]
    assert classes == [None, "faint", "guilty", None, "guilty", None, "faint"]
    widths = [a["style"] for _, a in page.elements if a.get("class") == "forced" and a.get("style")]
    assert widths == ["width:49.18%", "width:44.23%"]


def test_all_passes_are_in_the_table(page: Page) -> None:
    table = page.islands["passes-rows"]
    assert column(table, "inversions") == [0, 0, 0, 33, 0, 789, 602, 602]
    assert column(table, "introduced") == [0, 0, 0, 33, 0, 22, 0, 0]
