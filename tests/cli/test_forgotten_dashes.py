"""A forgotten ``-`` or ``--`` is an error that ends with the command that was meant."""

import pytest

from tests.cli.running import run


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["repeat", "mlir-opt", "--cse", "a b.mlir"], "eio-audit repeat -- mlir-opt --cse 'a b.mlir'"),
        (
            ["repeat", "--runs", "3", "mlir-opt", "--cse", "x.mlir"],
            "eio-audit repeat --runs 3 -- mlir-opt --cse x.mlir",
        ),
        (["bisect", "-v", "mlir-opt", "--cse", "x"], "eio-audit bisect -v -- mlir-opt --cse x"),
        (["check"], "eio-audit check -"),
        (["fix", "--relabel"], "eio-audit fix --relabel=nested -"),
        (["explain"], "eio-audit explain -"),
    ],
)
def test_the_error_ends_with_the_command(words: list[str], meant: str) -> None:
    done = run(*words, stdin=b"module {}")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().endswith(f":\n  {meant}\n")


@pytest.mark.parametrize("words", [["repeat", "--cse"], ["repeat", "--", "true"], ["check", "--cse", "x"]])
def test_nothing_is_suggested_where_nothing_is_forgotten(words: list[str]) -> None:
    assert b"comes after" not in run(*words).stderr
