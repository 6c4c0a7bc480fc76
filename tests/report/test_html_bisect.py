import sys
from dataclasses import replace
from pathlib import Path

import pytest

from eio_audit import AuditOptions, Bisection, IndexPattern, bisect
from tests.cli.running import SAMPLES
from tests.internals import STATUSES, StoredSteps, rendered
from tests.report.pages import Page, column
from tests.report.stored import texts_of

RECORDED = SAMPLES / "recorded" / "erase_inverse_ops.py"
SMALL = SAMPLES / "small" / "before_alias.mlir"
COMMAND = [sys.executable, str(RECORDED), "--ttir-erase-inverse-ops", str(SMALL)]
WITH_INDICES = AuditOptions()
NO_INDICES = AuditOptions(pattern=IndexPattern("unknown (?P<index>[0-9]+)"))
COMMUTE = "TTIRCommuteTmsThroughElementwiseRewriter"


class Shown:
    """A bisection, and its page."""

    def __init__(self, folder: Path, options: AuditOptions = WITH_INDICES, max_runs: int = 1000) -> None:
        self.steps = StoredSteps()
        self.result: Bisection = bisect(
            COMMAND, options, folder=folder, jobs=1, max_runs=max_runs, watches=[self.steps]
        )
        self.steps.of(self.result.states)
        self.page = self.page_of(self.result)

    def page_of(self, result: Bisection) -> Page:
        return Page(rendered(result, "html", steps=self.steps))

    @property
    def words(self) -> str:
        return " ".join(self.page.words.split())

    def drawn(self, tag: str, *names: str) -> list[tuple[str | None, ...]]:
        """Some attributes of all elements of one kind that have them."""
        elements = [of for name, of in self.page.elements if name == tag]
        return [tuple(of[name] for name in names) for of in elements if {*names} <= {*of}]

    def step(self, number: int) -> str | None:
        """The line of a step in the curve: it is in a link, below its title."""
        elements = self.page.elements
        [link] = (
            place
            for place, (tag, of) in enumerate(elements)
            if (tag, of.get("href"), of.get("tabindex")) == ("a", f"#pass-{number}", "-1")
        )
        return elements[link + 2][1]["d"]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    return Shown(tmp_path_factory.mktemp("states"))


@pytest.fixture(scope="module")
def unindexed(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    return Shown(tmp_path_factory.mktemp("states"), NO_INDICES)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    return Shown(tmp_path_factory.mktemp("states"), max_runs=8)


def tiles(page: Page) -> str:
    return " ".join(page.words.split()).partition(sys.executable)[0]


def test_the_figures_come_first(shown: Shown) -> None:
    assert tiles(shown.page).endswith(
        "would become 0. This is an estimate: to check, change the pass, rebuild the compiler, and run this again. "
        "218attempts of patterns12of them changed the IR0 -> 18inversions0avoidable left44runs of the compiler "
    )


def test_the_curve_has_a_step_for_each_application(shown: Shown) -> None:
    line = "M0 18H0V18H7V17H9V16H13V13H15V10H22V6H24V2H31V1H33V0H59V0H60V0H81V0H83V0H218"
    assert (line,) in shown.drawn("path", "d")


def test_a_step_of_the_curve_is_its_own_line(shown: Shown) -> None:
    assert shown.step(5) == "M22 10H22V6"
    assert "22: 8 -> 12" in shown.words


def test_the_curve_as_it_would_be_is_beside_it(shown: Shown, unindexed: Shown) -> None:
    line = "M0 18H0V18H7V17H9V16H13V17H15V18H22V18H24V18H31V18H33V18H59V18H60V18H81V18H83V18H218"
    assert shown.drawn("path", "class", "d") == [("advised", line)]
    assert unindexed.drawn("path", "class") == []
    assert "first at attempt 7. With 2 patterns changed, 18 would become 0" in shown.words


def test_the_worst_application_is_labelled(shown: Shown) -> None:
    assert shown.drawn("circle", "cx", "cy") == [("5.96%", "80.56%")]
    assert shown.drawn("text", "x", "y", "dx") == [("5.96%", "80.56%", "9")]


def test_a_step_of_the_curve_leads_to_its_diff(shown: Shown) -> None:
    links = set(shown.page.attributes("href"))
    assert {f"#pass-{number}" for number in range(13)} <= links
    assert {f"pass-{number}" for number in range(13)} <= set(shown.page.attributes("id"))


def test_the_worst_patterns_have_colours(shown: Shown) -> None:
    cells = [of["class"] or "" for tag, of in shown.page.elements if tag == "td" and of.get("class")]
    coloured = [name for name in cells if "colour" in name]
    assert coloured == [f"pattern colour-{k}" for k in (1, 2, 3, 4) * 2]  # the last four: each alone


def test_a_pattern_has_its_figures(shown: Shown) -> None:
    row = f"{COMMUTE}<PermuteOp, ElementwiseBinary, UPWARDS>663+5 -4 ~6 attempt 13: 2 -> 5"
    assert row in shown.words


def test_the_page_opens_at_the_worst_application(shown: Shown) -> None:
    classes = {a["id"]: a["class"] for tag, a in shown.page.elements if tag == "li" and a.get("id")}
    assert [name for name, of in classes.items() if "culprit" in (of or "")] == ["pass-3"]


def test_applications_are_told_with_their_ops(shown: Shown) -> None:
    table = shown.page.islands["applications-rows"]
    assert column(table, "attempt") == [7, 9, 13, 15, 22, 24, 31, 33, 59, 60, 81, 83]
    assert column(table, "made") == [3, 3, 3, 3, 2, 2, 1, 1, 0, 0, 0, 0]
    assert column(table, "op")[4] == "#15 ttir.add %5"
    assert column(table, "model")[4] == "/proj/model.py:12"


def test_the_worst_application_can_be_reproduced(shown: Shown) -> None:
    for attempts in (12, 13):
        assert shown.result.reproduction.at(attempts) in shown.page.words


def test_the_counts_of_the_page_are_those_of_the_bisection(shown: Shown) -> None:
    counts = [[getattr(one.op_counts, status) for status in STATUSES] for one in shown.result.applications]
    assert [one["counts"] for one in shown.page.packed["passes-data"]["passes"]] == counts


def test_the_texts_of_the_page_are_those_of_the_states(shown: Shown) -> None:
    log = [b"", *Path(shown.result.log).read_bytes().split(b"\n")]
    for source, lines, _, places in texts_of(shown.page.packed["passes-data"]):
        assert (source, lines) == ("states.log", [log[place] for place in places])


def test_without_indices_the_picture_has_bars(shown: Shown, unindexed: Shown) -> None:
    assert unindexed.step(5) == "M22 5H22V0"
    assert "22: 5 ops" in unindexed.words
    assert len(unindexed.drawn("path", "d")) == len(shown.drawn("path", "d")) - 2  # the two curves


def test_without_indices_nothing_is_said_of_inversions(unindexed: Shown) -> None:
    assert "order not judged: no op carries an op index 218attempts" in unindexed.words
    assert "inversions made" not in unindexed.words
    assert {one["order"] for one in unindexed.page.packed["passes-data"]["passes"]} == {""}


def test_attempts_that_are_not_resolved_are_hatched(stopped: Shown) -> None:
    assert stopped.drawn("rect", "x", "width") == [
        ("0.00%", "12.39%"),
        ("12.39%", "12.39%"),
        ("24.77%", "25.23%"),
    ]
    assert "intervals of attempts are not resolved: max-runs is reached" in stopped.words


def test_a_pass_without_patterns_is_one_step(shown: Shown) -> None:
    result = replace(
        shown.result, applications=shown.result.applications[:1], why_one_step="it applies no patterns"
    )
    page = shown.page_of(result)
    assert "The pass is one step: it applies no patterns." in page.words
    assert "figure" not in page.tags()
    assert "applications-rows" not in page.islands


def test_an_input_that_is_not_kept_has_no_commands(shown: Shown) -> None:
    result = replace(shown.result, reproduction=replace(shown.result.reproduction, is_kept=False))
    assert result.reproduction.at(22) not in shown.page_of(result).words


def test_names_of_patterns_are_not_markup(shown: Shown) -> None:
    one = shown.result.applications[1]
    assert one.attempt
    nasty = replace(one, attempt=replace(one.attempt, pattern="</script><img src=x>"))
    page = shown.page_of(replace(shown.result, applications=(shown.result.applications[0], nasty)))
    assert "</script><img src=x>" in page.words
    assert "img" not in page.tags()
