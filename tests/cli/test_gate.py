from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.audit.test_check import ISSUE
from tests.audit.test_fix import SHUFFLED
from tests.cli.running import SAMPLES, run
from tests.internals import RENDERERS

RESNET = SAMPLES / "resnet" / "after_alias.mlir"  # 789 inversions, 22 of them avoidable
IN_ORDER = SAMPLES / "small" / "before_inline.mlir"


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "after.mlir"
    path.write_text(SHUFFLED)
    return path


# ---------------------------------------------------------------- what fails


@pytest.mark.parametrize(
    ("options", "code", "verdict"),
    [
        (
            ("--fail-on", "out-of-place", "--max-inversions", "22"),
            0,
            "passed: 22 inversions out of place in 1 of 1 dumps, 22 allowed",
        ),
        (
            ("--fail-on", "out-of-place", "--max-inversions", "21"),
            1,
            "failed: 22 inversions out of place in 1 of 1 dumps, 21 allowed",
        ),
        ((), 1, "failed: 42 wrong indices and 22 inversions out of place in 1 of 1 dumps"),
        (("--fail-on", "out-of-place"), 1, "failed: 22 inversions out of place in 1 of 1 dumps"),
        (
            ("--max-inversions", "788"),
            1,
            "failed: 789 inversions in 1 of 1 dumps, 788 allowed",
        ),
        (
            ("--max-inversions", "789"),
            0,
            "passed: 789 inversions in 1 of 1 dumps, 789 allowed",
        ),
        (
            ("--fail-on", "any", "--max-inversions", "788"),
            1,
            "failed: 789 inversions in 1 of 1 dumps, 788 allowed",
        ),
        (
            ("--max-inversions", "1", "--fail-on", "never"),
            0,
            "passed: 789 inversions in 1 of 1 dumps, 1 allowed",
        ),
        (
            ("--fail-on", "never"),
            0,
            "passed: 789 inversions: 767 come from 42 wrong indices, 22 can be moved back",
        ),
        (
            ("--fail-on", "any"),
            1,
            "failed: 42 wrong indices, 22 inversions out of place and 767 unavoidable inversions in 1 of 1 dumps",
        ),
        (
            ("--ignore", "EIO001", "--select", "EIO003"),
            1,
            "failed: 42 wrong indices in 1 of 1 dumps",
        ),
    ],
)
def test_the_verdict_tells_why(options: tuple[str, ...], code: int, verdict: str) -> None:
    result = run("check", RESNET, *options)
    line, *steps = result.stdout.decode().strip("\n").split("\n")[-4:]
    assert (result.returncode, line) == (code, verdict)
    assert steps == [
        "next:",
        f"  eio-audit fix --relabel --diff {RESNET}  # corrects 42 wrong indices and removes all inversions",
        f"  eio-audit fix --diff {RESNET}  # only moves ops: wrong indices stay, and decide where",
    ]


def test_statistics_are_text() -> None:
    result = run("check", RESNET, "--statistics")
    assert (result.returncode, result.stdout.split(b"\n")[1]) == (
        1,
        b"      42         875  EIO003 wrong-index",
    )
    said = (
        "inversions are added up over the findings: a pair in two of them counts twice, in the verdict once"
    )
    assert said in result.stdout.decode().split("\n")
    assert run("check", RESNET, "--statistics", "--format", "json").returncode == 2


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 1),
        (("--select", "EIO002"), 1),
        (("--select", "eio00"), 1),
        (("--select", "EIO001,EIO002"), 1),
        (("--fail-on", "any"), 1),
        (("--fail-on", "any", "--ignore", "EIO002,EIO003"), 0),
        (("--fail-on", "out-of-place"), 0),
    ],
)
def test_rules_are_selected(options: tuple[str, ...], code: int) -> None:
    assert run("check", "-", *options, stdin=ISSUE.encode()).returncode == code


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ((), {"EIO001", "EIO003"}),
        (("--fail-on", "out-of-place"), {"EIO001"}),
        (("--max-inversions", "9"), {"EIO001", "EIO003"}),
        (("--select", "EIO003"), {"EIO003"}),
        (("--select", "EIO003", "--max-inversions", "0"), {"EIO001", "EIO003"}),
        (("--select", "EIO0", "--ignore", "EIO003"), {"EIO001", "EIO002"}),
    ],
)
def test_select_replaces_the_rules_but_for_those_of_a_ceiling(
    options: tuple[str, ...], codes: set[str]
) -> None:
    findings = json.loads(run("check", RESNET, "--format", "json", *options).stdout)["findings"]
    assert {finding["code"] for finding in findings} == codes


def test_the_configuration_selects_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("eio-audit.toml").write_text('select = ["EIO002"]\n')
    findings = json.loads(run("check", RESNET, "--format", "json").stdout)["findings"]
    assert {finding["code"] for finding in findings} == {"EIO002"}


def test_a_rule_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(SHUFFLED)
    done = run("check", tmp_path / "a.mlir", "--ignore", "avoidable-inversion")
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--select", "EIO9"), b"'EIO9' is no rule and begins none: there are EIO001, EIO002, EIO003"),
        (("--select", "E001"), b"'E001' is no rule and begins none: there are EIO001, EIO002, EIO003"),
        (("--select", ""), b"'' is no rule and begins none: there are EIO001, EIO002, EIO003"),
        (("--max-inversions", "-1"), b"-1 is less than 0"),
        (("--update-baseline",), b"--update-baseline requires --baseline FILE"),
        (
            ("--baseline", "b.json", "--max-inversions", "1"),
            b"--baseline cannot be used with --max-inversions",
        ),
        (
            ("--baseline", "missing.json"),
            b"missing.json: error: no such file; --update-baseline creates it",
        ),
        (("--config", "source-root=missing"), b"missing: error: no such folder (source-root)"),
        (("-o", "sarif:"), b"expected a file after 'sarif:'"),
        (("-o", "a", "-o", "b"), b"a second file needs a format, as in --output text:b"),
        (("-o", "json:a", "-o", "sarif:a"), b"cannot write two reports to one file"),
    ],
)
def test_usage_errors_exit_2(options: tuple[str, ...], message: bytes) -> None:
    result = run("check", "-", *options, stdin=SHUFFLED.encode())
    assert result.returncode == 2
    assert message in result.stderr


# ---------------------------------------------------------------- formats


@pytest.mark.parametrize("format_", RENDERERS["Verdict"])
def test_the_exit_code_does_not_depend_on_the_format(format_: str, dump: Path) -> None:
    assert run("check", dump, "--format", format_).returncode == 1
    assert run("check", IN_ORDER, "--format", format_).returncode == 0
    assert run("check", "missing.mlir", "--format", format_).returncode == 2


@pytest.mark.parametrize("format_", ["text", "concise", "markdown", "github"])
def test_formats_for_people_say_what_was_checked(format_: str) -> None:
    printed = run("check", IN_ORDER, "--format", format_).stdout.decode()
    assert "passed: 1 dump, 1 block, 16 ops: all in order" in printed.replace("**", "").split("\n")


def test_several_reports_at_once(dump: Path, tmp_path: Path) -> None:
    sarif, junit = tmp_path / "order.sarif", tmp_path / "order.xml"
    result = run("check", dump, "--format", "concise", "-o", f"sarif:{sarif}", "--output", f"junit:{junit}")
    assert b"after.mlir:2:3: EIO001 #1 ttir.neg %1 belongs after #0 ttir.abs %0 (line 3): " in result.stdout
    assert len(json.loads(sarif.read_text())["runs"][0]["results"]) == 1
    assert ElementTree.parse(junit).getroot().get("failures") == "1"


def test_a_report_instead_of_standard_output_and_another(dump: Path, tmp_path: Path) -> None:
    result = run("check", dump, "-o", tmp_path / "report.txt", "-o", f"json:{tmp_path / 'report.json'}")
    assert result.stdout == b""
    assert "1 inversion" in (tmp_path / "report.txt").read_text()
    assert json.loads((tmp_path / "report.json").read_text())["findings"][0]["code"] == "EIO001"


def test_a_file_with_a_colon(dump: Path, tmp_path: Path) -> None:
    run("check", dump, "-o", tmp_path / "odd:name")
    assert "1 inversion" in (tmp_path / "odd:name").read_text()


# ---------------------------------------------------------------- baseline


def test_a_baseline_from_creation_to_its_end(dump: Path, tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    gate = ("check", dump, "--baseline", baseline)
    created = run(*gate, "--update-baseline")
    assert (created.returncode, created.stderr.decode()) == (0, f"{baseline}: created with 1 finding\n")
    assert '{"source": "after.mlir", "code": "EIO001", "function": "@f"' in baseline.read_text()
    assert run(*gate).returncode == 0

    dump.write_text(SHUFFLED.replace("@f(", "@g("))
    new = run(*gate)
    assert (new.returncode, new.stdout.decode().split("\n")) == (
        1,
        [
            f"{dump}",
            "  2:3 EIO001 #1 ttir.neg %1 belongs after #0 ttir.abs %0 (line 3): 1 inversion, fix moves it",
            "not found any more: after.mlir EIO001 @f ttir.neg b",
            "",
            "  2:3 @g ^bb0: 1 inversion: it can be moved back",
            "failed: 1 new finding, 0 known; 1 of the baseline not found any more",
            "next:",
            f"  eio-audit fix --diff {dump}  # shows the fix; --in-place applies it",
            "",
        ],
    )

    shrunk = run(*gate, "--update-baseline")
    assert (shrunk.returncode, shrunk.stderr.decode()) == (
        1,
        f"{baseline}: 1 finding removed, 0 left\n{baseline}: 1 new finding not added: "
        "to accept all findings, remove the file and run this again\n",
    )
    assert run(*gate).returncode == 1


def test_a_baseline_is_not_made_of_what_could_not_be_read(tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    assert run("check", "-", "--baseline", baseline, "--update-baseline", stdin=b"%").returncode == 2
    assert not baseline.exists()


def test_a_baseline_that_is_up_to_date_is_left_alone(dump: Path, tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    run("check", dump, "--baseline", baseline, "--update-baseline")
    baseline.write_text(baseline.read_text().replace("[\n", "[", 1))
    assert run("check", dump, "--baseline", baseline, "--update-baseline").stderr == b""
    assert "[  {" in baseline.read_text()


# ---------------------------------------------------------------- the model's source


@pytest.mark.parametrize(
    ("recorded", "found"),
    [
        ("/home/me/proj/net/model.py", "net/model.py"),
        (r"C:\\proj\\net\\model.py", "net/model.py"),
        ("model.py", "model.py"),
        ("/other/model.py", "model.py"),
        ("/net/missing.py", None),
        ("net/../model.py", "model.py"),
        ("", None),
        (r"a\00b", None),
    ],
)
def test_the_file_whose_path_ends_like_the_recorded_one(
    recorded: str, found: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "model.py").touch()
    (tmp_path / "model.py").touch()
    monkeypatch.chdir(tmp_path)
    text = SHUFFLED.replace('"DEBUG|1|', f'"DEBUG|1|net|{recorded}:1|f|2|')
    result = run("check", "-", "--format", "github", "--config", "source-root=.", stdin=text.encode())
    assert result.stdout.startswith(f"::error file={found or '<stdin>'},line=".encode())


def test_findings_point_at_the_models_own_line(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "model.py").touch()
    result = run("check", RESNET, "--format", "github", "--config", f"source-root={tmp_path / 'src'}")
    assert result.stdout.startswith(f"::error file={tmp_path}/src/model.py,line=61,title=EIO003 ".encode())


def test_what_to_type_first_is_about_the_file_of_the_first_new_finding(tmp_path: Path) -> None:
    known, new = tmp_path / "a.mlir", tmp_path / "b.mlir"
    known.write_text(SHUFFLED + SHUFFLED.replace("@f", "@g"))
    baseline = ("--baseline", tmp_path / "known.json")
    run("check", tmp_path, *baseline, "--update-baseline")
    new.write_text(SHUFFLED)
    steps = run("check", tmp_path, *baseline).stdout.decode().partition("next:\n")[2]
    assert steps == f"  eio-audit fix --diff {new}  # shows the fix; --in-place applies it\n"
