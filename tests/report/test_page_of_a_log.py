"""The page of a real log of 742 dumps, and the table of times on a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import run
from tests.cli.test_by_time import MARKED, TIMES
from tests.report.pages import Page, column
from tests.tools import iree_log


@pytest.mark.slow
def test_a_page_of_742_dumps_is_below_1_mb(tmp_path: Path) -> None:
    log, page = iree_log(tmp_path), tmp_path / "passes.html"
    assert log.read_bytes().count(b"IR Dump After") == 742
    assert run("trace", log, "-o", page).returncode == 0
    assert page.stat().st_size < 1_000_000


def test_the_page_has_the_time_of_each_pass(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(2 * MARKED.replace("CANONICALIZE", "Canonicalizer") + "\n" + TIMES)
    table = Page(run("trace", log, "--format", "html").stdout.decode()).islands["times-rows"]
    assert (column(table, "pass"), column(table, "time")) == (["canonicalize"], [1_100])
