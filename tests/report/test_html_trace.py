import pytest

from eio_audit import AuditOptions, Dump, read, read_text, trace
from tests.audit.test_check import ISSUE
from tests.cli.running import SAMPLES
from tests.internals import PassDiffs, trace_to_html
from tests.internals import pass_diffs_module as pass_diffs
from tests.report.pages import Page, column


@pytest.fixture(scope="module")
def page() -> Page:
    return page_of(read(str(SAMPLES / "resnet" / "all_passes_alias.log")))


def page_of(dumps: list[Dump]) -> Page:
    diffs = PassDiffs(AuditOptions())
    return Page(trace_to_html(trace(diffs.watch(dumps)), "1.0", diffs))


def log_of(**dumps: str) -> list[Dump]:
    return read_text(
        "".join(
            f"// -----// IR Dump After {name} ({name}) //----- //\n{text}" for name, text in dumps.items()
        )
    )


def test_what_is_left_comes_first(page: Page) -> None:
    log = SAMPLES / "resnet" / "all_passes_alias.log"
    left = f"left at the end: 21 avoidable inversions, brought in by ttir-erase-inverse-ops ({log}:4628)"
    assert left in page.words
    assert "repaired on the way: 33 avoidable inversions of ttir-flatten-sliding-window" in page.words
    assert f"eio-audit explain {log} 6743" in page.words


def test_the_list_has_all_passes_and_marks_those_that_shuffled(page: Page) -> None:
    classes = [(a["class"] or "").split() for tag, a in page.elements if tag == "li" and "class" in a]
    assert classes[:8] == [
        [],
        ["unchanged"],
        ["unchanged"],
        ["guilty"],
        [],
        ["guilty", "culprit"],
        [],
        ["unchanged"],
    ]
    widths = [a["style"] for _, a in page.elements if a.get("class") == "forced" and a.get("style")]
    assert widths == ["width:49.18%", "width:44.23%", "width:44.23%"]


def test_a_pass_leads_to_what_it_did_to_the_ops(page: Page) -> None:
    links = [href for href in page.attributes("href") if href.startswith("#pass-")]
    assert links[:8] == [f"#pass-{number}" for number in range(8)]
    log = SAMPLES / "resnet" / "all_passes_alias.log"
    assert f"eio-audit diff {log} --pass ttir-erase-inverse-ops --dump 1" in page.words
    assert "135 modified: operands of 88, attributes of 45, types of 114" in page.words
    assert "36 times in 18 modules: BatchNorm2d[net.stages.*.blocks.*.conv*.norm]" in page.words


def test_a_dump_of_one_function_is_compared_with_that_function() -> None:
    other = ISSUE.replace("@main", "@other")
    changed = ISSUE.replace("1, 2, 3", "1, 2, 4").replace("ttir.permute", "ttir.transpose")
    page = page_of(log_of(a=f"module {{\n{ISSUE}{other}}}\n", b=changed))
    assert "1 removed" in page.words
    assert page.words.count("@other") == 0


def test_a_page_without_room_for_changes_has_their_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pass_diffs, "LONGEST", 10)
    page = page_of(log_of(a=ISSUE, b=ISSUE.replace("ttir.permute", "ttir.transpose")))
    assert "The page has no room for its changes." in page.words
    assert "eio-audit diff FILE --pass b --dump 1" in page.words


def test_all_passes_are_in_the_table(page: Page) -> None:
    table = page.islands["passes-rows"]
    assert column(table, "inversions") == [0, 0, 0, 33, 0, 789, 602, 602]
    assert column(table, "introduced") == [0, 0, 0, 33, 0, 22, 0, 0]
