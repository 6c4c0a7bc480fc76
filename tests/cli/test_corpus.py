"""``check`` of many models: what it writes where."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.audit.test_trace import dump, function
from tests.cli.running import run
from tests.report.pages import Page

ORDERED, ONE, THREE = function("f", 1, 2, 3), function("f", 2, 1, 3), function("f", 3, 2, 1)


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with three models, in the current folder."""
    monkeypatch.chdir(tmp_path)
    write("corpus/a/1_canonicalize.mlir", ORDERED)
    write("corpus/a/2_cse.mlir", ONE)
    write("corpus/b/passes.log", dump("After", "inline", THREE) + dump("After", "cse", ONE))
    write("corpus/clean/2_cse.mlir", ORDERED)
    yield tmp_path


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def names(folder: str) -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


@pytest.mark.usefixtures("corpus")
@pytest.mark.parametrize("options", [["-o", "html:report/"], ["--format", "html", "-o", "report/"]])
def test_a_folder_gets_a_page_for_each_model_with_inversions(options: list[str]) -> None:
    assert run("check", "corpus", *options).returncode == 1
    assert names("report") == ["a.html", "b.html", "index.html"]
    links = Page(Path("report/index.html").read_text()).islands["models-rows"]["links"]
    assert links == [0, ["b.html", "a.html", None]]


@pytest.mark.usefixtures("corpus")
def test_a_folder_that_exists_needs_no_slash_and_keeps_other_files() -> None:
    write("report/notes.txt", "mine")
    write("report/a.html", "old")
    run("check", "corpus", "-o", "html:report")
    assert names("report") == ["a.html", "b.html", "index.html", "notes.txt"]
    assert "a: order of ops" in Path("report/a.html").read_text()


@pytest.mark.usefixtures("corpus")
def test_the_pages_of_models_have_pictures() -> None:
    run("check", "corpus", "-o", "html:report/")
    page = Page(Path("report/b.html").read_text())
    assert page.islands["block-1-places"]["original"] == [2, 1, 0, -1]
    assert "block-2-places" not in page.islands  # the same block in a later dump


@pytest.mark.usefixtures("corpus")
def test_a_file_gets_one_page_with_the_worst_blocks() -> None:
    run("check", "corpus", "--format", "html", "-o", "report.html")
    page = Page(Path("report.html").read_text())
    assert page.islands["models-rows"]["links"] == [0, [None, None, None]]
    assert page.islands["block-1-places"]["original"] == [1, 0, 2, -1]
    assert "blocks-rows" in page.islands


@pytest.mark.usefixtures("corpus")
@pytest.mark.parametrize("path", ["corpus/a", "corpus/b", "corpus/b/passes.log"])
def test_one_model_has_the_page_of_a_check(path: str) -> None:
    run("check", path, "-o", "html:report/", "-o", "html:one.html")
    assert names("report") == ["index.html"]
    assert Path("report/index.html").read_text() == Path("one.html").read_text()
    assert "models-rows" not in Page(Path("one.html").read_text()).islands


@pytest.mark.usefixtures("corpus")
def test_beside_files_without_ir_one_model_has_its_pictures() -> None:
    write("few/a/1_cse.mlir", ONE)
    write("few/empty/1_cse.mlir", "\n")
    run("check", "few", "-o", "html:report/")
    assert names("report") == ["index.html"]
    assert "block-1-places" in Page(Path("report/index.html").read_text()).islands


@pytest.mark.usefixtures("corpus")
def test_models_of_one_name_have_the_names_of_their_folders() -> None:
    write("later/a/1_cse.mlir", THREE)
    models = json.loads(run("check", "corpus", "later", "--format", "json").stdout)["models"]
    assert [(one["model"], one["avoidable"]) for one in models] == [
        ("b", 3),
        ("later/a", 3),
        ("corpus/a", 1),
        ("clean", 0),
    ]


@pytest.mark.usefixtures("corpus")
def test_a_folder_that_cannot_be_made_is_an_error() -> None:
    write("report", "a file")
    result = run("check", "corpus", "-o", "html:report/")
    assert (result.returncode, result.stderr) == (
        2,
        b"report/: error: cannot make this folder: File exists\n",
    )


@pytest.mark.usefixtures("corpus")
def test_the_pages_do_not_depend_on_the_number_of_processes() -> None:
    run("check", "corpus", "-j1", "-o", "html:one/")
    run("check", "corpus", "-j2", "-o", "html:two/")
    assert {name: Path("one", name).read_bytes() for name in names("one")} == {
        name: Path("two", name).read_bytes() for name in names("two")
    }


@pytest.mark.usefixtures("corpus")
def test_a_run_is_compared_with_the_report_that_it_replaces() -> None:
    first = run("check", "corpus", "-q", "-o", "json:last.json")
    write("corpus/a/2_cse.mlir", THREE)
    write("corpus/b/passes.log", dump("After", "inline", ORDERED))
    write("corpus/clean/2_cse.mlir", "\n")
    result = run("check", "corpus", "--compare", "last.json", "-o", "json:last.json")
    assert (first.returncode, result.returncode) == (1, 1)
    assert result.stdout.decode().splitlines()[-10:-3] == [
        "since last.json: 4 -> 3 avoidable inversions; 3 models: 1 worse, 1 better, 1 gone",
        "  a: 1 -> 3 avoidable (worse)",
        "  clean: 0 avoidable (gone)",
        "  b: 3 -> 0 avoidable, 2 -> 1 dumps (better)",
        "  pass cse: 1 -> 3 avoidable, 2 -> 1 dumps (worse)",
        "  pass after cse: 1 avoidable (gone)",
        "  pass after inline: 3 -> 0 avoidable (better)",
    ]
    compared = json.loads(Path("last.json").read_text())["compared"]
    assert compared["before"] == {"dumps": 5, "errors": 0, "inversions": 4, "avoidable": 4, "unjudged": 0}
    assert compared["models"][0] == {
        "model": "a",
        "change": "worse",
        "before": {"dumps": 2, "errors": 0, "inversions": 1, "avoidable": 1, "unjudged": 0},
        "after": {"dumps": 2, "errors": 0, "inversions": 3, "avoidable": 3, "unjudged": 0},
    }
    assert compared["passes"][0]["pass"] == "cse"


@pytest.mark.usefixtures("corpus")
def test_getting_worse_does_not_fail() -> None:
    write("old.json", run("check", "corpus/clean", "--format", "json").stdout.decode())
    result = run("check", "corpus", "--fail-on", "never", "--compare", "old.json")
    assert b"3 models: 2 new, 1 the same" in result.stdout
    assert result.returncode == 0


@pytest.mark.usefixtures("corpus")
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"schema": }', "old.json:1:12: error: expecting value"),
        ("{}", "old.json:1:1: error: expected a report of 'eio-audit check --format json'"),
        (None, "old.json: error: cannot read: No such file or directory"),
    ],
)
def test_what_is_no_report_is_an_error_before_the_check(text: str | None, error: str) -> None:
    if text is not None:
        write("old.json", text)
    result = run("check", "corpus", "--compare", "old.json", "-o", "html:report/")
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.decode().startswith(error)
    assert not Path("report").exists()
