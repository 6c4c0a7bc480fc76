"""``trace`` with a choice that matches nothing is a mistake; it says what was perhaps meant."""

import pytest

from tests.cli.running import SAMPLES, run

LOG = SAMPLES / "small" / "all_passes_alias.log"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--pass", "ttir-erase"], "no dump of pass 'ttir-erase'; did you mean 'ttir-erase-inverse-ops'?"),
        (["--pass", "zzz"], "no dump of pass 'zzz'; the passes are canonicalize, inline, "),
        (["--pass", "zzz*"], "no dump of pass 'zzz*'; the passes are canonicalize, inline, "),
        (["--function", "forwrd"], "no pass ran on function '@forwrd' or changed it; did you mean '@forward'?"),
        (["--changed-op", "ttir.permut"], "no pass changed an op 'ttir.permut'; did you mean 'ttir.permute'?"),
        (["--changed-op", "zzz"], "no pass changed an op 'zzz'; they changed ttir.reshape, "),
        (["--grep", "zzz"], "no line of a changed op matches 'zzz'"),
    ],
)  # fmt: skip
def test_what_matches_nothing_is_an_error(args: list[str], message: str) -> None:
    done = run("trace", LOG, *args)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith(f"{LOG}: error: {message}")


def test_a_pass_that_is_in_no_dump() -> None:
    done = run("trace", SAMPLES / "small" / "before_alias.mlir", "--pass", "cse")
    assert done.returncode == 2
    assert b"error: no dump of pass 'cse': there is no 'IR Dump' line in this file\n" in done.stderr


@pytest.mark.parametrize(
    "args",
    [["--pass", "inline"], ["--pass", "ttir-*"], ["--function", "@forward"], ["--pass", "inline", "--changed-op", "ttir.relu"]],
)  # fmt: skip
def test_a_pass_that_changed_nothing_is_none(args: list[str]) -> None:
    assert run("trace", LOG, *args, "--fail-on", "out-of-place").returncode == 0
