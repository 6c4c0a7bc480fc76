"""The configuration of a project: where it is found, what it may say, and how it is shown."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from eio_audit import InputError
from tests.audit.test_fix import SHUFFLED
from tests.cli import running
from tests.cli.running import SAMPLES
from tests.internals import cli

DOCS = SAMPLES.parent / "docs" / "options.md"
UNKNOWN = """func.func @f(%a: i32) {
  %1 = "my.b"(%a) : (i32) -> i32 loc("DEBUG|1|b")
  %0 = "my.a"(%a) : (i32) -> i32 loc("DEBUG|0|a")
  return
}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project; commands run in a folder inside it."""
    (tmp_path / "dumps").mkdir()
    monkeypatch.chdir(tmp_path / "dumps")
    return tmp_path


def run(*args: str) -> subprocess.CompletedProcess[str]:
    done = running.run(*args, stdin=UNKNOWN.encode())
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def error_of(project: Path, text: str) -> str:
    """What ``help config`` says of an eio-audit.toml, without the name of its folder."""
    (project / "eio-audit.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        cli.main(["help", "config"], standalone_mode=False)
    return str(caught.value).replace(f"{project}/", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fail-on = any\n", '1:11: error: invalid value; text stands in quotes: fail-on = "any"'),
        (
            '[check]\nfail-on = "any"\n',
            "1:2: error: unknown key 'check'; options of all commands stand outside of tables: "
            "remove the line [check]",
        ),
    ],
)
def test_what_is_easily_written_wrong_gets_its_own_advice(project: Path, text: str, said: str) -> None:
    assert error_of(project, text).splitlines()[0] == f"eio-audit.toml:{said}"


def test_without_a_file_everything_is_a_default(project: Path) -> None:
    assert run("help", "config").stdout == (
        "# no configuration file in this folder or above it\n"
        "index-pattern = '^(?:DEBUG\\|)?(?P<index>-?[0-9]+)\\|'  # default\n"
        'follow = ["frees"]                                    # default\n'
        "assume-pure = []                                      # default\n"
        "max-size = 1000000000                                 # default\n"
        'fail-on = "shuffled"                                  # default\n'
        "select = []                                           # default\n"
        "ignore = []                                           # default\n"
        "max-runs = 1000                                       # default\n"
        "pager = true                                          # default\n"
    )


def test_a_flag_that_is_on_is_a_value_of_toml(project: Path) -> None:
    (project / "eio-audit.toml").write_text("allow-unindexed = true\n")
    line = "allow-unindexed = true                                # eio-audit.toml\n"
    assert line in run("help", "config").stdout
    assert error_of(project, 'allow-unindexed = "maybe"').startswith(
        "eio-audit.toml:1:1: error: allow-unindexed: 'maybe'"
    )


def test_where_each_value_comes_from(project: Path) -> None:
    (project / "pyproject.toml").write_text(
        '[tool.eio-audit]\nindex-pattern = "^(?P<index>[0-9]+)"\nassume-pure = ["my.*"]\nfail-on = "any"\n\n'
        '[tool.eio-audit.ops."my.store"]\neffects = ["write"]\non = { "operand 1" = ["write"] }\n'
    )
    result = run("help", "config", "--fail-on", "never")
    assert result.stdout == (
        f"# {project}/pyproject.toml\n"
        'index-pattern = "^(?P<index>[0-9]+)"  # pyproject.toml\n'
        'follow = ["frees"]                    # default\n'
        'assume-pure = ["my.*"]                # pyproject.toml\n'
        "max-size = 1000000000                 # default\n"
        'fail-on = "never"                     # command line\n'
        "select = []                           # default\n"
        "ignore = []                           # default\n"
        "max-runs = 1000                       # default\n"
        "pager = true                          # default\n"
        "\n"
        '[ops."my.store"]  # pyproject.toml\n'
        'effects = ["write"]\n'
        'on = { "operand 1" = ["write"] }\n'
    )


def test_what_is_printed_is_a_configuration_file(project: Path) -> None:
    expression = r"""^"'(?P<index>\d+)'"\|"""
    (project / "eio-audit.toml").write_text(
        f"index-pattern = '''{expression}'''\n"
        '[ops]\n"my.*" = { effects = "pure", flags = ["fresh"] }\n"x.ü" = { effects = [] }\n'
    )
    content = tomllib.loads(run("help", "config").stdout)
    assert content["index-pattern"] == expression
    assert content["ops"] == {"my.*": {"effects": "pure", "flags": ["fresh"]}, "x.ü": {"effects": []}}


def test_a_file_sets_what_the_command_line_does_not(project: Path) -> None:
    (project / "eio-audit.toml").write_text('fail-on = "never"\nassume-pure = ["my.*"]\n')
    result = run("check", "-")
    assert (result.returncode, result.stderr) == (0, "")
    assert "2 ops assumed pure (my.*)" in result.stdout
    assert run("check", "-", "--fail-on", "out-of-place").returncode == 1
    assert "of unknown effect" in run("check", "-", "--assume-pure", "other.*").stdout


def test_a_gate_in_a_file(project: Path) -> None:
    (project / "eio-audit.toml").write_text(
        'max-inversions = 1\nselect = ["EIO002"]\nassume-pure = ["my.*"]\n'
    )
    assert run("check", "-").returncode == 0
    printed = run("help", "config", "--ignore", "EIO1").stdout.split("\n")
    assert [line.split("  #")[0].strip() for line in printed[6:9]] == [
        "max-inversions = 1",
        'select = ["EIO002"]',
        'ignore = ["EIO1"]',
    ]


@pytest.mark.parametrize("command", [["normalize", "-"], ["repeat", "--", "echo", UNKNOWN]])
def test_a_key_of_an_option_that_a_command_lacks_is_ignored(project: Path, command: list[str]) -> None:
    (project / "eio-audit.toml").write_text('follow = ["x"]\nindex-pattern = "("\n')
    result = run(*command)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("command", ["check", "diff", "trace"])
def test_what_is_left_may_fail_every_gate(project: Path, command: str) -> None:
    (project / "eio-audit.toml").write_text('fail-on = "out-of-place"\n')
    (project / "after.mlir").write_text(SHUFFLED)
    paths = ["../after.mlir"] * (2 if command == "diff" else 1)
    assert run(command, *paths).returncode == 1


def test_files_that_a_file_names_stand_beside_it(project: Path) -> None:
    (project / "eio-audit.toml").write_text('baseline = "order.json"\nassume-pure = ["my.*"]\n')
    assert run("check", "-", "--update-baseline").stderr == "../order.json: created with 1 finding\n"
    assert run("check", "-").returncode == 0
    assert 'baseline = "../order.json"' in run("help", "config").stdout


def test_a_glob_of_a_file_need_not_match(project: Path) -> None:
    (project / "eio-audit.toml").write_text('assume-pure = ["other.*"]\n')
    assert run("check", "-").stderr == ""


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (["eio-audit.toml"], "eio-audit.toml"),
        (["dumps/eio-audit.toml", "eio-audit.toml"], "dumps/eio-audit.toml"),
        (["dumps/pyproject.toml", "eio-audit.toml"], "dumps/pyproject.toml"),
        (["eio-audit.toml", "pyproject.toml"], "eio-audit.toml"),
    ],
)
def test_the_nearest_file_counts(project: Path, files: list[str], found: str) -> None:
    for file in files:
        (project / file).write_text("[tool.eio-audit]\n" if "pyproject" in file else "")
    assert run("help", "config").stdout.startswith(f"# {project}/{found}\n")


def test_a_pyproject_without_the_table_is_passed_over(project: Path) -> None:
    (project / "dumps" / "pyproject.toml").write_text("[tool.ruff]\n")
    (project / "eio-audit.toml").write_text("")
    assert run("help", "config").stdout.startswith(f"# {project}/eio-audit.toml\n")


def test_a_file_that_is_named_is_read_instead(project: Path) -> None:
    (project / "eio-audit.toml").write_text("folow = 1\n")
    (project / "ci.toml").write_text('fail-on = "any"\n')
    printed = run("help", "config", "--config", "../ci.toml").stdout
    assert 'fail-on = "any"                                       # ci.toml\n' in printed


def test_a_folder_that_is_gone_has_no_file(project: Path) -> None:
    (project / "eio-audit.toml").write_text("folow = 1\n")
    (project / "dumps").rmdir()
    assert run("check", "-", "--fail-on", "out-of-place").returncode == 0


def test_config_none_reads_no_file(project: Path) -> None:
    (project / "eio-audit.toml").write_text("folow = 1\n")
    assert run("check", "-", "--config", "none", "--fail-on", "out-of-place").returncode == 0


def test_only_one_file_is_read(project: Path) -> None:
    assert run("check", "-", "--config", "none", "--config", "x.toml").stderr.endswith(
        "Error: Invalid value for '--config': only one file can be read, not none and x.toml\n"
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("fail-on=any", 'fail-on = "any"'),
        ('fail-on = "any"', 'fail-on = "any"'),
        ("max-size=4GB", "max-size = 4000000000"),
        ("follow=derived", 'follow = ["derived"]'),
        ('follow=["derived", "splits"]', 'follow = ["derived", "splits"]'),
        ("assume-pure=my.*", 'assume-pure = ["my.*"]'),
        (r"index-pattern=^(?P<index>\d+)", r"index-pattern = '^(?P<index>\d+)'"),
        ("select=EIO001,EIO003", 'select = ["EIO001,EIO003"]'),
        ("pager=false", "pager = false"),
        ("timeout=1.5", "timeout = 1.5"),
        ("jobs=tcp://host:8786", 'jobs = "tcp://host:8786"'),
        ("source-root=../src", 'source-root = "../src"'),
    ],
)
def test_one_key_is_set_on_the_command_line(project: Path, text: str, line: str) -> None:
    (project / "eio-audit.toml").write_text("max-inversions = 7\n")
    shown = run("help", "config", "--config", text).stdout.splitlines()
    said = [one.partition("  #")[0].rstrip() for one in shown if one.endswith("# command line")]
    assert said == [line]
    assert any(one.startswith("max-inversions = 7 ") for one in shown)


def test_an_option_counts_before_a_key_and_a_later_key_before_an_earlier_one(project: Path) -> None:
    options = ("--config", "fail-on=any", "--config", "fail-on=never")
    assert 'fail-on = "never"' in run("help", "config", *options).stdout
    assert 'fail-on = "out-of-place"' in run("help", "config", "--fail-on", "out-of-place", *options).stdout


def test_a_row_of_the_op_table_on_the_command_line() -> None:
    typed = """ops."my.*"={effects="pure"}"""
    assert "failed: 1 inversion" in run("check", "-", "--config", typed).stdout


def test_an_error_of_a_key_on_the_command_line_is_at_the_key() -> None:
    assert run("check", "-", "--config", "folow=derived").stderr == (
        "--config:1:1: error: unknown key 'folow'; did you mean 'follow'?\nfolow=derived\n^\n"
    )


def test_a_file_with_an_equals_sign_needs_its_folder(project: Path) -> None:
    (project / "dumps" / "a=b").write_text('fail-on = "any"\n')
    assert 'fail-on = "any"' in run("help", "config", "--config", "./a=b").stdout


def test_a_glob_of_the_command_line_must_match(project: Path) -> None:
    message = "warning: --assume-pure 'other.*' matches no op of the input\n"
    assert run("check", "-", "--config", "assume-pure=other.*").stderr == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = [1\nb = 2\n", ":2:1: error: unclosed array\nb = 2\n^"),
        ('\r\nä = "ä" x\r\n', ":2:1: error: invalid statement\nä = \"ä\" x\n^"),
        ('a = "ä', ":1:7: error: unterminated string\na = \"ä\n      ^"),
        ('[ops."my.a"]\neffects = "pur"', ':1:7: error: ops."my.a": unknown effect \'pur\'; did you mean \'pure\'?\n[ops."my.a"]\n      ^'),
        ('[ops.my.a]\neffects = "pure"', ':1:6: error: ops."my": expected an op\'s full name in quotes, as in [ops."my.op"]\n[ops.my.a]\n     ^'),
        ("# follow\nassume-pure = [\n  'follow']\n\nfollow = [\n  'x']", ":5:1: error: follow: 'x' is not one of 'derived', 'constants', 'splits', 'ahead', 'frees', 'none'\nfollow = [\n^"),
    ],
)  # fmt: skip
def test_what_a_file_cannot_say(project: Path, text: str, message: str) -> None:
    assert error_of(project, text) == f"eio-audit.toml{message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('folow = []', "unknown key 'folow'; did you mean 'follow'?"),
        ('assume_pure = []', "unknown key 'assume_pure'; did you mean 'assume-pure'?"),
        ('x = 1', "unknown key 'x'; the keys are index-pattern, follow, assume-pure, max-size, fail-on, max-inversions, allow-unindexed, select, ignore, baseline, source-root, jobs, timeout, max-runs, pager, verbose, ops"),
        ('fail-on = ["any"]', 'fail-on: expected a single value'),
        ('fail-on = "all"', "fail-on: 'all' is not one of 'shuffled', 'out-of-place', 'any', 'never'"),
        ('max-inversions = -1', 'max-inversions: -1 is less than 0'),
        ('max-inversions = true', "max-inversions: 'True' is not a whole number"),
        ('select = ["X1"]', "select: 'X1' is no rule and begins none: there are EIO001, EIO002, EIO003, EIO004, EIO005, EIO006, EIO007, EIO101, EIO102, EIO103, EIO104, EIO105, EIO106, EIO107, EIO108"),
        ('follow = ["views"]', "follow: 'views' is not one of 'derived', 'constants', 'splits', 'ahead', 'frees', 'none'"),
        ('max-size = "big"', "max-size: 'big' is not a size such as 500MB or 4GB"),
        ('index-pattern = "x"', "index-pattern: the index pattern has no group named 'index'"),
        ('ops = 1', 'ops: expected a table of ops'),
        ('baseline = 3', 'baseline: expected text in quotes'),
        ('assume-pure = ["my.*", 1]', 'assume-pure: expected text in quotes'),
    ],
)  # fmt: skip
def test_an_error_of_a_key_is_at_the_key(project: Path, text: str, message: str) -> None:
    assert error_of(project, text) == f"eio-audit.toml:1:1: error: {message}\n{text}\n^"


def test_an_error_in_a_table_of_pyproject_is_at_the_key(project: Path) -> None:
    (project / "pyproject.toml").write_text("[a]\nfollow = 1\n[tool]\neio-audit = { follow = 'x' }\n")
    assert run("help", "config").stderr.partition(":")[2] == (
        "4:15: error: follow: 'x' is not one of 'derived', 'constants', 'splits', 'ahead', 'frees', 'none'\n"
        "eio-audit = { follow = 'x' }\n              ^\n"
    )


def test_a_file_that_is_not_utf_8(project: Path) -> None:
    (project / "eio-audit.toml").write_bytes(b"# \xff\n")
    assert ":1:3: error: expected UTF-8, the encoding of TOML" in run("help", "config").stderr


def test_a_pyproject_named_without_the_table_is_an_error(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.ruff]\n")
    result = run("help", "config", "--config", "../pyproject.toml")
    assert (result.returncode, result.stderr) == (
        2,
        "../pyproject.toml: error: the file has no table [tool.eio-audit]\n",
    )


def test_the_documentation_has_all_keys(project: Path) -> None:
    (project / "eio-audit.toml").write_text("x = 1\n")
    said = run("help", "config").stderr.partition("the keys are ")[2]
    table = DOCS.read_text().partition("| key | meaning |")[2].partition("\n\n")[0]
    rows = " ".join(row.split("|")[1] for row in table.splitlines() if row.startswith("| `"))
    assert {*said.splitlines()[0].split(", ")} == {*re.findall("`([a-z-]+)`", rows)}


def test_a_project_tells_what_its_ops_do(project: Path) -> None:
    (project / "eio-audit.toml").write_text('[ops]\n"my.*" = { effects = "pure" }\n')
    result = run("fix", "-")
    assert result.returncode == 0
    assert result.stdout.index("my.a") < result.stdout.index("my.b")
    assert "from the project's own op table" in run("explain", "-", "%1").stdout


def test_jobs_and_verbose_are_keys(project: Path) -> None:
    (project / "eio-audit.toml").write_text("jobs = 2\nverbose = true\n")
    shown = run("help", "config").stdout
    assert "jobs = 2 " in shown
    assert "verbose = true " in shown
    assert error_of(project, "jobs = 0").startswith(
        "eio-audit.toml:1:1: error: jobs: '0' is neither 'auto' nor a number"
    )
