"""``fix --relabel`` as a user runs it."""

import subprocess
from pathlib import Path

import pytest

from tests.audit.test_check import ISSUE
from tests.cli.running import SAMPLES, run

RESNET = SAMPLES / "resnet" / "after_alias.mlir"
LOG = SAMPLES / "small" / "all_passes_inline.log"
OLD = 'loc("DEBUG|23|ResNet[resnet]|m.py:1|forward|2|permute")'
NESTED = ISSUE.replace(
    OLD,
    'loc("DEBUG|18|ResNet[resnet]|m.py:1|forward|2|permute"("DEBUG|23|ResNet[resnet]|m.py:1|forward|2|permute"))',
)
FLAT = ISSUE.replace("DEBUG|23", "DEBUG|18")


@pytest.fixture
def issue(tmp_path: Path) -> Path:
    path = tmp_path / "issue.mlir"
    path.write_text(ISSUE)
    return path


@pytest.mark.parametrize(
    ("option", "expected"),
    [("--relabel", NESTED), ("--relabel=nested", NESTED), ("--relabel=flat", FLAT)],
)
def test_a_filter(option: str, expected: str) -> None:
    assert expected != ISSUE
    done = run("fix", option, "-", stdin=ISSUE.encode())
    assert (done.returncode, done.stdout.decode()) == (0, expected)
    assert done.stderr == b"<stdin>: 1 index corrected, no op moved, 1 inversion removed; none remains\n"


def test_the_file_behind_the_option_is_the_input(issue: Path) -> None:
    done = run("fix", "--relabel", issue)
    assert (done.returncode, done.stdout.decode()) == (0, NESTED)


def test_the_last_of_several_counts(issue: Path) -> None:
    assert run("fix", "--relabel", "--relabel=flat", issue).stdout.decode() == FLAT


@pytest.mark.parametrize("option", ["--relabel=x", "--relabel=", "--relabel=FLAT"])
def test_another_form_is_a_usage_error_that_names_the_forms(option: str, issue: Path) -> None:
    done = run("fix", option, issue)
    assert (done.returncode, done.stdout) == (2, b"")
    form = option.removeprefix("--relabel=")
    expected = f"Error: Invalid value for '--relabel': {form!r} is not one of 'nested', 'flat'.\n"
    assert done.stderr.decode().endswith(expected)


def test_a_file_may_be_called_like_the_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("--relabel=flat").write_text(ISSUE)
    assert run("fix", "--", "--relabel=flat").stdout.decode() == ISSUE


def test_it_does_not_go_with_the_order_of_another_dump(issue: Path) -> None:
    before = issue.with_name("before.mlir")
    before.write_bytes(issue.read_bytes())
    done = run("fix", "--relabel", "--order-from", before, issue)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"--relabel cannot be used with --order-from, which ignores indices" in done.stderr


def test_check(issue: Path) -> None:
    assert run("fix", "--check", issue).returncode == 0
    done = run("fix", "--relabel", "--check", issue)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == (
        f"{issue}: would be changed: 1 index corrected, no op moved, 1 inversion removed; none remains\n"
    )
    assert issue.read_text() == ISSUE


def test_diff(issue: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(issue.parent)
    done = run("fix", "--relabel=flat", "--diff", "issue.mlir")
    changed = [line for line in done.stdout.decode().splitlines() if line[:1] in ("+", "-")][2:]
    assert [line.partition("loc")[0][:14] for line in changed] == ['-  %56 = "ttir', '+  %56 = "ttir']
    assert [OLD in changed[0], OLD.replace("23", "18") in changed[1]] == [True, True]
    subprocess.run(["patch", "-sp0"], input=done.stdout, check=True)
    assert issue.read_text() == FLAT


def test_in_place_and_again(issue: Path) -> None:
    assert run("fix", "--relabel", "--in-place", issue).returncode == 0
    assert issue.read_text() == NESTED
    again = run("fix", "--relabel", "--in-place", issue)
    assert again.stderr.decode() == f"{issue}: in order: unchanged\n"
    assert issue.read_text() == NESTED


def test_the_gate_on_any_inversion_passes_then(tmp_path: Path) -> None:
    whole = tmp_path / "whole.mlir"
    assert run("check", "--fail-on", "any", RESNET).returncode == 1
    done = run("fix", "--relabel", RESNET, "-o", whole)
    assert done.stderr.decode() == (
        f"{RESNET}: 42 indices corrected, no op moved, 789 inversions removed; none remains\n"
    )
    assert run("check", "--fail-on", "any", "--select", "EIO003", whole).returncode == 0


def test_without_it_fix_says_what_it_would_do() -> None:
    done = run("fix", RESNET, "--check")
    assert done.stderr.decode() == (
        f"{RESNET}: would be changed: 22 ops moved, 22 of 789 inversions removed; 767 remain:"
        " --relabel instead corrects 42 wrong indices and removes all inversions\n"
    )


def test_several_files(tmp_path: Path) -> None:
    for name in ("before", "after"):
        (tmp_path / f"{name}.mlir").write_bytes((SAMPLES / "small" / f"{name}_inline.mlir").read_bytes())
    done = run("fix", "--relabel", tmp_path, "-o", tmp_path / "out")
    assert done.stderr.decode().splitlines() == [
        f"{tmp_path}/after.mlir: 6 indices corrected, no op moved, 18 inversions removed; none remains",
        "2 files: 1 changed, 1 unchanged",
    ]
    assert run("check", "--fail-on", "any", tmp_path / "out").returncode == 0
    assert (tmp_path / "out" / "before.mlir").read_bytes() == (tmp_path / "before.mlir").read_bytes()


def test_every_dump_of_a_log() -> None:
    whole = run("fix", "--relabel", LOG).stdout
    assert whole.count(b"// -----// IR Dump ") == LOG.read_bytes().count(b"// -----// IR Dump ")
    done = run("check", "--fail-on", "any", "-", stdin=whole)
    assert (done.returncode, done.stdout.splitlines()[-1][:17]) == (0, b"passed: 16 dumps,")


def test_one_dump_of_a_log() -> None:
    chosen = ("--pass", "ttir-erase-inverse-ops", "--dump", "last")
    whole = run("fix", "--relabel", LOG, *chosen).stdout
    assert b"// -----//" not in whole.split(b"\n", 1)[1]
    assert run("check", "--fail-on", "any", "-", stdin=whole).returncode == 0
