"""``check`` of many models: what it writes where."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.logs import dump, function
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
