"""The pages in Chromium. Not part of the default suite: ``pip install '.[browser]'``, then ``pytest -m browser``."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.audit.test_check import ISSUE
from tests.cli.running import SAMPLES, run

pytestmark = pytest.mark.browser

RESNET = SAMPLES / "resnet" / "after_alias.mlir"
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

    def open_page(dump: Path | str, anchor: str = "") -> Any:
        target = tmp_path / "report.html"
        stdin = dump.encode() if isinstance(dump, str) else b""
        result = run("check", "-" if stdin else dump, "--format", "html", "-o", target, stdin=stdin)
        assert result.returncode in {0, 1}
        page.goto(f"{target.as_uri()}{anchor}")
        return page

    yield open_page
    page.close()
    assert troubles == []


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
        "in 72 inversions, 71 after a fix; derived",
        "its user #33 ttir.broadcast %107 (line 179) needs it",
    ]


def test_slash_filters_and_headers_sort(visit: Callable[..., Any]) -> None:
    page = visit(RESNET)
    shown = page.locator("output")
    assert shown.inner_text() == "1 to 42 of 42 rows (234 in all)"
    page.keyboard.press("/")
    page.keyboard.type("permute #56")
    assert shown.inner_text() == "1 to 7 of 7 rows (234 in all)"
    page.get_by_role("button", name="line").click()
    lines = page.locator("td.line").all_inner_texts()
    assert lines == sorted(lines, key=int, reverse=True)


def test_the_keyboard_picks_a_row(visit: Callable[..., Any]) -> None:
    page = visit(RESNET)
    page.locator("tbody tr").first.focus()
    page.keyboard.press("Enter")
    assert page.url.endswith("#op-178")
    assert "#56 ttir.permute %106 at line 178" in page.locator(".detail").inner_text()


def test_the_keyboard_walks_along_the_displaced_ops(visit: Callable[..., Any]) -> None:
    page = visit(RESNET)
    page.locator(".stage").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.url.endswith("#op-80")
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
    assert page.title() == "eio-audit check"
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

    for ground in ("--paper", "--panel"):
        for name in ("--ink", "--faint", "--forced", "--avoidable", "--derived", "--knock-on"):
            assert contrast(name, ground) >= 4.5, (name, ground)
