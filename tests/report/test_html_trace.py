import pytest

from eio_audit import Dump, Trace, read, read_text, trace
from eio_audit.report.html.passes import trace_to_html
from tests.audit.test_check import ISSUE
from tests.cli.running import SAMPLES
from tests.internals import STATUSES, StoredSteps
from tests.report.pages import Page, column
from tests.report.stored import texts_of

LOG = SAMPLES / "resnet" / "all_passes_alias.log"
CRASHED = SAMPLES.parent / "tests" / "data" / "crashed.log"
UNINDEXED = ISSUE.replace("DEBUG", "other")


class Shown:
    """A trace, its steps, and the page of both."""

    def __init__(self, dumps: list[Dump]) -> None:
        steps = StoredSteps()
        self.trace: Trace = trace(dumps, watches=[steps])
        self.steps = steps.of(self.trace)
        self.page = Page(trace_to_html(self.trace, "1.0", self.steps))
        self.data = self.page.packed["passes-data"]


@pytest.fixture(scope="module")
def shown() -> Shown:
    return Shown(read(str(LOG)))


def log_of(**dumps: str) -> list[Dump]:
    return read_text(
        "".join(
            f"// -----// IR Dump After {name} ({name}) //----- //\n{text}" for name, text in dumps.items()
        )
    )


def test_what_is_left_comes_first(shown: Shown) -> None:
    assert ": 602 inversions: 581 of wrong indices, 21 " in shown.page.words
    assert "ttir-erase-inverse-ops left 602: #56 ttir.permute %86 (line 6654), " in shown.page.words
    assert f"eio-audit explain {LOG} 6654" in shown.page.words


def test_a_pass_that_failed_comes_first_with_its_error_and_what_to_type() -> None:
    page = Shown(read(str(CRASHED))).page
    assert "symbol-dce (failed): line 11: the compiler crashed" in page.words
    assert any("failed" in (a.get("class") or "").split() for _, a in page.elements)
    assert "mlir-opt-22 in.mlir '--pass-pipeline=builtin.module(symbol-dce)'" in page.words


def test_a_log_without_a_failure_has_no_failed_pass(shown: Shown) -> None:
    assert "(failed)" not in shown.page.words


def test_the_title_names_the_file(shown: Shown) -> None:
    assert "all_passes_alias.log: passes" in shown.page.words


def test_the_list_has_all_passes_and_marks_those_that_left_ops_out_of_order(shown: Shown) -> None:
    classes = [(a["class"] or "").split() for tag, a in shown.page.elements if tag == "li" and a.get("id")]
    assert classes == [
        [],
        ["unchanged"],
        ["unchanged"],
        [],
        [],
        ["guilty", "culprit"],
        [],
        ["unchanged"],
    ]


def test_the_list_marks_passes_that_were_not_chosen(shown: Shown) -> None:
    page = Page(trace_to_html(shown.trace, "1.0", shown.steps, shown.trace.passes[3:6]))
    classes = [a["class"] or "" for tag, a in page.elements if tag == "li" and a.get("id")]
    assert ["unchosen" in one.split() for one in classes] == [True] * 3 + [False] * 3 + [True] * 2
    assert "chosen only" in page.words


def test_without_a_choice_nothing_is_marked(shown: Shown) -> None:
    assert "chosen only" not in shown.page.words


def test_every_pass_can_be_linked_to(shown: Shown) -> None:
    links = {href.removeprefix("#") for href in shown.page.attributes("href") if href.startswith("#pass-")}
    assert links == {f"pass-{number}" for number in range(8)}
    assert links <= set(shown.page.attributes("id"))


def test_the_counts_of_the_page_are_those_of_the_trace(shown: Shown) -> None:
    counts = [one.op_counts for one in shown.trace.passes]
    expected = [[getattr(one, status) for status in STATUSES] for one in counts]
    assert [one["counts"] for one in shown.data["passes"]] == expected


def test_the_list_shows_the_counts(shown: Shown) -> None:
    counts = shown.data["passes"][5]["counts"]
    assert counts == [46, 84, 135, 0]
    assert "+46 -84 ~135" in " ".join(shown.page.words.split())


def test_the_figures_of_the_page_are_those_of_the_trace(shown: Shown) -> None:
    assert [one["order"] for one in shown.data["passes"]] == [
        *["in order"] * 3,
        "33 inversions, 33 avoidable, 33 made (0 left at the end)",
        "in order",
        "789 inversions, 22 avoidable, 789 made (602 left at the end), 42 wrong indices made",
        *["602 inversions, 21 avoidable"] * 2,
    ]
    table = shown.page.islands["passes-rows"]
    assert column(table, "inversions") == [traced.figures.inversions for traced in shown.trace.passes]
    for key in ("made", "undone", "left"):
        assert column(table, key) == [getattr(traced, key) for traced in shown.trace.passes]


def test_the_texts_of_the_page_are_those_of_the_log(shown: Shown) -> None:
    log = [b"", *LOG.read_bytes().split(b"\n")]
    for _, lines, _, places in texts_of(shown.data):
        assert lines == [log[place] for place in places]


def test_a_pass_has_the_command_that_shows_it(shown: Shown) -> None:
    assert (
        shown.data["passes"][5]["command"] == f"eio-audit diff {LOG} --pass ttir-erase-inverse-ops --dump 1"
    )


def test_a_log_without_indices_has_no_order() -> None:
    shown = Shown(log_of(a=UNINDEXED, b=UNINDEXED.replace("ttir.permute", "ttir.transpose")))
    assert "left at the end" not in shown.page.words
    assert "1 of 1 pass changed ops; 1 was not compared" in shown.page.words
    assert not any(tag == "small" and a.get("class") == "order" for tag, a in shown.page.elements)
    assert [one["order"] for one in shown.data["passes"]] == ["", ""]
    assert "passes-rows" not in shown.page.islands


def test_a_pass_without_a_dump_before_it_is_not_compared() -> None:
    shown = Shown(log_of(a=UNINDEXED, b=UNINDEXED))
    assert [one["changed"] for one in shown.data["passes"]] == [None, False]
    assert "nothing to compare with" in shown.page.words
    assert "nothing changed" in shown.page.words


def test_names_of_passes_are_not_markup() -> None:
    shown = Shown(log_of(**{"<b>": ISSUE}))
    assert "<b>" in shown.page.words
