"""``trace`` of a folder of many models."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.logs import dump, function
from tests.report.pages import Page

IN_ORDER = dump("After", "start", function("f", 1, 2))
BROKEN = dump("After", "cse", "func.func @broken() {\n  %0 = \n}\n")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three models that ``fusing`` shuffles, one that is in order, and one that was never in order."""
    monkeypatch.chdir(tmp_path)
    folder = Path("corpus")
    for name, orders in {
        "resnet": [("start", (1, 2, 3)), ("fusing", (3, 2, 1)), ("cse", (3, 2, 1))],
        "bert": [("start", (1, 2, 3)), ("fusing", (3, 2, 1)), ("cse", (2, 1, 3))],
        "yolo": [("start", (1, 2, 3)), ("fusing", (2, 1, 3)), ("cse", (1, 2, 3))],
        "clean": [("start", (1, 2)), ("fusing", (1, 2))],
        "late": [("start", (2, 1)), ("fusing", (2, 1))],
    }.items():
        (folder / name).mkdir(parents=True)
        for number, (pass_name, order) in enumerate(orders):
            (folder / name / f"{number}_{pass_name}.mlir").write_text(function("f", *order))
    return folder


def test_the_sums_by_pass_and_by_model(corpus: Path) -> None:
    done = run("trace", corpus)
    assert done.returncode == 1
    assert done.stdout.decode() == (
        """\
left at the end: 5 inversions in 3 of 5 models, 1 of them there from the start: all out of place

  pass                    made  undone  left  in models
  fusing                     7             4     3 of 5
  cse                                3
  (there from the start)     1             1     1 of 5
  ... and 1 more pass (-v)

  model   at the start  made  undone  left  worst pass
  resnet                   3             3  fusing
  bert                     3       2     1  fusing
  late               1                   1
  yolo                     1       1        fusing
  ... and 1 more model (-v)

failed: 5 inversions out of place left at the end of 5 models
next:
  eio-audit trace corpus/resnet  # shows the worst model
"""
    )


def test_verbose_shows_all_passes_and_models(corpus: Path) -> None:
    lines = run("trace", corpus, "--verbose").stdout.decode().splitlines()
    assert [line.split()[0] for line in lines[3:7]] == ["fusing", "cse", "start", "(there"]
    assert [line.split()[0] for line in lines[9:14]] == ["resnet", "bert", "late", "yolo", "clean"]


def test_at_most_ten_models_are_shown(tmp_path: Path) -> None:
    for number in range(12):
        text = IN_ORDER + dump("After", "fusing", function("f", 2, 1))
        (tmp_path / f"m{number}.log").write_text(text)
    lines = run("trace", tmp_path).stdout.decode().splitlines()
    assert [line.split()[0] for line in lines[7:17]] == [f"m{number}.log" for number in range(10)]
    assert lines[17] == "  ... and 2 more models (-v)"


def test_a_single_model_is_shown_pass_by_pass(corpus: Path) -> None:
    lines = run("trace", corpus / "resnet").stdout.decode().splitlines()
    assert lines[:2] == [
        "left at the end: 3 inversions: all out of place",
        "fusing (corpus/resnet/1_fusing.mlir:1) left 3: #3 ttir.add %0 (line 2), #2 ttir.add %1 (line 3)",
    ]


def test_the_sums_as_json(corpus: Path) -> None:
    document = json.loads(run("trace", corpus, "--format", "json").stdout)
    nothing = {"mislabelled": 0, "lost": 0}
    fusing = {"pass": "fusing", "made": 7, "models": 3, "undone": 0, "left": 4, "left_shuffled": 4} | nothing
    assert document["pass_totals"][0] == fusing
    assert [total["pass"] for total in document["pass_totals"]] == ["fusing", "cse", "start"]
    worst = document["models"][0]
    ours = {"made": 3, "undone": 0, "left": 3, "left_shuffled": 3}
    assert worst["passes"][0] == fusing | ours | {"models": 1}
    del worst["passes"]
    assert worst == {"model": "resnet", "initial": 0} | ours | nothing
    assert [model["model"] for model in document["models"]] == ["resnet", "bert", "late", "yolo", "clean"]
    assert [traced["index"] for traced in document["passes"]] == list(range(13))
    initial = [document[key] for key in ("initial", "initial_left", "initial_left_shuffled")]
    assert (document["final"]["inversions"], initial) == (5, [1, 1, 1])


def test_a_single_model_has_the_same_members(corpus: Path) -> None:
    one, many = (
        json.loads(run("trace", path, "--format", "json").stdout) for path in (corpus / "resnet", corpus)
    )
    assert one.keys() == many.keys()
    assert [model["model"] for model in one["models"]] == ["resnet"]


def test_dumps_without_an_index_in_models_with_indices_are_counted(tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text(IN_ORDER)
    (tmp_path / "some.log").write_text(IN_ORDER + dump("After", "cse", function("f", None, None)))
    done = run("trace", tmp_path)
    dumps = 2 * IN_ORDER.count("IR Dump") + 1
    said = f" of 2 models; {dumps - 1} of {dumps} dumps checked; 1 carries no op index\n"
    assert (done.returncode, said in done.stdout.decode()) == (0, True)


@pytest.mark.parametrize(
    ("options", "code"), [((), 1), (("--config", "allow-unindexed=true"), 0), (("--fail-on=never",), 0)]
)
def test_a_model_without_an_index_fails_unless_that_is_allowed(
    tmp_path: Path, options: tuple[str, ...], code: int
) -> None:
    (tmp_path / "good.log").write_text(IN_ORDER)
    (tmp_path / "lost.log").write_text(dump("After", "start", function("f", None, None)))
    done = run("trace", tmp_path, *options)
    said = b"1 of 2 models checked; 1 carries no op index: lost.log"
    assert (done.returncode, said in done.stdout) == (code, True)
    document = json.loads(run("trace", tmp_path, *options, "--format", "json").stdout)
    assert document["unjudged"] == [{"model": "lost.log", "dumps": 1}]
    assert said.decode() in Page(run("trace", tmp_path, *options, "--format", "html").stdout.decode()).words


def test_the_page_of_many_models(corpus: Path) -> None:
    page = Page(run("trace", corpus, "--format", "html").stdout.decode())
    assert ": 5 inversions in 3 of 5 models" in page.words
    assert "eio-audit trace corpus/resnet" in page.words
    columns = {column["key"]: column for column in page.islands["passes-rows"]["columns"]}
    assert (columns["pass"]["strings"], columns["made"]["values"]) == (
        ["fusing", "cse", "start", "(there from the start)"],
        [7, 0, 0, 1],
    )
    columns = {column["key"]: column for column in page.islands["models-rows"]["columns"]}
    assert columns["model"]["strings"] == ["resnet", "bert", "late", "yolo", "clean"]
    rows = zip(*(columns[key]["values"] for key in ("initial", "made", "undone", "left")), strict=True)
    assert list(rows) == [(0, 3, 0, 3), (0, 3, 2, 1), (1, 0, 0, 1), (0, 1, 1, 0), (0, 0, 0, 0)]
    columns = {column["key"]: column for column in page.islands["runs-rows"]["columns"]}
    assert columns["made"]["values"] == [3, 3, 0, 1, 0]


@pytest.mark.parametrize("format_", ["text", "json", "html"])
def test_several_processes_report_the_same(corpus: Path, format_: str) -> None:
    (corpus / "broken.log").write_text(IN_ORDER + BROKEN)
    (corpus / "unreadable.mlir").write_bytes(b"ML\xefR")
    one, several = (run("trace", corpus, "--format", format_, "--jobs", jobs) for jobs in ("1", "3"))
    assert (several.stdout, several.stderr) == (one.stdout, one.stderr)
    assert (several.returncode, one.returncode) == (2, 2)
    assert [line.split(": ")[0] for line in one.stderr.decode().splitlines() if "error" in line] == [
        "corpus/broken.log:11:3",
        "corpus/unreadable.mlir:1:1",
    ]


def test_a_corpus_in_order_has_no_tables(corpus: Path) -> None:
    for name in ("resnet", "bert", "yolo", "late"):
        shutil.rmtree(corpus / name)
    shutil.copytree(corpus / "clean", corpus / "again")
    assert run("trace", corpus).stdout == (
        b"left at the end: nothing in 2 models\n\n"
        b"passed: no avoidable inversion left at the end of 2 models\n"
    )


def test_a_time_limit_changes_nothing_where_it_is_kept(corpus: Path) -> None:
    assert run("trace", corpus, "--config", "timeout=60").stdout == run("trace", corpus).stdout


def test_standard_input_is_traced_here(monkeypatch: pytest.MonkeyPatch) -> None:
    log = (IN_ORDER + dump("After", "fusing", function("f", 2, 1))).encode()
    assert (
        run("trace", "-", "--jobs", "2", "--config", "timeout=9", stdin=log).stdout
        == run("trace", "-", stdin=log).stdout
    )
