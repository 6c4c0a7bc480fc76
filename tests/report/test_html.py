import base64
import hashlib
from itertools import pairwise
from pathlib import Path

import pytest

from eio_audit import Dump, diff, read, read_text
from tests.audit.test_check import ISSUE
from tests.cli.running import SAMPLES, run
from tests.internals import STATUSES, WorstBlocks, rendered
from tests.report.judged import judged
from tests.report.pages import Page, column
from tests.report.stored import texts_of

RESNET = str(SAMPLES / "resnet" / "after_alias.mlir")
NASTY = r"</script><img src=x onerror=alert(1)><!--\22'&amp;</td>"


def page_of(dumps: list[Dump]) -> Page:
    worst_blocks = WorstBlocks()
    return Page(rendered(judged(dumps, visit=worst_blocks.visit), "html", pictures=worst_blocks.pictures()))


def check_page(text: str) -> Page:
    return page_of(read_text(text))


@pytest.fixture(scope="module")
def resnet() -> Page:
    return page_of(read(RESNET))


def test_nothing_is_fetched_from_elsewhere(resnet: Page) -> None:
    assert resnet.attributes("src") == []
    assert {href[:4] for href in resnet.attributes("href")} == {"#op-", "#blo"}
    assert resnet.tags() & {"link", "iframe", "object", "embed", "base", "form"} == set()


def test_only_the_script_of_the_page_may_run(resnet: Page) -> None:
    [policy] = [
        a["content"] for tag, a in resnet.elements if a.get("http-equiv") == "Content-Security-Policy"
    ]
    [script] = resnet.scripts
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    assert not any(
        word in script for word in ("eval(", "innerHTML", "insertAdjacentHTML", "document.write", "fetch(")
    )
    assert [name for _, attributes in resnet.elements for name in attributes if name.startswith("on")] == []


def test_ids_are_unique_and_the_worst_ops_can_be_linked_to(resnet: Page) -> None:
    ids = resnet.attributes("id")
    assert len(ids) == len(set(ids))
    assert {"op-178", "op-107", "block-1"} <= set(ids)


def test_all_ops_are_in_the_table(resnet: Page) -> None:
    table = resnet.islands["ops-block-1-rows"]
    assert (len(column(table, "op")), table["marked"]) == (234, "disorder")
    assert table["sorting"] == [[6, False], [4, True]]
    row = column(table, "op").index("#56 ttir.permute %106")
    keys = ("place", "line", "module", "inversions", "fixed", "disorder", "why")
    assert [column(table, key)[row] for key in keys] == [
        106, 178, "Conv2d[net.stages.2.blocks.0.shortcut.conv]", 72, 71, "wrong index",
        "should carry #33 (of ttir.broadcast %107, line 179): in 72 inversions, fix --relabel corrects it",
    ]  # fmt: skip


def test_every_op_with_a_say_has_a_line_and_its_places(resnet: Page) -> None:
    places = resnet.islands["block-1-places"]
    assert sorted(places["original"]) == sorted(places["standing"]) == list(range(-1, 233))
    lines = [a for tag, a in resnet.elements if tag == "line" and a.get("y1") not in (None, "5")]
    drawn = {(float(a["y1"] or 0) - 0.5, float(a["y2"] or 0) - 0.5) for a in lines}
    expected = set(zip(places["original"], places["standing"], strict=True)) - {(-1, -1)}
    assert drawn == expected
    classes = [a["class"] for a in lines]
    assert {name: classes.count(name) for name in set(classes)} == {
        "kept": 168,
        "wrong index": 42,
        "avoidable": 21,
        "blocked": 2,
    }


def test_figures_and_the_way_out_stand_first(resnet: Page) -> None:
    assert "failed: 42 wrong indices and 22 inversions " in resnet.words
    assert f"eio-audit fix --diff {RESNET}" in resnet.words
    assert "789 inversions: 767 " in resnet.words


def test_the_findings_are_cards_with_their_ir(resnet: Page) -> None:
    cards = [
        a["id"] for tag, a in resnet.elements if tag == "details" and "finding" in (a.get("class") or "")
    ]
    assert (len(cards), cards[0]) == (50, "op-178")
    assert "after_alias.mlir:178:5: EIO003 #56 ttir.permute %106" in resnet.words
    assert '%106 = "ttir.permute"(%105) <{permutation = array<i64: 0, 2, 3, 1>}>' in resnet.words
    assert f"eio-audit explain {RESNET} 178" in resnet.words


def test_the_failing_ops_are_in_the_legend_and_in_the_table(resnet: Page) -> None:
    assert "42 wrong index: its index contradicts the dependences" in resnet.words
    assert "21 avoidable: a fix moves it" in resnet.words
    disorders = column(resnet.islands["ops-block-1-rows"], "disorder")
    assert {kind: disorders.count(kind) for kind in set(disorders) if kind} == {
        "wrong index": 42,
        "avoidable": 21,
        "blocked": 2,
    }


def test_the_text_of_every_op_of_a_small_block_is_there(resnet: Page) -> None:
    texts = resnet.islands["block-1-places"]["texts"]
    assert len(texts) == 234
    assert texts["0"].startswith('%0 = "ttir.permute"(%arg0) ')


def test_the_dataflow_around_the_worst_ops_is_drawn(resnet: Page) -> None:
    boxes = [a["class"] or "" for _, a in resnet.elements if (a.get("class") or "").startswith("op ")]
    assert sum("centre" in box for box in boxes) == 10 + 5


def test_a_word_shows_what_it_means(resnet: Page) -> None:
    meanings = {a["id"] for tag, a in resnet.elements if "popover" in a}
    words = {a["popovertarget"] for tag, a in resnet.elements if a.get("popovertarget")}
    assert (
        {"term-inversion", "term-avoidable", "term-wrong-indices", "term-out-of-place"} <= words <= meanings
    )
    assert (
        "avoidable: the inversions of the dump's order minus those of the order found: the pairs that can be moved back."
        in resnet.words
    )


def test_headings_leave_no_level_out(resnet: Page) -> None:
    levels = [int(tag[1]) for tag, _ in resnet.elements if tag in {"h1", "h2", "h3", "h4"}]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_without_scripts_the_first_rows_are_there(resnet: Page) -> None:
    assert sum(tag == "tr" for tag, _ in resnet.elements) == 1 + 20


@pytest.mark.parametrize(
    "text",
    [
        ISSUE.replace("ResNet[resnet]", NASTY),
        ISSUE.replace("@main", f'@"{NASTY}"'),
        ISSUE.replace('"ttir.permute"', f'"my.{NASTY.replace(chr(92) + "22", "")}"'),
    ],
    ids=["module", "function", "op"],
)
def test_names_are_text_whatever_they_hold(text: str) -> None:
    page = check_page(text)
    assert "img" not in page.tags()
    assert len(page.scripts) == 1
    assert "<img src=x onerror=alert(1)>" in page.words


def test_a_second_op_of_a_line_has_an_id_of_its_own() -> None:
    page = check_page(
        'func.func @f() {\n"t.a"() : () -> () loc("3|a") "t.b"() : () -> () loc("2|b") "t.c"() : () -> () loc("1|c")\nreturn\n}\n'
    )
    assert page.islands["block-1-places"]["anchors"] == {"1": "op-2-2", "2": "op-2-3"}
    assert [name for name in page.attributes("id") if name.startswith("op-")] == ["op-2", "op-2-2", "op-2-3"]


def test_large_blocks_have_bands_and_a_map() -> None:
    ops = [*range(1, 2500), 0]
    body = "".join(f'"ttir.add"() : () -> () loc("{index}|m|x")\n' for index in ops)
    page = check_page(f"func.func @f() {{\n{body}return\n}}\n")
    assert [a["d"] for _, a in page.elements if a.get("class") == "band"] == ["M0 1L100 0v2499L0 2500z"]
    assert sum(a.get("class") == "map" for _, a in page.elements) == 1
    assert len(column(page.islands["ops-block-1-rows"], "op")) == 2501


def test_a_dump_in_order() -> None:
    page = check_page(ISSUE.replace("DEBUG|23", "DEBUG|16"))
    assert "passed: 1 dump, 1 block, 4 ops: all in order" in page.words
    assert page.islands == {}


def test_several_blocks_stand_in_a_table() -> None:
    page = check_page(ISSUE + ISSUE.replace("@main", "@other").replace("(%56)", "(%55)"))
    assert column(page.islands["blocks-rows"], "block") == ["@main ^bb0", "@other ^bb0"]
    assert column(page.islands["blocks-rows"], "avoidable") == [0, 1]


def test_what_could_not_be_read_is_named() -> None:
    page = check_page("func.func @f( {\n")
    assert "unreadable: <text>:1:" in page.words


def test_a_diff_has_both_sides_and_all_changes() -> None:
    [before] = read(RESNET.replace("after", "before"))
    [after] = read(RESNET)
    worst_blocks = WorstBlocks()
    result = diff(before, after, visit=worst_blocks.visit)
    page = Page(rendered(result, "html", pictures=worst_blocks.pictures))
    kinds = column(page.islands["changes-rows"], "change")
    assert [kinds.count(kind) for kind in ("moved", "modified", "added", "removed")] == [
        len(group) for group in result.ops.groups.values()
    ]
    assert "block-1" in page.attributes("id")


def test_the_texts_of_a_diff_come_before_its_order_which_has_no_tiles() -> None:
    page = resnet_diff()
    assert page.index('id="pair"') < page.index("<h2>Order</h2>")
    assert '<ul class="figures">' not in page


def resnet_diff() -> str:
    [before], [after] = (read(RESNET.replace("after", when)) for when in ("before", "after"))
    return rendered(diff(before, after), "html", pictures=list)


def test_the_page_of_a_diff_folds_changes_that_repeat() -> None:
    page = resnet_diff()
    assert (
        "<div>array&lt;i64: 1, 1, <del>16, 16</del>&gt;</div><div>array&lt;i64: 1, 1, <ins>256, 1</ins>&gt;</div>"
        in page
    )
    module = "BatchNorm2d[net.stages.*.blocks.*.conv*.norm]"
    [folded] = [text for text in page.split("<details>") if f"36 times in 18 modules: {module}" in text]
    assert folded.partition("</details>")[0].count("<li>") == 36


def test_a_diff_has_both_texts_and_the_changes_between_them() -> None:
    before, after = read_text(ISSUE)[0], read_text(ISSUE.replace("ttir.permute", "ttir.transpose"))[0]
    result = diff(before, after)
    data = Page(rendered(result, "html", pictures=list)).packed["passes-data"]
    assert [lines for _, lines, _, _ in texts_of(data)] == [
        dump.text.strip().split(b"\n") for dump in (before, after)
    ]
    groups = result.ops.groups
    assert data["passes"][0]["counts"] == [len(groups[status]) for status in STATUSES]


def test_a_diff_has_the_lines_of_a_dump_without_blank_ones_around_it() -> None:
    [dump] = read_text(" \n\n  func.func @f() {\n\n  return\n} \n \n")
    data = Page(rendered(diff(dump, dump), "html", pictures=list)).packed["passes-data"]
    [(_, lines, ops, places)] = texts_of(data)
    assert lines == [b"  func.func @f() {", b"", b"  return", b"} "]
    assert (ops, places) == ([0, -1, 1, -1], [3, 4, 5, 6])


def test_the_title_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.mlir"
    path.write_text(ISSUE)
    page = run("check", path, "--format", "html").stdout.decode()
    assert "<title>a.mlir: order of ops</title>" in page


def test_the_title_of_many_files_is_their_folder() -> None:
    def title(*paths: str) -> str:
        dumps = [dump for path in paths for dump in read_text(ISSUE, path)]
        return (
            rendered(judged(dumps), "html", pictures=())
            .partition("<title>")[2]
            .partition(": order of ops</title>")[0]
        )

    assert title(*(f"out/model/{k}.mlir" for k in range(3))) == "0.mlir, 1.mlir, 2.mlir"
    assert title("out/model/a/1.mlir", *(f"out/model/{k}.mlir" for k in range(3))) == "model"
    assert title(*(f"{k}.mlir" for k in range(5))) == "0.mlir, 1.mlir, 2.mlir and 2 more"


def test_lines_of_ops_in_order_are_below_the_others_and_those_of_wrong_indices_on_top() -> None:
    text = "".join(
        f'%{place} = "ttir.abs"({operand}) : (i32) -> i32 loc("{index}|a")\n'
        for place, (index, operand) in enumerate([(5, "%a"), (1, "%0"), (4, "%a"), (2, "%a"), (3, "%a")])
    )
    page = check_page(f"func.func @f(%a: i32) {{\n{text}return\n}}\n")
    kinds = [a["class"] for tag, a in page.elements if tag == "line" and "y1" in a and a["x2"] == "100"]
    assert kinds == ["kept", "kept", "kept", "avoidable", "wrong index"]
