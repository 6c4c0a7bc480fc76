"""What docs/ci.md says works: each command and snippet is run unchanged, without the network."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.audit.test_fix import SHUFFLED
from tests.cli.running import run
from tests.golden import update_block
from tests.internals import RENDERERS
from tests.shell import install_tools, run_script

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "ci.md").read_text()


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def snippet(title: str, number: int = 0) -> Any:
    return yaml.safe_load(blocks(section(title), "yaml")[number])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty repository in which ``eio-audit`` and ``mlir-opt`` are on the path."""
    install_tools(tmp_path / "bin")
    (tmp_path / "repository").mkdir()
    return tmp_path / "repository"


def sh(
    script: str, folder: Path, *, options: str = "-eo pipefail", **variables: str
) -> subprocess.CompletedProcess[str]:
    return run_script(script, folder, folder.parent / "bin", options=options, **variables)


def put_dump(folder: Path, text: str = SHUFFLED) -> None:
    (folder / "dumps").mkdir(exist_ok=True)
    (folder / "dumps" / "after.mlir").write_text(text)


def test_the_steps_print_what_is_shown(folder: Path) -> None:
    text = section("Five minutes: from nothing to a green gate")
    steps = re.findall(r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", text, re.MULTILINE | re.DOTALL)
    assert len(steps) == 4
    for commands, output in steps:
        printed = sh(commands, folder, options="+e").stdout
        update_block(ROOT / "docs" / "ci.md", output, printed)
        assert printed == output


def test_every_format_is_in_the_table() -> None:
    rows = re.findall(r"^\| (`.*?) \|", section("Formats"), re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == set(RENDERERS["Verdict"])


@pytest.mark.parametrize(("text", "code"), [(SHUFFLED, 1), (SHUFFLED.replace("|1|", "|0|"), 0)])
def test_the_job_on_github(folder: Path, text: str, code: int) -> None:
    put_dump(folder, text)
    *_, step = snippet("GitHub", 2)["jobs"]["op-order"]["steps"]
    result = sh(step["run"], folder, GITHUB_STEP_SUMMARY="summary.md")
    assert (result.returncode, "::error file=dumps/after.mlir,line=2," in result.stdout) == (code, code == 1)
    assert (
        (folder / "summary.md")
        .read_text()
        .startswith(f"### eio-audit check\n\n**{'failed' if code else 'passed'}**")
    )


def test_the_job_on_gitlab(folder: Path) -> None:
    put_dump(folder)
    job = snippet("GitLab")["op-order"]
    assert sh(job["script"][-1], folder).returncode == 1
    reports = job["artifacts"]["reports"]
    assert (
        json.loads((folder / reports["codequality"]).read_text())[0]["location"]["path"] == "dumps/after.mlir"
    )
    assert ElementTree.parse(folder / reports["junit"]).getroot().get("failures") == "1"


# ---------------------------------------------------------------- the action


def action(folder: Path, *, base: str = "", **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the action's check with inputs as GitHub passes them, instead of its installation."""
    described = yaml.safe_load((ROOT / "action.yml").read_text())
    _, step = described["runs"]["steps"]
    given = {
        name: inputs.get(name, described["inputs"][name].get("default", "")) for name in described["inputs"]
    }
    variables = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: given[match[1]], value)
        for name, value in step["env"].items()
    }
    runner = folder.parent / "runner"
    (runner / "eio-audit").mkdir(parents=True, exist_ok=True)
    if not (runner / "eio-audit" / "bin").exists():
        (runner / "eio-audit" / "bin").symlink_to(folder.parent / "bin")
    variables |= {"GITHUB_BASE_REF": base, "GITHUB_STEP_SUMMARY": "summary.md"}
    return sh(step["run"], folder, RUNNER_TEMP=str(runner), **variables)


def test_the_action_as_the_page_uses_it(folder: Path) -> None:
    put_dump(folder)
    sh("eio-audit check dumps --baseline order-baseline.json --update-baseline", folder)
    step = snippet("GitHub")["jobs"]["op-order"]["steps"][2]
    assert action(folder, **step["with"]).returncode == 0
    put_dump(folder, SHUFFLED.replace("@f", "@g"))
    result = action(folder, **step["with"])
    assert (result.returncode, "::error file=dumps/after.mlir,line=2," in result.stdout) == (1, True)
    assert json.loads((folder / "order.sarif").read_text())["runs"][0]["results"]
    assert (folder / "summary.md").read_text().count("### eio-audit check") == 2


@pytest.mark.parametrize(
    ("compiler", "code"),
    [
        pytest.param("cat > /dev/null", 0, id="accepted"),
        pytest.param("! cat > /dev/null", 3, id="refused", marks=pytest.mark.slow),
        pytest.param("true", 2, id="not read", marks=pytest.mark.slow),
    ],
)
def test_the_action_asks_a_compiler(compiler: str, code: int, folder: Path) -> None:
    put_dump(folder)
    (folder.parent / "bin" / "ttmlir-opt").write_text(f"#!/bin/sh\n{compiler}\n")
    (folder.parent / "bin" / "ttmlir-opt").chmod(0o755)
    [step] = snippet("GitHub", 1)
    result = action(folder, arguments="--fail-on never", **step["with"])
    assert (result.returncode, "::error::eio-audit fix" in result.stdout) == (code, code > 0)
    assert (folder / "dumps" / "after.mlir").read_text() == SHUFFLED
    assert action(folder, **step["with"]).returncode == max(code, 1)


@pytest.fixture
def pull_request(folder: Path) -> Path:
    """A checkout of a pull request with one dump, and with the base branch ``main`` at its origin."""
    put_dump(folder)
    origin = folder.parent / "origin"
    git = "git -c init.defaultBranch=main -c user.name=n -c user.email=e"
    sh(f"{git} init -q '{origin}'", folder)
    for name in ("eio-audit.toml", "pyproject.toml"):
        (origin / name).write_text(
            "[tool.eio-audit]\n" * name.startswith("py") + 'assume-pure = ["base.*"]\n'
        )
    sh(f"git -C '{origin}' add . && {git} -C '{origin}' commit -qm base", folder)
    sh(f"{git} init -q && git remote add origin '{origin}'", folder)
    (folder / "eio-audit.toml").write_text('fail-on = "never"\n')
    return folder


def test_the_action_takes_the_configuration_of_the_base_branch(pull_request: Path) -> None:
    result = action(pull_request, paths="dumps", base="main")
    assert re.search(
        r"^failed: .*; by \.base-\w+\.eio-audit\.toml: assume-pure$", result.stdout, re.MULTILINE
    )
    assert result.returncode == 1
    assert not list(pull_request.glob(".base*"))


def test_the_action_takes_the_pyproject_of_the_base_branch(pull_request: Path) -> None:
    sh("git -C ../origin rm -q eio-audit.toml", pull_request)
    sh("git -C ../origin -c user.name=n -c user.email=e commit -qm remove", pull_request)
    result = action(pull_request, paths="dumps", base="main")
    assert re.search(r"; by \.base-\w+\.pyproject\.toml: assume-pure$", result.stdout, re.MULTILINE)


def test_the_action_takes_no_configuration_if_it_cannot_read_that_of_the_base_branch(
    pull_request: Path,
) -> None:
    result = action(pull_request, paths="dumps", base="gone")
    assert "::warning::eio-audit cannot read the configuration of gone, and uses none" in result.stdout
    assert result.returncode == 1
    assert action(pull_request, paths="dumps").returncode == 0


@pytest.mark.parametrize(
    "arguments",
    ["--config eio-audit.toml", pytest.param("-v --config=eio-audit.toml", marks=pytest.mark.slow)],
)
def test_the_action_takes_a_configuration_that_the_workflow_names(pull_request: Path, arguments: str) -> None:
    assert action(pull_request, paths="dumps", arguments=arguments, base="main").returncode == 0
    one_key = action(pull_request, paths="dumps", arguments="--config max-runs=1", base="main")
    assert one_key.returncode == 1


def test_the_action_takes_names_with_blanks(folder: Path) -> None:
    put_dump(folder)
    (folder / "dumps" / "after.mlir").rename(folder / "dumps" / "a  b*.mlir")
    assert action(folder, paths="dumps/a  b*.mlir\n\n").returncode == 1
    assert not list(folder.glob("*.sarif"))


def test_the_action_drops_blanks_around_paths(folder: Path) -> None:
    put_dump(folder)
    assert "failed: 1 inversion " in action(folder, paths="  dumps/after.mlir \t\r\n   \n").stdout


def test_the_action_reports_what_could_not_run(folder: Path) -> None:
    assert action(folder, paths="missing").returncode == 2


def test_a_missing_baseline_is_an_annotation_and_no_summary_of_an_earlier_step(folder: Path) -> None:
    put_dump(folder)
    action(folder, paths="dumps")
    (folder / "summary.md").unlink()
    result = action(folder, paths="dumps", arguments="--baseline none.json")
    assert "::error file=none.json::no such file; --update-baseline creates it\n" in result.stdout
    assert (result.returncode, (folder / "summary.md").exists()) == (2, False)


def test_ir_without_indices_is_an_annotation(folder: Path) -> None:
    put_dump(folder, '"t.a"() : () -> ()\n')
    assert "::error file=dumps::no op carries an op index" in action(folder, paths="dumps").stdout


# ---------------------------------------------------------------- other places


def test_the_problem_matcher_reads_every_finding() -> None:
    [task] = json.loads(blocks(section("Editors"), "json")[0])["tasks"]
    command, *options, file = task["args"]
    assert (command, file) == ("check", "${file}")
    sample = str(ROOT / "sample_irs" / "resnet" / "after_alias.mlir")
    printed = run(command, *options, sample).stdout.decode().splitlines()
    pattern = task["problemMatcher"]["pattern"]
    matches = [match for line in printed if (match := re.search(pattern["regexp"], line))]
    assert len(matches) == sum(" EIO" in line for line in printed) > 0
    first = matches[0]
    found = [first[pattern[name]] for name in ("file", "line", "column", "code")]
    assert found == [sample, "178", "5", "EIO003"]
    assert first[pattern["message"]].startswith("#56 ttir.permute %106 ")


def test_the_hook(folder: Path) -> None:
    put_dump(folder)
    [hook] = snippet("pre-commit")["repos"][0]["hooks"]
    assert re.search(hook["files"], "dumps/after.mlir")
    command = f"{hook['entry']} dumps/after.mlir"
    assert "no such file" in sh(command, folder).stdout
    assert sh(f"{command} --update-baseline", folder).returncode == 0
    assert sh(command, folder).returncode == 0


def test_the_hooks_of_the_repository(folder: Path) -> None:
    put_dump(folder)
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    used = snippet("pre-commit", 1)["repos"][0]["hooks"]
    assert {hook["id"] for hook in hooks} == {hook["id"] for hook in used}
    assert all(hook["require_serial"] and re.search(hook["files"], "dumps/after.mlir") for hook in hooks)
    codes = [sh(f"{hook['entry']} dumps/after.mlir", folder).returncode for hook in (*hooks, hooks[0])]
    assert codes == [1, 0, 0]


def test_the_jobs_take_the_program_from_the_submodule() -> None:
    assert set(re.findall(r"uses: (\./.*)|pip install (\./.*)|submodule add \S+ (.*)", PAGE)) == {
        ("./third_party/eio-audit", "", ""),
        ("", "./third_party/eio-audit", ""),
        ("", "", "third_party/eio-audit"),
    }


def test_the_lit_test(folder: Path) -> None:
    [test] = blocks(section("lit and FileCheck"), "mlir")
    (folder / "test.mlir").write_text(test)
    pipe, _, check = re.findall(r"^// RUN: (.*)", test)[0].replace("%s", "test.mlir").rpartition(" | ")
    result = sh(pipe, folder)
    assert (result.returncode, check) == (0, "FileCheck test.mlir")
    assert re.findall(r"// CHECK: (.*)", test)[0] in result.stdout


def test_the_test_in_cmake(folder: Path) -> None:
    put_dump(folder)
    [lines] = blocks(section("CMake"), "cmake")
    command = re.findall(r"COMMAND (.*)", lines)[0].replace("${CMAKE_CURRENT_SOURCE_DIR}", str(folder))
    assert sh(f"{command} --update-baseline", folder).returncode == 0
    assert sh(command, folder).returncode == 0
