"""Every format of a check, compared with the files in tests/data/check_formats."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import jsonschema
import pytest

from eio_audit import Check, Finding, Gate, InputError, Verdict, check, read_text
from tests.golden import golden
from tests.internals import RENDERERS, RULES, LogFindings, Source, judge, rendered
from tests.rules import AVOIDABLE, UNAVOIDABLE, WRONG_INDEX

DATA = Path(__file__).parent.parent / "data"
SCHEMA = json.loads(gzip.decompress((DATA / "sarif-2.1.0.schema.json.gz").read_bytes()))
GITLAB_SCHEMA = json.loads((DATA / "gitlab-code-quality.schema.json").read_text())
GOLDEN_FILES = {
    "concise": "concise.txt",
    "github": "github.txt",
    "gitlab": "gitlab.json",
    "json": "check.json",
    "junit": "junit.xml",
    "markdown": "summary.md",
    "sarif": "check.sarif",
}

LOG = r"""// -----// IR Dump After EraseInverseOps (ttir-erase-inverse-ops) ('func.func' operation: @forward) //----- //
func.func @forward(%a: i32) -> i32 {
  %0 = "ttir.neg"(%a) : (i32) -> i32 loc("DEBUG|0|Net[net]|net.py:1|forward|2|neg")
  %1 = "ttir.abs"(%0) : (i32) -> i32 loc("DEBUG|5|Net[net]|Conv2d[net.a|b]|net.py:1|forward|7|abs")
  %2 = "ttir.relu"(%1) : (i32) -> i32 loc("DEBUG|3|Net[net]|net.py:1|forward|5|relu")
  %3 = "ttir.exp"(%a) : (i32) -> i32 loc("DEBUG|1|Net[net]|net.py:1|forward|3|exp")
  return %3 : i32
}
"""
ALL = Gate((AVOIDABLE, UNAVOIDABLE, WRONG_INDEX))
BROKEN = Source("dumps/broken.mlir", b"\n\nmy.op(").error(8, "expected ')'")


def verdict(text: str = LOG, gate: Gate = ALL, model_path: str | None = None) -> Verdict:
    findings = LogFindings(gate.rules)
    audits = check(read_text(text, name="dumps/after 1.mlir"), visit=findings.add)
    found = [finding._replace(model_path=model_path) for finding in findings.findings]
    return judge(Check(audits.dumps, (BROKEN,)), found, gate)


def made_up(number: int) -> Verdict:
    """A verdict with so many findings."""
    one = verdict().findings[0]
    return replace(verdict(), findings=tuple(one._replace(line=line) for line in range(1, number + 1)))


def in_file(finding: Finding, name: str) -> Finding:
    return finding._replace(place=replace(finding.place, source=name))


@pytest.mark.parametrize("format_", GOLDEN_FILES)
def test_the_text_of_every_format(format_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eio_audit.cli.reports.__version__", "1.2.3")
    text = rendered(verdict(), format_, verbose=False)
    assert text == golden(text, DATA / "check_formats" / GOLDEN_FILES[format_])


def test_every_format_but_text_and_pages_has_a_file() -> None:
    assert {*GOLDEN_FILES, "text", "html"} == set(RENDERERS["Verdict"])


# ---------------------------------------------------------------- SARIF


@pytest.mark.parametrize("gate", [ALL, Gate(never_fails=True)])
@pytest.mark.parametrize("model_path", [None, "src/net.py"])
def test_sarif_is_valid(gate: Gate, model_path: str | None) -> None:
    document = json.loads(rendered(verdict(gate=gate, model_path=model_path), "sarif"))
    jsonschema.Draft4Validator(SCHEMA).validate(document)


def test_sarif_explains_itself() -> None:
    [run] = json.loads(rendered(verdict(), "sarif"))["runs"]
    driver = run["tool"]["driver"]
    assert urlsplit(driver["informationUri"]).scheme == "https"  # GitHub takes no URI without a scheme
    assert all("*How to fix it.*" in rule["help"]["markdown"] for rule in driver["rules"])


def test_sarif_of_nothing_is_valid() -> None:
    document = json.loads(rendered(judge(Check((), ()), [], Gate()), "sarif"))
    jsonschema.Draft4Validator(SCHEMA).validate(document)
    assert document["runs"][0]["results"] == []


def test_sarif_is_capped_and_says_so() -> None:
    [run] = json.loads(rendered(made_up(5002), "sarif"))["runs"]
    notices = run["invocations"][0]["toolExecutionNotifications"]
    assert len(run["results"]) == 5000
    assert notices[-1]["message"]["text"] == "... and 2 more findings"


def test_sarif_points_at_the_model_in_the_repository() -> None:
    [run] = json.loads(rendered(verdict(model_path="src/net.py"), "sarif"))["runs"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    related = run["results"][0]["relatedLocations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == ("src/net.py", {"startLine": 3})
    assert related["artifactLocation"]["uri"] == "dumps/after%201.mlir"


# ---------------------------------------------------------------- fingerprints


def fingerprints(found: Verdict) -> list[str]:
    """Those of the findings, as GitLab gets them."""
    issues = json.loads(rendered(replace(found, check=Check(found.check.dumps, ())), "gitlab"))
    return [issue["fingerprint"] for issue in issues]


def test_fingerprints_are_unique() -> None:
    prints = fingerprints(made_up(50))
    assert len(set(prints)) == 50


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%0", "%zero"),
        ("func.func @forward", "\n\nfunc.func @forward"),
        ("DEBUG|5|", "DEBUG|6|"),
        ("|net.py:1|forward|3|", "|net.py:9|forward|30|"),
    ],
)
def test_fingerprints_outlive_renumbering(old: str, new: str) -> None:
    assert fingerprints(verdict(LOG.replace(old, new))) == fingerprints(verdict())


def test_fingerprints_tell_functions_apart() -> None:
    other = fingerprints(verdict(LOG.replace("@forward(", "@g(")))
    assert not set(other) & set(fingerprints(verdict()))


# ---------------------------------------------------------------- GitLab


@pytest.mark.parametrize("gate", [ALL, Gate(never_fails=True)])
@pytest.mark.parametrize("model_path", [None, "src/net.py"])
def test_a_gitlab_report_is_valid(gate: Gate, model_path: str | None) -> None:
    found = verdict(gate=gate, model_path=model_path)
    errors = (
        BROKEN,
        Source("dumps/broken.mlir", b"\n" * 9).error(8, "x"),
        InputError("missing.mlir", None, "x"),
    )
    report = json.loads(rendered(replace(found, check=Check(found.check.dumps, errors)), "gitlab"))
    jsonschema.Draft7Validator(GITLAB_SCHEMA).validate(report)
    assert len({issue["fingerprint"] for issue in report}) == len(report)


def test_a_gitlab_report_of_nothing_is_an_empty_list() -> None:
    assert json.loads(rendered(judge(Check((), ()), [], Gate()), "gitlab")) == []


# ---------------------------------------------------------------- GitHub


def test_what_would_end_an_annotation_is_escaped() -> None:
    odd = replace(verdict(), findings=(in_file(verdict().findings[0], "a,b:c%\n.mlir"),))
    assert "::error file=a%2Cb%3Ac%25\\x0a.mlir,line=6,col=3,title=" in rendered(odd, "github")


def test_no_more_annotations_than_github_shows() -> None:
    lines = rendered(made_up(12), "github").split("\n")
    assert sum(line.startswith("::error file=dumps/after 1.mlir") for line in lines) == 10
    assert any("2 more findings" in line for line in lines)


def test_findings_that_do_not_fail_are_warnings() -> None:
    assert rendered(verdict(gate=Gate(never_fails=True)), "github").count("::warning ") == 2


def test_annotations_at_the_models_own_line() -> None:
    annotation = rendered(verdict(model_path="src/net.py"), "github").split("\n")[1]
    assert annotation == (
        "::error file=src/net.py,line=3,title=EIO001 avoidable-inversion::#1 ttir.exp %253 belongs before #5 ttir.abs %251 (line 4)"
        ": 2 inversions, fix moves it (dumps/after 1.mlir:6:3)"
    )


# ---------------------------------------------------------------- JUnit, Markdown


def test_junit_of_odd_names_is_xml() -> None:
    text = LOG.replace("@forward(", '@"a\\01<&\ufffe"(')
    assert ElementTree.fromstring(rendered(verdict(text), "junit").encode()).get("failures") == "1"


def test_junit_counts() -> None:
    root = ElementTree.fromstring(rendered(verdict(), "junit"))
    assert [(s.get("tests"), s.get("failures"), s.get("errors")) for s in (root, *root)] == [
        ("2", "1", "1"),
        ("1", "1", "0"),
        ("1", "0", "1"),
    ]


def test_markdown_keeps_its_tables_whatever_names_hold() -> None:
    odd = replace(verdict(), findings=(in_file(verdict().findings[0], "a|b`c\n"),))
    assert "| ``a\\|b`c :6:3`` |" in rendered(odd, "markdown")


def test_markdown_is_capped() -> None:
    assert " 2 more findings" in rendered(made_up(32), "markdown")
    assert "more finding" not in rendered(made_up(32), "markdown", verbose=True)


# ---------------------------------------------------------------- all


@pytest.mark.parametrize("format_", GOLDEN_FILES)
def test_broken_encoding_in_a_name_does_no_harm(format_: str) -> None:
    finding = in_file(verdict().findings[0], "a\udcff.mlir")
    assert finding.model is not None
    finding = finding._replace(model=finding.model._replace(file="m\udcff.py"))
    text = rendered(replace(verdict(), findings=(finding,)), format_, verbose=True)
    written = text.encode("utf-8", "backslashreplace").decode().replace("%5C", "\\").replace("\\\\", "\\")
    assert format_ == "junit" or "a\\udcff.mlir" in written


def test_a_path_is_seen_from_the_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    names = [str(tmp_path / "dumps" / "a.mlir"), "../a.mlir", "<stdin>"]
    findings = tuple(in_file(verdict().findings[0], name) for name in names)
    _, *issues = json.loads(rendered(replace(verdict(), findings=findings), "gitlab"))
    assert [issue["location"]["path"] for issue in issues] == ["dumps/a.mlir", "../a.mlir", "<stdin>"]


def test_rules_have_what_formats_show() -> None:
    assert all(rule.code.startswith("EIO") and rule.summary.endswith(".") for rule in RULES)
