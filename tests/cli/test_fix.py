import fcntl
import gzip
import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from eio_audit import VerificationError
from eio_audit.cli.main import main
from tests.audit.test_fix import SHUFFLED, fixed
from tests.cli.running import SAMPLES, run, run_on_terminal, run_process
from tests.internals import DumpFix

RESNET = SAMPLES / "resnet" / "after_alias.mlir"
LOG = SAMPLES / "resnet" / "all_passes_alias.log"


def test_a_filter_from_standard_input_to_standard_output() -> None:
    result = run("fix", "-", stdin=SHUFFLED.encode())
    assert (result.returncode, result.stdout.decode()) == (0, fixed(SHUFFLED))
    assert b"1 inversion" in result.stderr


def test_nothing_avoidable_gives_the_same_bytes() -> None:
    data = (SAMPLES / "encoder" / "after_alias.mlir").read_bytes()
    assert run("fix", "-", stdin=data).stdout == data


def test_no_op_is_out_of_place_after_a_fix() -> None:
    assert run("check", "-", "--fail-on", "out-of-place", stdin=run("fix", RESNET).stdout).returncode == 0


def test_a_second_run_changes_nothing() -> None:
    once = run("fix", RESNET).stdout
    assert once != RESNET.read_bytes()
    assert run("fix", "-", stdin=once).stdout == once


def test_output_file(tmp_path: Path) -> None:
    result = run("fix", RESNET, "-o", tmp_path / "fixed.mlir", "--quiet")
    assert (result.stdout, result.stderr) == (b"", b"")
    assert (tmp_path / "fixed.mlir").read_bytes() == run("fix", RESNET).stdout


def test_in_place_keeps_permissions_and_links(tmp_path: Path) -> None:
    target = tmp_path / "dump.mlir"
    target.write_text(SHUFFLED)
    target.chmod(0o640)
    link = tmp_path / "link.mlir"
    link.symlink_to(target)
    assert run("fix", link, "--in-place").returncode == 0
    assert link.is_symlink()
    assert target.read_text() == fixed(SHUFFLED)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_in_place_says_which_file_has_other_hard_links(tmp_path: Path) -> None:
    file, other = tmp_path / "dump.mlir", tmp_path / "other.mlir"
    file.write_text(SHUFFLED)
    other.hardlink_to(file)
    result = run("fix", file, "--in-place")
    assert (result.returncode, file.read_text(), other.read_text()) == (0, fixed(SHUFFLED), SHUFFLED)
    assert f"{file}: warning: other hard links keep the old content\n" in result.stderr.decode()


def test_in_place_says_nothing_of_hard_links_where_nothing_changes_or_quietly(tmp_path: Path) -> None:
    file, other = tmp_path / "dump.mlir", tmp_path / "other.mlir"
    file.write_text(fixed(SHUFFLED))
    other.hardlink_to(file)
    assert b"warning" not in run("fix", file, "--in-place").stderr
    assert file.samefile(other)
    file.write_text(SHUFFLED)
    assert run("fix", file, "--in-place", "--quiet").stderr == b""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_in_place_keeps_the_owner(tmp_path: Path) -> None:
    file = tmp_path / "dump.mlir"
    file.write_text(SHUFFLED)
    file.chmod(0o2640)
    os.chown(file, 1234, 2345)
    file.chmod(0o2640)
    run("fix", file, "--in-place")
    status = file.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 2345, 0o2640)


def test_in_place_leaves_a_file_alone_when_nothing_is_avoidable(tmp_path: Path) -> None:
    target = tmp_path / "dump.mlir"
    target.write_text(fixed(SHUFFLED))
    os.utime(target, (1, 1))
    assert run("fix", target, "--in-place").returncode == 0
    assert target.stat().st_mtime == 1


def test_a_log_is_corrected_where_it_stands() -> None:
    result = run("fix", LOG)
    assert result.stdout.count(b"// -----// IR Dump") == 16
    assert len(result.stdout) == LOG.stat().st_size


def test_one_dump_of_a_log() -> None:
    result = run("fix", LOG, "--pass", "ttir-erase-inverse-ops", "--dump", "last")
    assert b"// -----//" not in result.stdout
    alone = RESNET.read_bytes()
    assert result.stdout.strip() == run("fix", "-", stdin=alone).stdout.strip()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SHUFFLED[:-2].encode(), b"the dump ends inside a region"),
        (b"", b"the input is empty"),
        (b'module {\n  "t.a"() : () -> ()\n}\n', b"no op carries an op index"),
        (b"ML\xefR\x00", b"bytecode"),
    ],
)
def test_bad_input_writes_nothing(text: bytes, message: bytes, tmp_path: Path) -> None:
    output = tmp_path / "out.mlir"
    output.write_text("precious")
    result = run("fix", "-", "-o", output, stdin=text)
    assert (result.returncode, result.stdout) == (2, b"")
    assert message in result.stderr
    assert output.read_text() == "precious"


def test_a_compressed_file_is_not_changed_in_place(tmp_path: Path) -> None:
    packed = tmp_path / "dump.mlir.gz"
    packed.write_bytes(gzip.compress(SHUFFLED.encode()))
    result = run("fix", packed, "--in-place")
    assert result.returncode == 2
    assert b"compressed" in result.stderr
    assert run("fix", packed).stdout.decode() == fixed(SHUFFLED)


def test_a_pipe_is_not_changed_in_place() -> None:
    result = run_process("fix", "/dev/stdin", "--in-place", stdin=SHUFFLED.encode())
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr == b"/dev/stdin: error: cannot change in place: not a regular file\n"


def test_an_open_file_is_not_changed_in_place(tmp_path: Path) -> None:
    target = tmp_path / "dump.mlir"
    target.write_text(SHUFFLED)
    with target.open() as file:
        assert run("fix", f"/dev/fd/{file.fileno()}", "--in-place").returncode == 2
    assert target.read_text() == SHUFFLED


def test_output_to_an_open_file_that_was_deleted_goes_there(tmp_path: Path) -> None:
    target = tmp_path / "out.mlir"
    with target.open("w+") as file:
        target.unlink()
        assert run("fix", RESNET, "-o", f"/dev/fd/{file.fileno()}").returncode == 0
        assert file.read() == run("fix", RESNET).stdout.decode()
    assert list(tmp_path.iterdir()) == []


def test_in_place_goes_with_a_file_only() -> None:
    assert run("fix", "-", "--in-place").returncode == 2
    assert run("fix", RESNET, "--in-place", "-o", "x").returncode == 2


def test_a_path_that_the_system_refuses_is_named(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300)
    assert run("fix", path).stderr.decode() == f"{path}: error: cannot read: File name too long\n"
    done = run("fix", RESNET, "-o", path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"{path}: error: cannot access: File name too long\n"


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    result = run("fix", RESNET, "-o", tmp_path / "no" / "such" / "folder.mlir")
    assert result.returncode == 2
    assert b"cannot write: No such file or directory" in result.stderr


@pytest.mark.parametrize("options", [[], ["--relabel"]])
def test_a_failed_verification_exits_3_and_writes_nothing(
    options: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(*_: object) -> NoReturn:
        raise VerificationError("the text of an op changed")

    target = tmp_path / "dump.mlir"
    target.write_text(SHUFFLED)
    monkeypatch.setattr(DumpFix, "of", refuse)
    monkeypatch.setattr("sys.argv", ["eio-audit", "fix", str(target), *options, "--in-place"])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 3
    assert target.read_text() == SHUFFLED
    assert "nothing was written" in capsys.readouterr().err


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m eio_audit fix {LOG} --quiet | head -c 10"
    result = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (0, b"")


def folder_of(tmp_path: Path) -> Path:
    folder = tmp_path / "dumps"
    (folder / "deeper").mkdir(parents=True)
    (folder / "shuffled.mlir").write_text(SHUFFLED)
    (folder / "deeper" / "ordered.mlir").write_text(fixed(SHUFFLED))
    (folder / "unindexed.mlir").write_text('module {\n  "t.a"() : () -> ()\n}\n')
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


def test_check_writes_nothing_and_tells(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    before = contents(folder)
    result = run("fix", "--check", folder)
    assert (result.returncode, result.stdout) == (1, b"")
    assert result.stderr.decode() == (
        f"{folder}/shuffled.mlir: would be changed: 1 op moved, 1 inversion removed; none remains\n"
        "3 files: 1 would be changed, 2 unchanged\n"
    )
    assert contents(folder) == before
    assert run("fix", "--check", folder / "deeper").returncode == 0


def test_check_of_a_filter() -> None:
    assert run("fix", "--check", "-", stdin=SHUFFLED.encode()).returncode == 1
    assert run("fix", "--check", "-", stdin=fixed(SHUFFLED).encode()).returncode == 0


DIFF = """--- <stdin>
+++ <stdin>
@@ -1,6 +1,6 @@
 func.func @f(%a: i32) -> i32 {
+  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|0|a")
   %1 = "ttir.neg"(%a) : (i32) -> i32 loc("DEBUG|1|b")
-  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("DEBUG|0|a")
   %2 = "ttir.add"(%0, %1) : (i32, i32) -> i32 loc("DEBUG|2|c")
   return %2 : i32
 }
"""


def test_diff_goes_to_standard_output_alone() -> None:
    result = run("fix", "--diff", "-", stdin=SHUFFLED.encode())
    assert (result.returncode, result.stdout.decode()) == (0, DIFF)
    assert run("fix", "--diff", "--check", "-q", "-", stdin=SHUFFLED.encode()).returncode == 1
    assert run("fix", "--diff", "-", stdin=fixed(SHUFFLED).encode()).stdout == b""


def test_the_diff_of_one_dump_of_a_log_is_one_of_the_log() -> None:
    log = f"noise\n// -----// IR Dump After A (a) //----- //\n{SHUFFLED}"
    result = run("fix", "--diff", "--pass", "a", "-", stdin=log.encode())
    assert result.stdout.decode() == DIFF.replace(
        "@@ -1,6 +1,6 @@\n", "@@ -1,8 +1,8 @@\n noise\n // -----// IR Dump After A (a) //----- //\n"
    )


def test_a_diff_has_colors_where_they_are_wanted() -> None:
    result = run("fix", "--diff", "-", stdin=SHUFFLED.encode(), FORCE_COLOR="1")
    assert b"\x1b[31m-  %0 = " in result.stdout


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {}, {"FORCE_COLOR": "1"}])
def test_a_diff_on_a_narrow_terminal_applies(environment: dict[str, str], tmp_path: Path) -> None:
    blank_and_tab = (
        SHUFFLED.replace("|a", f"|{'long ' * 20}").replace("  %2", "\t%2").replace('|c")', '|c") ')
    )
    (tmp_path / "a.mlir").write_text(blank_and_tab)
    _, shown = run_on_terminal("fix", "--diff", "-q", "a.mlir", columns=60, cwd=tmp_path, **environment)
    assert ("\x1b" in shown) == ("NO_COLOR" not in environment)
    (tmp_path / "diff").write_text(re.sub(r"\x1b\[[0-9;]*m", "", shown))
    subprocess.run(["git", "apply", "diff"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "a.mlir").read_text() == fixed(blank_and_tab)


def test_a_folder_in_place(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    result = run("fix", "-i", folder, "--config", "verbose=true")
    assert (result.returncode, result.stdout) == (0, b"")
    assert result.stderr.decode() == (
        f"{folder}/deeper/ordered.mlir: in order: unchanged\n"
        f"{folder}/shuffled.mlir: 1 op moved, 1 inversion removed; none remains\n"
        f"{folder}/unindexed.mlir: no op indices: unchanged\n"
        "3 files: 1 changed, 2 unchanged\n"
    )
    assert contents(folder)["shuffled.mlir"] == fixed(SHUFFLED)


PASS_LOG = "".join(f"// -----// IR Dump After {name} ({name}) //----- //\n{SHUFFLED}" for name in ("A", "B"))


def test_in_place_notes_the_logs_of_a_folder_that_it_changes(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "passes.log").write_text(PASS_LOG)
    result = run("fix", "-i", folder)
    why = "every dump of this log is corrected, so it no longer shows what each pass did"
    assert (result.returncode, result.stdout) == (0, b"")
    assert f"note: {folder}/passes.log: {why}\n" in result.stderr.decode()
    assert contents(folder)["passes.log"] == PASS_LOG.replace(SHUFFLED, fixed(SHUFFLED))
    assert run("fix", "--check", folder).returncode == 0


@pytest.mark.parametrize(
    "words", [("passes.log",), (".", "passes.log"), (".", "--pass", "A")], ids=shlex.join
)
def test_in_place_has_no_note_on_a_log_that_is_named_or_whose_dump_is(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("passes.log").write_text(PASS_LOG)
    result = run("fix", "-i", *words)
    assert (result.returncode, "note: " in result.stderr.decode()) == (0, False)
    dumps = 1 if "--pass" in words else 2
    assert Path("passes.log").read_text() == PASS_LOG.replace(SHUFFLED, fixed(SHUFFLED), dumps)


def test_a_folder_into_another(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    packed = tmp_path / "packed.mlir.gz"
    packed.write_bytes(gzip.compress(SHUFFLED.encode()))
    assert run("fix", folder, packed, "-o", tmp_path / "out", "-q").returncode == 0
    assert contents(tmp_path / "out") == {
        "shuffled.mlir": fixed(SHUFFLED),
        "deeper/ordered.mlir": fixed(SHUFFLED),
        "unindexed.mlir": 'module {\n  "t.a"() : () -> ()\n}\n',
        "packed.mlir": fixed(SHUFFLED),
    }


def test_a_file_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "broken.mlir").write_text(SHUFFLED[:-2])
    result = run("fix", "-i", folder, tmp_path / "missing.mlir")
    assert (result.returncode, result.stdout) == (2, b"")
    assert f"{folder}/broken.mlir:5:".encode() in result.stderr
    assert b"missing.mlir: error: cannot read" in result.stderr
    assert result.stderr.endswith(b"5 files: 1 changed, 2 unchanged, 2 failed\n")
    assert contents(folder)["shuffled.mlir"] == fixed(SHUFFLED)
    assert contents(folder)["broken.mlir"] == SHUFFLED[:-2]


def test_files_without_any_index_are_not_written(tmp_path: Path) -> None:
    for name in ("a.mlir", "b.mlir"):
        (tmp_path / name).write_text('module {\n  "t.a"() : () -> ()\n}\n')
    result = run("fix", tmp_path / "a.mlir", tmp_path / "b.mlir", "-o", tmp_path / "out")
    assert result.returncode == 2
    assert b"no op carries an op index" in result.stderr
    assert result.stderr.endswith(b"2 files: 2 failed\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["a.mlir", "b.mlir"], "2 files require --in-place, --check, --diff or --output FOLDER"),
        (["a.mlir", "-i", "-o", "x"], "cannot be used together"),
        (["a.mlir", "-i", "--check"], "cannot be used together"),
        (["a.mlir", "-o", "x", "--diff"], "cannot be used together"),
        (["a.mlir", "-", "-i"], "--in-place cannot be used with '-'"),
        (["a.mlir", "-", "-o", "x"], "cannot write standard input to a folder, because it has no file name"),
        (["a.mlir", "d/a.mlir", "-o", "x"], "'a.mlir' and 'd/a.mlir' would both be written to 'x/a.mlir'"),
        (["a.mlir", "a.mlir.gz", "-o", "x"], "'a.mlir' and 'a.mlir.gz' would both be written to 'x/a.mlir'"),
        (["a.mlir", "b.mlir", "-o", "pyproject.toml"], "files require a folder as --output"),
        ([], "Missing argument 'PATH...'"),
    ],
)
def test_usage_errors(args: list[str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLES.parent)
    result = run("fix", *args)
    assert (result.returncode, result.stdout) == (2, b"")
    assert message in result.stderr.decode()


def test_fix_refuses_the_malformed_location_that_check_refuses() -> None:
    text = SHUFFLED.replace('loc("DEBUG|1|b")', 'loc("DEBUG|1|b "c" d")').encode()
    check, fix = run("check", "-", stdin=text), run("fix", "-", stdin=text)
    assert (check.returncode, fix.returncode, fix.stdout) == (2, 2, b"")
    assert b"<stdin>:2:54: error: expected the end of the location\n" in fix.stderr
    assert fix.stderr in check.stderr


EDITS = {
    "appended": "echo >> a.mlir",
    "of the same size": "sed s/DEBUG/debug/ a.mlir > b.mlir; cat b.mlir > a.mlir; rm b.mlir",
    "of the same size, its time restored": "touch -r a.mlir c; sed s/DEBUG/debug/ a.mlir > b.mlir; "
    "cat b.mlir > a.mlir; touch -r c a.mlir; rm b.mlir c",
    "replaced": "cp -p a.mlir b.mlir; mv b.mlir a.mlir",
    "removed": "rm a.mlir",
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("options", [["--in-place"], ["-o", "a.mlir"], ["-o", "."]])
def test_an_edit_that_comes_meanwhile_is_not_lost(
    edit: str, options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compiler that reads the result makes the edit."""
    monkeypatch.chdir(tmp_path)
    Path("a.mlir").write_text(SHUFFLED)
    Path("edit.sh").write_text(f"cat > /dev/null\n{EDITS[edit]}\n")
    done = run("fix", "a.mlir", *options, "--verify-with", "sh edit.sh")
    message = b"a.mlir: error: nothing was written: the file changed since it was read\n"
    assert (done.returncode, done.stderr) == (3, message)
    after = Path("a.mlir").read_text() if edit != "removed" else ""
    assert after != fixed(SHUFFLED)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "a.mlir") == ["edit.sh"]


def test_links_in_an_output_folder_are_replaced(tmp_path: Path) -> None:
    source, elsewhere, folder = tmp_path / "a.mlir", tmp_path / "elsewhere.mlir", tmp_path / "out"
    source.write_text(SHUFFLED)
    elsewhere.write_text("kept")
    folder.mkdir()
    (folder / "a.mlir").symlink_to(elsewhere)
    assert run("fix", source, "-o", folder).returncode == 0
    assert ((folder / "a.mlir").read_text(), elsewhere.read_text()) == (fixed(SHUFFLED), "kept")
    assert not (folder / "a.mlir").is_symlink()


def test_a_linked_folder_in_an_output_folder_is_not_written_to(tmp_path: Path) -> None:
    inner, folder = tmp_path / "in" / "sub", tmp_path / "out"
    inner.mkdir(parents=True)
    folder.mkdir()
    (inner / "a.mlir").write_text(SHUFFLED)
    (folder / "sub").symlink_to(inner)
    done = run("fix", tmp_path / "in", "-o", folder)
    assert done.returncode == 2
    assert f"cannot write: '{folder / 'sub'}' is a symbolic link".encode() in done.stderr
    assert (inner / "a.mlir").read_text() == SHUFFLED


def test_what_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    """Files of runs that go on are locked."""
    file, used = tmp_path / "a.mlir", tmp_path / ".12345678.eio-audit.tmp"
    for path in (file, used, tmp_path / ".abcdefgh.eio-audit.tmp"):
        path.write_text(SHUFFLED)
    with used.open() as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        assert run("fix", file, "--in-place").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [used.name, "a.mlir"]
