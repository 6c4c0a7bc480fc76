"""Real git runs the command: as external diff, as difftool, and for a line diff of normal forms."""

import os
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from tests.cli.running import SAMPLES, run

COMMAND = f"'{sys.executable}' -m eio_audit"
TEXTCONV = f'f() {{ {COMMAND} normalize --order "$1" || cat "$1"; }}; f'
CONSTANTS = """\
func.func @f() -> (i32, i32) {
  %a = arith.constant 1 : i32
  %b = arith.constant 2 : i32
  return %a, %b : i32, i32
}
"""
REORDERED = """\
func.func @f() -> (i32, i32) {
  %0 = arith.constant 2 : i32
  %1 = arith.constant 1 : i32
  return %1, %0 : i32, i32
}
"""


NOTES_CALLS = r"""
call=$CALLS/$(printf %03d "$GIT_DIFF_PATH_COUNTER")
place=0
for word in "$GIT_DIFF_PATH_COUNTER" "$GIT_DIFF_PATH_TOTAL" "$@"; do
  place=$((place + 1))
  case $place,$word in
    *,/dev/null) ;;
    4,* | 7,*) cp -p "$word" "$call.$place" && word=$call.$place ;;
  esac
  printf '%s\0' "$word"
done > "$call"
"""
"""A command for ``git diff`` that notes what git gives it, and keeps the two files, which git may delete."""


class Repository:
    """A repository whose ``*.mlir`` files have the driver ``mlir``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "--quiet")
        (folder / ".gitattributes").write_text("*.mlir diff=mlir\n")

    def git(self, *args: str, code: int = 0, **environment: str) -> str:
        outside = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") and k != "FORCE_COLOR"}
        identity = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        config = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_PAGER": "cat"}
        done = subprocess.run(
            ["git", *args],
            cwd=self.folder,
            env=outside | identity | config | environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    def change(self, before: dict[str, str], after: dict[str, str]) -> None:
        """Commits files, then replaces them in the working tree."""
        for name, text in before.items():
            (self.folder / name).write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "before")
        for name in before.keys() - after.keys():
            (self.folder / name).unlink()
        for name, text in after.items():
            (self.folder / name).write_text(text)
        self.git("add", "--all")

    def diff(self, *args: str) -> str:
        """What ``git diff`` prints with our command: each call that git makes is made in this process."""
        calls = self.folder.parent / "calls"
        calls.mkdir()
        script = calls / "note"
        script.write_text(NOTES_CALLS)
        self.git("config", "diff.mlir.command", f"sh {script}")
        assert self.git("diff", *args, CALLS=str(calls)) == ""
        printed = ""
        for call in sorted(calls.glob("[0-9][0-9][0-9]")):
            number, total, *words = call.read_text().split("\0")[:-1]
            with chdir(self.folder):
                done = run("diff", *words, GIT_DIFF_PATH_COUNTER=number, GIT_DIFF_PATH_TOTAL=total)
            assert done.returncode == 0, done.stderr
            printed += done.stdout.decode()
        return printed


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    assert shutil.which("git")
    folder = tmp_path / "repository"
    folder.mkdir()
    return Repository(folder)


def test_git_diff_shows_ops(repository: Repository) -> None:
    before, after = ((SAMPLES / "small" / f"{when}_inline.mlir").read_text() for when in ("before", "after"))
    repository.change({"net.mlir": before}, {"net.mlir": after})
    repository.git("config", "diff.mlir.command", f"{COMMAND} diff")
    lines = repository.git("diff", "HEAD").splitlines()
    assert lines[:3] == [
        "different: 8 modified, 8 added, 6 removed",
        "before  net.mlir:1:1",
        "after   net.mlir:1:1",
    ]
    assert "        operand 1: [-argument 4 of ^bb0-]{+%9 ttir.reshape+}" in lines


def test_git_diff_of_new_deleted_and_renamed_files(repository: Repository) -> None:
    more = CONSTANTS.replace("}", "  // the end\n}")
    repository.change(
        {"gone.mlir": "func.func @g() {\n  return\n}\n", "old.mlir": more},
        {"new.mlir": "func.func @h() {\n  return\n}\n", "renamed.mlir": more.replace("2 :", "3 :")},
    )
    lines = repository.diff("--find-renames=60", "HEAD").splitlines()
    assert [line for line in lines if line.startswith(("different", "before", "after"))] == [
        *("different: 2 removed", "before  gone.mlir:1:1", "after   /dev/null:1:1"),
        *("different: 2 added", "before  /dev/null:1:1", "after   new.mlir:1:1"),
        *("different: 1 modified", "before  old.mlir:1:1", "after   renamed.mlir:1:1"),
    ]


def test_git_diff_of_files_without_a_byte(repository: Repository) -> None:
    repository.change(
        {"gone.mlir": CONSTANTS, "emptied.mlir": CONSTANTS, "filled.mlir": ""},
        {"new.mlir": CONSTANTS, "emptied.mlir": "", "filled.mlir": CONSTANTS},
    )
    printed = repository.diff("HEAD")
    assert all(name in printed for name in ("gone.mlir", "new.mlir", "emptied.mlir", "filled.mlir"))


def test_the_normal_form_of_a_file_without_a_byte(repository: Repository) -> None:
    repository.change({"emptied.mlir": CONSTANTS}, {"emptied.mlir": ""})
    repository.git("config", "diff.mlir.textconv", TEXTCONV)
    assert "+++ b/emptied.mlir" in repository.git("diff", "HEAD")


def test_git_diff_names_a_file_whose_name_or_mode_alone_has_changed(repository: Repository) -> None:
    repository.change({"old.mlir": CONSTANTS, "run.mlir": REORDERED}, {"new.mlir": CONSTANTS})
    (repository.folder / "run.mlir").write_text(REORDERED)
    (repository.folder / "run.mlir").chmod(0o755)
    repository.git("add", "--all")
    assert repository.diff("HEAD").splitlines() == [
        "diff --git a/old.mlir b/new.mlir",
        "similarity index 100%",
        "rename from old.mlir",
        "rename to new.mlir",
        "identical",
        "diff --git a/run.mlir b/run.mlir",
        "old mode 100644",
        "new mode 100755",
        "identical",
    ]


def test_git_diff_goes_on_after_a_file_that_is_no_ir(repository: Repository) -> None:
    repository.change({"a.mlir": "one\n", "b.mlir": CONSTANTS}, {"a.mlir": "two\n", "b.mlir": REORDERED})
    repository.git("config", "diff.mlir.command", f"{COMMAND} diff")
    lines = repository.git("diff", "HEAD").splitlines()
    assert lines[:5] == ["--- a.mlir", "+++ a.mlir", "@@ -1 +1 @@", "-one", "+two"]
    assert "same program in another order" in lines


def test_git_difftool(repository: Repository) -> None:
    repository.change({"net.mlir": CONSTANTS}, {"net.mlir": REORDERED})
    shown = repository.git("difftool", "--no-prompt", "--extcmd", f"{COMMAND} diff", "HEAD")
    assert shown.splitlines()[0] == "same program in another order"


def test_git_compares_normal_forms(repository: Repository) -> None:
    other = REORDERED.replace("constant 2", "constant 3")
    repository.change(
        {"a.mlir": CONSTANTS, "b.mlir": CONSTANTS, "c.mlir": "func.func @f() {\n"},
        {"a.mlir": REORDERED, "b.mlir": other, "c.mlir": "func.func @g() {\n"},
    )
    repository.git("config", "diff.mlir.textconv", TEXTCONV)
    lines = repository.git("diff", "HEAD").splitlines()
    assert [line for line in lines if line.startswith("diff")] == [
        "diff --git a/b.mlir b/b.mlir",
        "diff --git a/c.mlir b/c.mlir",
    ]
    assert {"-func.func @f() {", "+func.func @g() {"} <= set(lines)
    changed = [line for line in lines if " = arith.constant" in line and line[0] != " "]
    assert [line[0] + line.partition(" = ")[2] for line in changed] == [
        "-arith.constant 2 : i32",
        "+arith.constant 3 : i32",
    ]


def test_git_gets_the_exit_code_with_same_as_only(tmp_path: Path) -> None:
    for name, text in (("old", CONSTANTS), ("new", CONSTANTS.replace("2 :", "3 :"))):
        (tmp_path / name).write_text(text)
    arguments = ("net.mlir", tmp_path / "old", "0" * 40, "100644", tmp_path / "new", "1" * 40, "100644")
    codes = [
        run("diff", *options, *arguments, GIT_DIFF_PATH_COUNTER="1").returncode
        for options in ((), ("--same-as", "order"))
    ]
    assert codes == [0, 1]


def test_an_unmerged_file_is_named() -> None:
    done = run("diff", "net.mlir", GIT_DIFF_PATH_COUNTER="1")
    assert (done.returncode, done.stdout) == (0, b"unmerged: net.mlir\n")


def test_without_git_seven_arguments_are_too_many() -> None:
    assert run("diff", "net.mlir", "a", ".", ".", "b", ".", ".").returncode == 2


def test_a_text_without_ir_is_not_compared(tmp_path: Path) -> None:
    for name, text in (("one", "one\n"), ("two", "two\n"), ("ir", CONSTANTS)):
        (tmp_path / name).write_text(text)
    for before, after in (("one", "two"), ("one", "ir"), ("ir", "one")):
        done = run("diff", tmp_path / before, tmp_path / after)
        message = f"{tmp_path / 'one'}:1:1: error: this is not MLIR: no line begins an operation\none\n^\n"
        assert (done.returncode, done.stderr.decode()) == (2, message)


def test_a_test_of_filecheck_is_not_compared_in_all_formats() -> None:
    output = SAMPLES.parent / "tests" / "data" / "check_order.txt"
    done = run("diff", output, "--format", "html")
    said = b"Error: a test of FileCheck is compared as text or json, not as html\n"
    assert (done.returncode, done.stderr.endswith(said)) == (2, True)


def test_two_logs_are_not_compared_in_all_formats() -> None:
    logs = [SAMPLES / "small" / f"all_passes_{form}.log" for form in ("alias", "inline")]
    done = run("diff", *logs, "--format", "html")
    assert done.returncode == 2
    assert b"two logs are compared as text or json, not as html; choose one dump" in done.stderr
