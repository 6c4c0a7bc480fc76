"""The table of formats names functions that exist."""

from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

from eio_audit.cli.reports import Given
from tests.audit.test_fix import SHUFFLED
from tests.cli.running import run
from tests.internals import RENDERERS


@pytest.mark.parametrize(
    ("kind", "format_"), [(kind, name) for kind, names in RENDERERS.items() for name in names]
)
def test_the_function_of_a_format_gets_all_its_parameters(kind: str, format_: str) -> None:
    module, _, name = RENDERERS[kind][format_].partition(":")
    _, *parameters = signature(getattr(import_module(f"eio_audit.report.{module}"), name)).parameters
    of_one_page_of_several = {"pages", "model", "up"}
    assert {*parameters} <= {"console", *Given.__annotations__, *of_one_page_of_several}


def test_the_first_format_is_the_default() -> None:
    assert {kind: next(iter(formats)) for kind, formats in RENDERERS.items()} == dict.fromkeys(
        RENDERERS, "text"
    ) | {"Dataflow": "dot"}


@pytest.mark.parametrize(
    ("command", "output", "hint"),
    [
        ("check", "sariff:x", "'sariff' is not a format; did you mean 'sarif'? For a file of that name: './sariff:x'"),
        ("trace", "sarif:x", "'sarif' is not a format; expected one of text, json, markdown, html. For a file of that name: './sarif:x'"),
        ("check", "10:30.txt", "'10' is not a format; expected one of text, "),
        ("check", "json:", "expected a file after 'json:'"),
    ],
)  # fmt: skip
def test_an_unknown_format_before_a_colon(
    command: str, output: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(command, "-", "--output", output, stdin=SHUFFLED.encode())
    assert (result.returncode, hint in result.stderr.decode()) == (2, True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["./sariff:x", "C:x", "C:\\x", "./json:x"])
def test_a_file_whose_name_has_a_colon(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("check", "-", "--output", name, stdin=SHUFFLED.encode())
    assert Path(name).read_text().startswith("<stdin>")


@pytest.mark.parametrize(
    ("command", "name", "start"),
    [
        ("check", "a.html", "<!doctype html>"),
        ("check", "A.HTM", "<!doctype html>"),
        ("check", "a.json", '{\n  "schema"'),
        ("check", "a.sarif", '{\n  "$schema"'),
        ("check", "a.sarif.json", '{\n  "$schema"'),
        ("check", "a.md", "### eio-audit check"),
        ("check", "a.xml", "<?xml"),
        ("check", "a.txt", "<stdin>\n"),
        ("trace", "a.html", "<!doctype html>"),
        ("graph", "a.svg", '<?xml version="1.0" encoding="UTF-8"?>\n<svg'),
        ("graph", "a.dot", "digraph"),
    ],
)
def test_the_end_of_a_files_name_tells_the_format(
    command: str, name: str, start: str, tmp_path: Path
) -> None:
    done = run(command, "-", "--output", tmp_path / name, stdin=SHUFFLED.encode())
    assert (done.returncode in (0, 1), done.stdout) == (True, b"")
    assert (tmp_path / name).read_text().lower().startswith(start.lower())


def test_two_files_have_the_formats_of_their_names(tmp_path: Path) -> None:
    run("check", "-", "-o", tmp_path / "a.html", "-o", tmp_path / "b.json", stdin=SHUFFLED.encode())
    starts = [(tmp_path / name).read_text()[:1] for name in ("a.html", "b.json")]
    assert starts == ["<", "{"]


@pytest.mark.parametrize(
    "options",
    [("--format", "text", "--output", "{}"), ("--output", "text:{}")],
)
def test_an_explicit_format_wins_over_the_end_of_the_name(options: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    run("check", "-", *(option.format(path) for option in options), stdin=SHUFFLED.encode())
    assert path.read_text().startswith("<stdin>\n")


def test_a_format_that_the_command_lacks_is_an_error(tmp_path: Path) -> None:
    done = run("history", "-", "%0", "-o", tmp_path / "a.html", stdin=SHUFFLED.encode())
    assert done.returncode == 2
    assert b"this command cannot write html, only text, json" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("command", "name"), [("check", "report.pdf"), ("graph", "report.png")])
def test_no_format_has_another_end(command: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(SHUFFLED)
    done = run(command, tmp_path / "a.mlir", "-o", tmp_path / name)
    assert done.returncode == 2
    assert f"this command cannot write {name[-4:]}, only ".encode() in done.stderr
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(("options", "said"), [((), "{} is written: failed: "), (("--quiet",), "")])
def test_the_verdict_of_a_report_in_a_file_is_told(
    options: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    done = run("check", "-", "-o", report, *options, stdin=SHUFFLED.encode())
    assert (done.stdout, done.stderr.decode().startswith(said.format(report))) == (b"", True)
    assert bool(done.stderr) == bool(said)


def test_a_folder_gets_pages(tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(SHUFFLED)
    assert run("check", tmp_path / "a.mlir", "-o", f"{tmp_path}/report/").returncode == 1
    assert (tmp_path / "report" / "index.html").is_file()


def test_every_command_writes_several_reports(tmp_path: Path) -> None:
    result = run(
        "trace", "-", "-o", f"json:{tmp_path / 'a.json'}", "-o", tmp_path / "a.txt", stdin=SHUFFLED.encode()
    )
    assert result.stdout == b""
    assert (tmp_path / "a.json").read_text().startswith("{")
    assert (tmp_path / "a.txt").exists()
