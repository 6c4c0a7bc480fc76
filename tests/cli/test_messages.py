"""What the commands say to somebody who mistypes, and how they are made to say less."""

from pathlib import Path

import pytest

from tests.audit.test_fix import SHUFFLED
from tests.cli.running import SAMPLES, run, run_on_terminal
from tests.internals import COMMANDS

LOG = SAMPLES / "small" / "all_passes_alias.log"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["chek"], "No such command 'chek'. Did you mean 'check'?"),
        (["frobnicate"], f"No such command 'frobnicate'. The commands are {', '.join(COMMANDS)}."),
        ([str(LOG)], f"No such command '{LOG}'. Did you mean 'check {LOG}'?"),
        (["-"], "No such command '-'. Did you mean 'check -'?"),
        (["check", "--formt", "json", "-"], "--format"),  # the words around it are click's
        (["check", str(LOG), "--pass", "ttir-erase"], "no dump of pass 'ttir-erase'; did you mean 'ttir-erase-inverse-ops'?"),
        (["check", str(LOG), "--pass", "Inverse"], "did you mean 'ttir-erase-inverse-ops'?"),
        (["check", str(LOG), "--pass", "TTIREraseInverse"], "did you mean 'TTIREraseInverseOps'?"),
        (["check", str(LOG), "--pass", "zzz"], "no dump of pass 'zzz'; the passes are canonicalize, "),
        (["check", str(LOG), "--dump", "17"], "there is no --dump 17: there are 16 dumps"),
        (["check", str(SAMPLES / "small" / "after_inline.mlir"), "--dump", "2"], "there is no --dump 2: there is 1 dump"),
    ],
)  # fmt: skip
def test_a_name_that_is_none(args: list[str], message: str) -> None:
    result = run(*args)
    assert result.returncode == 2
    assert message in result.stderr.decode()


def test_a_long_list_of_passes_is_cut() -> None:
    log = "".join(
        f"// -----// IR Dump After P{n} (p-{n}) //----- //\nmodule {{\n}}\n" for n in range(1000, 1030)
    )
    result = run("check", "-", "--pass", "zzz", stdin=log.encode())
    assert b"the passes are p-1000, " in result.stderr
    assert b"p-1019 and 10 more\n" in result.stderr


@pytest.mark.parametrize("command", ["check", "diff", "trace"])
def test_quiet_leaves_the_exit_code(command: str, tmp_path: Path) -> None:
    before, after = tmp_path / "a.mlir", tmp_path / "b.mlir"
    before.write_text(SHUFFLED)
    after.write_text(SHUFFLED)
    paths = [before, after, "--fail-on", "shuffled"] if command == "diff" else [after]
    result = run(command, *paths, "--quiet", "--config", "assume-pure=no.such.*")
    assert (result.returncode, result.stdout, result.stderr) == (1, b"", b"")
    assert run(command, *paths, "-q", "-o", tmp_path / "report.txt").stdout == b""
    assert b"inversion" in (tmp_path / "report.txt").read_bytes()


def test_quiet_hides_no_error() -> None:
    result = run("check", "missing.mlir", "-q")
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr == b"missing.mlir: error: cannot read: No such file or directory\n"


@pytest.mark.parametrize("columns", [40, 60, 99, 200])
def test_a_caret_is_below_its_column_on_every_terminal(columns: int, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(f'"t.{"x" * 60}"(%1) : (i32) -> () loc("{"y" * 100}")')
    code, shown = run_on_terminal("check", "a.mlir", columns=columns, cwd=tmp_path)
    head, line, caret, *_ = shown.split("\n")
    assert (code, head) == (2, "a.mlir:1:66: error: use of value '%1', which is not defined in this scope")
    assert line[caret.index("^")] == "%"
    assert len(line) <= columns
