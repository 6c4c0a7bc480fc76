"""The pages in Chromium, also as axe-core judges them. Not part of the default suite: ``pip install '.[browser]'``, then ``pytest -m browser``."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.audit.test_check import ISSUE
from tests.audit.test_history import function, log
from tests.cli.running import SAMPLES, run
from tests.logs import module
from tests.tools import iree_log

pytestmark = pytest.mark.browser

RESNET = SAMPLES / "resnet" / "after_alias.mlir"
LOG = SAMPLES / "resnet" / "all_passes_alias.log"
COMPILER = (
    "bisect",
    "--",
    sys.executable,
    SAMPLES / "recorded" / "erase_inverse_ops.py",
    "--ttir-erase-inverse-ops",
)
SMALL = SAMPLES / "small" / "before_alias.mlir"
PAGES = {
    "check": (("check",), RESNET),
    "diff": (("diff", SAMPLES / "resnet" / "before_alias.mlir"), RESNET),
    "trace": (("trace",), LOG),
    "bisect": (COMPILER, SMALL),
}
MODELS = {
    "resnet/1_eio.mlir": RESNET.read_text(),
    "resnet/2_cse.mlir": RESNET.read_text(),
    "small/1_eio.mlir": ISSUE,
    "clean/1_eio.mlir": ISSUE.replace("DEBUG|23", "DEBUG|17"),
    **{f"model_{number:03}/1_eio.mlir": ISSUE for number in range(120)},
}
NASTY = r"</script><img src=x onerror=document.title=1><b>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  (only where these tests run)

    with sync_playwright() as playwright:
        installed = shutil.which("chromium") or shutil.which("google-chrome")
        chromium = playwright.chromium.launch(executable_path=installed, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens the page of a dump; nothing may be fetched, nothing may go wrong in its script."""
    troubles: list[str] = []
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text))
    page.on(
        "request", lambda request: troubles.append(request.url) if "report.html" not in request.url else None
    )

    def open_page(dump: Path | str, anchor: str = "", command: Sequence[str | Path] = ("check",)) -> Any:
        target = tmp_path / "report.html"
        stdin = dump.encode() if isinstance(dump, str) else b""
        name, *options = command
        result = run(name, "--format", "html", "-o", target, *options, "-" if stdin else dump, stdin=stdin)
        assert result.returncode in {0, 1}
        page.goto(f"{target.as_uri()}{anchor}")
        return page

    yield open_page
    page.close()
    assert troubles == []


def wait_for_text(page: Any, selector: str, start: str) -> None:
    """Wait until an element begins with a text. Scripts learn of a new address a little later than tests."""
    page.wait_for_function(
        "([selector, start]) => document.querySelector(selector)?.innerText.startsWith(start)",
        arg=[selector, start],
    )


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``report.html``, which is the first page of many models, and a page for each of them."""
    folder = tmp_path_factory.mktemp("corpus")
    for path, text in MODELS.items():
        file = folder / "dumps" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "dumps" / "small" / "2_cse.mlir").write_text(RESNET.read_text())
    run("check", folder / "dumps", "-o", f"html:{folder / 'report.html'}/")
    return folder / "report.html" / "index.html"


@pytest.fixture
def index(visit: Callable[..., Any], corpus: Path) -> Any:
    """The first page of many models."""
    page = visit(ISSUE)
    page.goto(corpus.as_uri())
    return page


def test_a_line_says_which_op_it_is_and_why(visit: Callable[..., Any]) -> None:
    page = visit(RESNET)
    stage = page.locator("svg.lines")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    standing = 106.5 / 233
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] * standing)
    assert page.locator(".tip").inner_text().splitlines() == [
        "#56 ttir.permute %106 at line 178",
        "Conv2d[net.stages.2.blocks.0.shortcut.conv]",
        "in 72 inversions, 71 after a fix; wrong index",
        "should carry #33 (of ttir.broadcast %107, line 179): in 72 inversions, fix --relabel corrects it",
    ]


def test_slash_filters_and_headers_sort(visit: Callable[..., Any]) -> None:
    page = visit(RESNET)
    shown = page.locator("output")
    assert shown.inner_text() == "1 to 65 of 65 rows (234 in all)"
    page.keyboard.press("/")
    page.keyboard.type("permute #56")
    assert shown.inner_text() == "1 to 11 of 11 rows (234 in all)"
    page.get_by_role("button", name="line").click()
    lines = page.locator("td.line").all_inner_texts()
    assert lines == sorted(lines, key=int, reverse=True)


def test_the_keyboard_picks_a_row(visit: Callable[..., Any]) -> None:
    page = visit(RESNET)
    page.locator("tbody tr").first.focus()
    page.keyboard.press("Enter")
    assert page.url.endswith("#op-161")
    assert "#27 ttir.reshape %89 at line 161" in page.locator(".detail").inner_text()


def test_the_keyboard_walks_along_the_displaced_ops(visit: Callable[..., Any]) -> None:
    page = visit(RESNET)
    page.locator(".stage").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.url.endswith("#op-79")
    page.keyboard.press("ArrowUp")
    assert page.url.endswith("#op-76")
    page.keyboard.press("ArrowUp")
    assert page.url.endswith("#op-76")


@pytest.mark.parametrize(
    ("anchor", "op"), [("#op-107", "#34 ttir.permute %35"), ("#op-100", "#8 ttir.reshape %28")]
)
def test_a_deep_link_picks_its_op(visit: Callable[..., Any], anchor: str, op: str) -> None:
    page = visit(RESNET, anchor)
    assert page.locator(".detail").inner_text().startswith(op)
    assert page.locator(".labels.right .picked").inner_text().startswith(op)


def test_the_dataflow_of_a_linked_op_is_open(visit: Callable[..., Any]) -> None:
    assert visit(RESNET, "#op-107").locator("#op-107 svg.flow").is_visible()


def test_a_table_of_one_page_has_no_pages(visit: Callable[..., Any]) -> None:
    page = visit(RESNET)
    assert not page.locator(".pages").is_visible()
    page.get_by_role("checkbox").uncheck()
    page.get_by_role("button", name="Next").click()
    assert page.locator("output").inner_text() == "101 to 200 of 234 rows"


def test_without_scripts_nothing_is_offered_that_needs_them(browser: Any, tmp_path: Path) -> None:
    run("check", RESNET, "--format", "html", "-o", tmp_path / "report.html")
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto((tmp_path / "report.html").as_uri())
    assert not any(button.is_visible() for button in page.locator(".tools button, .pages button").all())
    assert page.locator("svg.lines").is_visible()
    assert page.locator("tbody tr").count() == 20
    page.close()


def test_zoom_keeps_to_the_block(visit: Callable[..., Any]) -> None:
    page = visit(RESNET)
    picture = page.locator("svg.lines")
    assert picture.get_attribute("viewBox") == "0 0 100 233"
    page.get_by_role("button", name="Nearer").click()
    assert picture.get_attribute("viewBox") == "0 58.25 100 116.5"
    page.get_by_role("button", name="Up", exact=True).click()
    page.get_by_role("button", name="Up", exact=True).click()
    assert picture.get_attribute("viewBox") == "0 0 100 116.5"
    page.get_by_role("button", name="Wider").click()
    assert picture.get_attribute("viewBox") == "0 0 100 233"


def test_names_run_nothing(visit: Callable[..., Any]) -> None:
    page = visit(ISSUE.replace("ResNet[resnet]", NASTY))
    page.locator("tbody tr").first.click()
    assert page.title() == "<stdin>: order of ops"
    assert page.locator("img").count() == 0
    assert NASTY in page.locator(".detail").inner_text()


def test_a_hundred_thousand_ops(visit: Callable[..., Any]) -> None:
    body = "".join(f'"ttir.add"() : () -> () loc("{k ^ 3}|m|x")\n' for k in range(100_000))
    page = visit(f"func.func @f() {{\n{body}return\n}}\n")
    assert page.locator("output").inner_text() == "1 to 100 of 75,000 rows (100,001 in all)"
    page.locator("input[type=search]").fill("#77777 ")
    assert page.locator("tbody tr").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out(browser: Any, visit: Callable[..., Any], scheme: str) -> None:
    """At least 4.5 to 1, as WCAG 2 asks of text; 3 to 1 of the lines of a picture."""
    page = visit(RESNET)
    page.emulate_media(color_scheme=scheme)
    color = "name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()"

    def luminance(name: str) -> float:
        channels = [int(page.evaluate(color, name)[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(name: str, ground: str) -> float:
        bright, dim = sorted((luminance(name), luminance(ground)), reverse=True)
        return (bright + 0.05) / (dim + 0.05)

    words = ("--ink", "--op", "--type", "--string", "--attribute", "--faint")
    for ground in ("--added-row", "--removed-row", "--moved-row"):
        for name in words:
            assert contrast(name, ground) >= 4.5, (name, ground)
    for ground in ("--added", "--removed"):
        for name in words[:-1]:
            assert contrast(name, ground) >= 4.5, (name, ground)
    for ground in ("--paper", "--panel"):
        for name in ("--ink", "--faint", "--blocked", "--avoidable", "--made", "--stays"):
            assert contrast(name, ground) >= 4.5, (name, ground)
        for number in range(1, 5):
            assert contrast(f"--colour-{number}", ground) >= 3, (number, ground)


def test_the_legend_filters_the_table(visit: Callable[..., Any]) -> None:
    page = visit(RESNET)
    legend = page.get_by_role("button", name="21 avoidable")
    legend.click()
    assert page.locator("output").inner_text() == "1 to 21 of 21 rows (234 in all)"
    assert set(page.locator("td.disorder").all_inner_texts()) == {"avoidable"}
    legend.click()
    assert page.locator("output").inner_text() == "1 to 65 of 65 rows (234 in all)"


def test_an_op_leads_to_its_ir_its_partners_and_a_command(visit: Callable[..., Any]) -> None:
    page = visit(RESNET, "#op-289")
    detail = page.locator(".detail")
    assert '%217 = "ttir.permute"(%216)' in detail.locator(".ir .own").inner_text()
    assert detail.locator("code").last.inner_text() == f"eio-audit explain {RESNET} 289"
    detail.get_by_role("link", name="#67 ttir.add %223").click()
    assert page.url.endswith("#op-295")
    wait_for_text(page, ".detail", "#67 ttir.add %223 at line 295")


def test_a_finding_leads_to_its_place_in_the_picture(visit: Callable[..., Any]) -> None:
    page = visit(RESNET)
    page.locator("details.finding").first.get_by_role("link", name="179").click()
    wait_for_text(page, ".detail", "#33 ttir.broadcast %107 at line 179")


def test_a_block_leads_to_its_section(visit: Callable[..., Any]) -> None:
    page = visit(ISSUE.replace("(%56)", "(%55)") + ISSUE.replace("@main", "@other"))
    page.locator("#blocks").get_by_role("link", name="@other ^bb0").click()
    assert page.url.endswith("#block-2")


def test_a_command_can_be_copied_without_leave(visit: Callable[..., Any]) -> None:
    """A page of a file may not write to the clipboard: the text is selected and copied as by hand."""
    page = visit(RESNET)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    button = page.locator("details.finding .copy").first
    button.click()
    page.wait_for_function("button => button.textContent !== 'Copy'", arg=button.element_handle())
    assert page.evaluate("getSelection().toString()") == f"eio-audit explain {RESNET} 178"


def test_a_word_is_explained_by_pointer_focus_and_tap(browser: Any, visit: Callable[..., Any]) -> None:
    page = visit(RESNET)
    word = page.locator("main .term", has_text="inversions").first
    meaning = page.locator("#term-inversion")
    word.hover()
    assert meaning.inner_text().startswith("inversion: ops u before v in one block")
    page.mouse.move(0, 0)
    assert not meaning.is_visible()
    word.focus()
    assert meaning.is_visible()
    page.keyboard.press("Escape")
    assert not meaning.is_visible()
    word.click()
    assert meaning.is_visible()


def test_j_and_k_go_from_pass_to_pass(visit: Callable[..., Any]) -> None:
    page = visit(LOG, command=["trace"])
    chosen = page.locator(".view h2")
    assert chosen.inner_text() == "ttir-erase-inverse-ops +46 added -84 removed ~135 modified"
    page.keyboard.press("k")
    page.keyboard.press("k")
    assert chosen.inner_text().startswith("ttir-flatten-sliding-window")
    assert page.url.endswith("#pass-3")
    page.keyboard.press("j")
    assert chosen.inner_text().startswith("ttir-explicate-tms")


def test_passes_that_changed_nothing_are_shown_on_demand(visit: Callable[..., Any]) -> None:
    page = visit(LOG, command=["trace"])
    shown = page.locator("nav li:visible")
    page.wait_for_selector(".pair")
    assert shown.count() == 5
    page.get_by_label("changed only").uncheck()
    assert shown.count() == 8


def test_the_list_shows_the_chosen_passes_first_and_all_on_demand(visit: Callable[..., Any]) -> None:
    page = visit(LOG, command=["trace", "--pass", "ttir-f*"])
    page.wait_for_selector(".pair")
    shown = page.locator("nav li:visible b")
    assert shown.all_inner_texts() == ["ttir-flatten-sliding-window"]
    assert page.locator(".view h2").inner_text().startswith("ttir-flatten-sliding-window")
    page.get_by_label("chosen only").uncheck()
    assert shown.count() == 5


def test_passes_are_found_by_the_ops_that_they_changed(visit: Callable[..., Any]) -> None:
    page = visit(LOG, command=["trace"])
    page.wait_for_selector(".pair")
    page.keyboard.press("/")
    page.keyboard.type("max_pool")
    assert page.locator("nav li:visible b").all_inner_texts() == [
        "ttir-flatten-sliding-window",
        "ttir-erase-inverse-ops",
    ]


def test_passes_are_found_by_their_ir_where_no_name_matches(visit: Callable[..., Any]) -> None:
    page = visit(SAMPLES / "mlir_opt" / "passes.log", command=["trace"])
    page.wait_for_selector(".pair")
    page.keyboard.press("/")
    page.keyboard.type("strided<[?, ?]")
    assert page.locator("nav li:visible b").all_inner_texts() == [
        "one-shot-bufferize",
        "convert-linalg-to-loops",
    ]
    assert page.locator("nav output").inner_text() == "2 of 5 by their IR"
    page.keyboard.type(" nowhere")
    assert page.locator("nav output").inner_text() == "0 of 5"


def test_a_pass_can_be_linked_to(visit: Callable[..., Any]) -> None:
    page = visit(LOG, "#pass-6", ["trace"])
    assert page.locator(".view h2").inner_text().startswith("ttir-implicit-broadcast-fold")
    page.locator("nav").get_by_role("link", name="ttir-explicate-tms").click()
    wait_for_text(page, ".view h2", "ttir-explicate-tms")
    page.go_back()
    wait_for_text(page, ".view h2", "ttir-implicit-broadcast-fold")


def test_a_pass_is_in_view_on_a_telephone(visit: Callable[..., Any]) -> None:
    page = visit(LOG, command=["trace"])
    page.set_viewport_size({"width": 400, "height": 800})
    page.locator("nav").get_by_role("link", name="ttir-explicate-tms").click()
    page.wait_for_function("() => document.querySelector('.view h2').getBoundingClientRect().top < 400")
    assert page.locator(".view h2").inner_text().startswith("ttir-explicate-tms")


def test_only_changed_words_are_marked(visit: Callable[..., Any]) -> None:
    page = visit(LOG, "#pass-5", ["trace"])
    row = page.locator(".row.changed").first
    assert row.locator("del").all_inner_texts() == [
        "%5",
        "32",
        "32",
        "tensor<1x16x1x1xbf16>",
        "tensor<1x16x32x32xbf16>",
    ]
    assert row.locator("ins").all_inner_texts() == [
        "%4",
        "1024",
        "1",
        "tensor<1x1x1x16xbf16>",
        "tensor<1x1x1024x16xbf16>",
    ]


def test_renumbered_lines_are_unchanged_unless_asked_for(visit: Callable[..., Any]) -> None:
    values = "".join(f'  %{k} = "t.add"(%{k - 1}) : (i32) -> i32\n' for k in range(1, 40))
    first = f'func.func @f() {{\n  %0 = "t.zero"() : () -> i32\n{values}  return\n}}\n'
    shifted = re.sub(r"%(\d+)", lambda m: f"%{int(m[1]) + 1}", first)
    later = shifted.replace("{\n", '{\n  %0 = "t.one"() : () -> i32\n', 1)
    marker = "// -----// IR Dump After {0} ({0}) //----- //\n{1}"
    page = visit(
        marker.format("a", first) + marker.format("b", later),
        command=["trace", "--config", "allow-unindexed=true"],
    )
    assert page.locator(".fold").all_inner_texts() == ["39 unchanged lines"]
    page.get_by_label("hide renumbering").uncheck()
    assert page.locator(".fold").count() == 0
    assert page.locator(".row.names").count() == 40
    assert page.locator("del").count() == 0


def test_switches_unwrap_lines_and_hide_types_and_locations(visit: Callable[..., Any]) -> None:
    page = visit(LOG, "#pass-5", ["trace"])
    line = page.locator(".pair .right", has_text="ttir.max_pool2d").first
    tall = line.bounding_box()["height"]
    page.get_by_label("wrap").uncheck()
    assert line.bounding_box()["height"] < tall
    page.get_by_label("types and locations").uncheck()
    assert line.inner_text().endswith("}>")


def test_equal_text_is_not_marked_where_it_names_another_value(visit: Callable[..., Any]) -> None:
    first = function("%a = t.a %x", "%b = t.b %x", "%c = t.c %a")
    second = function("%b = t.a %x", "%a = t.b %x", "%c = t.c %a")
    page = visit(log(first, second), "#pass-1", ["trace", "--config", "allow-unindexed=true"])
    page.wait_for_selector(".row.changed")
    assert page.locator(":is(del, ins)").count() == 0


def test_a_value_is_marked_with_all_its_uses(visit: Callable[..., Any]) -> None:
    page = visit(LOG, "#pass-5", ["trace"])
    page.locator(".left .value.defined", has_text="%5").first.click()
    assert page.locator(".told").inner_text() == "%5 before: 1 use; %3 after: 1 use"


def test_an_op_has_its_history(visit: Callable[..., Any]) -> None:
    page = visit(LOG, "#pass-5", ["trace"])
    page.locator(".right .opname", has_text="ttir.max_pool2d").first.click()
    history = page.locator(".history")
    assert history.locator("h3").inner_text() == "ttir.max_pool2d"
    assert history.locator("li a[aria-current]").inner_text() == "~ ttir-erase-inverse-ops modified"
    history.locator("li a").first.click()
    page.wait_for_selector(".view h2:has-text('ttir-flatten-sliding-window')")
    assert page.locator(".no.picked").count() > 0
    page.keyboard.press("Escape")
    history.wait_for(state="hidden")


@pytest.mark.parametrize(
    ("anchor", "side"), [("#pass-3", "left"), ("#pass-2", "right"), ("#pass-4", "right")]
)
def test_an_op_that_was_inlined_has_one_history(visit: Callable[..., Any], anchor: str, side: str) -> None:
    f, g = function("%a = t.a %x"), function("%c = t.c %x", name="g")
    both = function("%c = t.c %x", "%a = t.a %x", name="g")
    later = module(both.replace("t.a %x", "t.a %c"))
    page = visit(
        log(module(f, g), f, both, module(both), later), anchor, ["trace", "--config", "allow-unindexed=true"]
    )
    page.locator(f".{side} .opname", has_text="t.a").last.click()
    assert page.locator(".history li").all_inner_texts() == ["~ p3 inlined", "~ p4 modified"]


def test_n_goes_to_the_next_change(visit: Callable[..., Any]) -> None:
    page = visit(LOG, "#pass-5", ["trace"])
    page.wait_for_selector(".pair")
    page.keyboard.press("n")
    page.keyboard.press("n")
    assert page.locator(".told").inner_text().startswith("change 2 of ")
    page.keyboard.press("p")
    assert page.locator(".told").inner_text().startswith("change 1 of ")


def test_without_scripts_all_passes_are_listed(browser: Any, tmp_path: Path) -> None:
    run("trace", LOG, "--format", "html", "-o", tmp_path / "report.html")
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto((tmp_path / "report.html").as_uri())
    assert page.locator("nav li:visible").count() == 8
    assert not page.locator(".view").is_visible()
    page.close()


def test_the_curve_tells_a_step_and_opens_it(visit: Callable[..., Any]) -> None:
    page = visit(SMALL, command=COMPILER)
    page.wait_for_selector(".pair")
    assert page.evaluate("scrollY") == 0
    box = page.locator("figure svg").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 13 / 218, box["y"] + box["height"] * 14 / 18)
    told = "attempt 13 TTIRCommuteTmsThroughElementwiseRewriter<PermuteOp, ElementwiseBinary, UPWARDS> "
    assert page.locator(".said").inner_text() == f"{told}on #18 ttir.add %6, 2 -> 5 inversions, 3 made"
    page.mouse.down()
    page.mouse.up()
    page.wait_for_url("**#pass-3")
    page.wait_for_function("() => document.querySelector('.view').getBoundingClientRect().top < 450")
    assert page.locator(".view .where").inner_text() == "#18 ttir.add %6  attempt 13 /proj/model.py:13"


def test_j_moves_the_mark_on_both_curves(visit: Callable[..., Any]) -> None:
    page = visit(SMALL, "#pass-3", COMPILER)
    page.wait_for_selector(".pair")
    page.keyboard.press("j")
    share = f"{100 * 15 / 218}%"
    assert [one.get_attribute("x1") for one in page.locator("line.chosen").all()] == [share, share]


def test_arrow_keys_walk_along_the_curve(visit: Callable[..., Any]) -> None:
    page = visit(SMALL, command=COMPILER)
    page.wait_for_selector(".pair")
    page.locator("figure .stage").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".said a").inner_text() == "attempt 15"
    page.keyboard.press("Enter")
    page.wait_for_url("**#pass-4")


def test_a_link_to_the_chosen_step_shows_it(visit: Callable[..., Any]) -> None:
    page = visit(SMALL, command=COMPILER)
    page.wait_for_selector(".pair")
    for _ in range(2):
        page.evaluate("scrollTo(0, 0)")
        page.locator(".patterns a").first.click()
        page.wait_for_function("() => document.querySelector('.view').getBoundingClientRect().top < 450")


def test_without_scripts_the_curve_leads_to_the_list(browser: Any, tmp_path: Path) -> None:
    run("bisect", "-o", tmp_path / "report.html", *COMPILER[1:], SMALL)
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto((tmp_path / "report.html").as_uri())
    assert page.locator(".said").inner_text().startswith("attempt 13 ")
    page.locator(".said a").click()
    assert page.locator("#pass-3:target").is_visible()
    page.close()


def test_names_of_ops_run_nothing_beside_each_other(visit: Callable[..., Any]) -> None:
    marker = "// -----// IR Dump After {0} ({0}) //----- //\n{1}"
    nasty = ISSUE.replace("ResNet[resnet]", NASTY)
    later = nasty.replace("ttir.permute", "ttir.transpose")
    page = visit(marker.format("a", nasty) + marker.format("b", later), command=["trace"])
    page.wait_for_selector(".pair")
    assert page.locator("img").count() == 0
    assert NASTY in page.locator(".pair").inner_text()


def test_a_diff_shows_both_dumps_side_by_side(visit: Callable[..., Any]) -> None:
    command, dump = PAGES["diff"]
    page = visit(dump, command=command)
    assert page.locator(".view h2").inner_text() == "Before and after +46 added -84 removed ~135 modified"


def test_a_changed_op_leads_to_the_picture(visit: Callable[..., Any]) -> None:
    command, dump = PAGES["diff"]
    page = visit(dump, command=command)
    page.locator("#changes").get_by_role("link", name="#27 ttir.broadcast %91").click()
    wait_for_text(page, ".detail", "#27 ttir.broadcast %91 at line 163")


def test_all_columns_of_the_passes_are_in_view(visit: Callable[..., Any]) -> None:
    page = visit(LOG, command=["trace"])
    page.set_viewport_size({"width": 1400, "height": 900})
    page.get_by_text("The order after each pass").click()
    assert (
        page.evaluate("(e => e.scrollWidth - e.clientWidth)(document.querySelector('#passes .scroll'))") == 0
    )


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_telephone(visit: Callable[..., Any], name: str) -> None:
    command, dump = PAGES[name]
    page = visit(dump, command=command)
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 400


@pytest.mark.parametrize("name", PAGES)
def test_on_paper_all_is_open_and_in_view(visit: Callable[..., Any], name: str) -> None:
    command, dump = PAGES[name]
    page = visit(dump, command=command)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 1000})
    assert page.evaluate("document.documentElement.scrollWidth") == 718
    unfolded = "main:not(.browser) details > :not(summary)"
    assert all(folded.is_visible() for folded in page.locator(unfolded).all())
    assert page.evaluate("getComputedStyle(document.body).printColorAdjust") == "exact"
    assert all(section.is_visible() for section in page.locator(".view").all())


def test_on_paper_the_list_ends_where_the_chosen_step_begins(visit: Callable[..., Any]) -> None:
    page = visit(SMALL, command=COMPILER)
    page.wait_for_selector(".pair")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 500})
    last, view = page.locator("nav li").last.bounding_box(), page.locator(".view").bounding_box()
    assert last["y"] + last["height"] <= view["y"]


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(visit: Callable[..., Any], name: str, scheme: str, width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415  (only where these tests run)

    command, dump = PAGES[name]
    page = visit(dump, command=command)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    found = Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_the_worst_model_is_on_top_and_leads_to_its_page(index: Any) -> None:
    first = index.locator("#models tbody tr").first
    assert first.locator("td").all_inner_texts()[:4] == ["resnet", "44", "84", "1,578"]
    first.get_by_role("link").click()
    assert index.locator("h1").inner_text() == "resnet: order of ops"
    assert index.locator("svg.lines").count() == 1
    index.get_by_role("link", name="All models").click()
    assert index.locator("#models tbody tr").count() == 100


def test_bars_are_as_long_as_their_numbers(index: Any) -> None:
    first, second = (index.locator("#models td.inversions").nth(row) for row in (0, 1))
    share = "e => Number(getComputedStyle(e).getPropertyValue('--part'))"
    assert first.evaluate(share) == 1
    assert second.evaluate(share) == int(second.inner_text().replace(",", "")) / int(
        first.inner_text().replace(",", "")
    )


def test_bars_are_below_their_numbers_on_paper_too(index: Any) -> None:
    index.emulate_media(media="print")
    style = "e => getComputedStyle(e).paddingBottom"
    assert index.locator("#models td.part").first.evaluate(style) == "8px"
    assert index.locator("#models td.dumps").first.evaluate(style) == "2px"


def test_models_are_filtered_sorted_and_paged(index: Any) -> None:
    models = index.locator("#models")
    assert models.locator("output").inner_text() == "1 to 100 of 123 rows"
    models.get_by_role("searchbox").fill("model_07")
    assert models.locator("output").inner_text() == "1 to 10 of 10 rows (123 in all)"
    models.locator("th.model button").click()
    names = models.locator("td.model").all_inner_texts()
    assert names == [f"model_07{k}" for k in range(10)]


def test_the_contents_lead_to_the_tables(index: Any) -> None:
    index.get_by_role("navigation").get_by_role("link", name="Passes").click()
    assert index.url.endswith("#by-pass")
    assert index.locator("#passes td.pass").first.is_visible()


def test_models_are_reached_by_the_keyboard(index: Any) -> None:
    index.get_by_role("navigation").get_by_role("link", name="Models").focus()
    index.keyboard.press("Enter")
    index.keyboard.press("/")
    index.keyboard.type("resnet")
    for key in ("Tab",) * 11:
        index.keyboard.press(key)
    assert index.evaluate("document.activeElement.outerHTML") == '<a href="resnet.html">resnet</a>'
    index.keyboard.press("Enter")
    index.wait_for_function("() => document.querySelector('h1').textContent.includes('resnet')")


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_page_of_many_models(index: Any, scheme: str, width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415  (only where these tests run)

    index.emulate_media(color_scheme=scheme)
    index.set_viewport_size({"width": width, "height": 900})
    found = Axe().run(index).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


@pytest.mark.parametrize(("media", "width"), [("screen", 400), ("print", 718)])
def test_the_page_of_many_models_fits(index: Any, media: str, width: int) -> None:
    index.emulate_media(media=media)
    index.set_viewport_size({"width": width, "height": 800})
    assert index.evaluate("document.documentElement.scrollWidth") == width


def test_numbers_have_commas_and_small_tables_no_filter(visit: Callable[..., Any]) -> None:
    page = visit(SAMPLES / "resnet")
    assert not page.get_by_label("Filter").first.is_visible()
    row = page.locator("#models tbody tr", has_text="all_passes_alias.log")
    assert "3,741" in row.locator("td").all_inner_texts()


def test_an_application_that_left_the_inversions_alone_has_no_figures(visit: Callable[..., Any]) -> None:
    page = visit(SMALL, command=COMPILER)
    worst = page.locator("td.worst").all_inner_texts()
    assert worst[0] == "attempt 13: 2 -> 5"
    assert "attempt 59" in worst


TWO_FUNCTIONS = "".join(
    f"// -----// IR Dump {when} {name} ({name}) //----- //\n"
    f"func.func @{function}(%a: i32) -> i32 {{\n  %0 = arith.constant {number} : i32\n"
    f"  %1 = arith.addi %a, %0 : i32\n  return %1 : i32\n}}\n\n"
    for when, name, function, number in (
        ("Before", "a", "f", 1),
        ("After", "a", "f", 2),
        ("Before", "a", "g", 1),
        ("After", "a", "g", 2),
        ("Before", "b", "f", 2),
        ("After", "b", "f", 3),
    )
)


def test_a_function_is_chosen(visit: Callable[..., Any]) -> None:
    page = visit(TWO_FUNCTIONS, command=["trace"])
    listed = page.locator(".passes nav li:not([hidden]) .place i")
    assert listed.all_inner_texts() == ["@f", "@g", "@f"]
    page.locator("select.function").select_option("@f")
    assert listed.all_inner_texts() == ["@f", "@f"]


def test_any_two_passes_are_side_by_side(visit: Callable[..., Any]) -> None:
    page = visit(TWO_FUNCTIONS, "#pass-0", command=["trace"])
    other = page.locator("select.other-pass")
    assert other.locator("option").all_inner_texts() == ["the text before", "after b (36)"]
    other.select_option(label="after b (36)")
    assert page.locator(".heads b").all_inner_texts() == ["after a", "after b"]
    assert page.locator(".pair del, .pair ins").all_inner_texts() == ["2", "3"]
    other.select_option("")
    assert page.locator(".pair del, .pair ins").all_inner_texts() == ["1", "2"]
    page.keyboard.press("j")
    assert page.locator("select.other-pass").is_hidden()


def test_the_command_of_a_pass_is_copied(visit: Callable[..., Any]) -> None:
    page = visit(LOG, "#pass-1", command=["trace"])
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.keyboard.press("j")
    page.locator(".view .command .copy").click()
    page.locator(".view .command .copy", has_text="Copied").wait_for()  # the clipboard answers later
    assert page.evaluate("navigator.clipboard.readText()") == page.locator(".view .command code").inner_text()


def test_of_a_failed_dump_in_generic_form_only_what_changed_is_marked(visit: Callable[..., Any]) -> None:
    custom = """\
func.func @f(%a: i32) -> i32 {
  %c = arith.constant 1 : i32
  %0 = arith.addi %a, %c : i32
  return %0 : i32
}
"""
    generic = """\
"func.func"() <{function_type = (i32) -> i32, sym_name = "f"}> ({
^bb0(%arg0: i32):
  %0 = "arith.constant"() <{value = 2 : i32}> : () -> i32
  %1 = "arith.addi"(%arg0, %0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
  "func.return"(%1) : (i32) -> ()
}) : () -> ()
"""
    log = (
        f"// -----// IR Dump Before a (a) //----- //\n{custom}\nm.mlir:1:1: error: bad\n"
        f"// -----// IR Dump After a Failed (a) //----- //\n{generic}"
    )
    page = visit(log, command=["trace"])
    assert page.locator(".row.changed del, .row.changed ins").all_inner_texts() == ["1", "2"]
    assert page.locator(".row.apart").count() == 0


def test_a_key_in_the_filter_of_742_dumps_is_answered_within_100_ms(
    visit: Callable[..., Any], tmp_path: Path
) -> None:
    page = visit(iree_log(tmp_path), command=["trace"])
    assert page.locator(".passes nav li").count() > 700
    page.wait_for_timeout(1000)
    times = page.evaluate("""() => {
      const search = document.querySelector(".passes nav input[type=search]");
      return [..."tensor<8x4xf32>"].map((key) => {
        search.value += key;
        const start = performance.now();
        search.dispatchEvent(new Event("input"));
        return performance.now() - start;
      });
    }""")
    assert page.locator(".passes nav output").inner_text().endswith(" by their IR")
    assert max(times) < 100
