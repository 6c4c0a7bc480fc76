"""A compiler's command line, and what its messages say."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.audit.bisect.compiler_command import OWN_FLAGS
from tests.internals import CompilerCommand, CompilerRun


@pytest.mark.parametrize(
    ("word", "flag"),
    [
        ("--cse", "cse"),
        ("-cse", "cse"),
        ("--pass-pipeline=builtin.module(cse)", "pass-pipeline"),
        ("-o", "o"),
        ("-", None),
        ("in.mlir", None),
        ("a=b", None),
        ("", None),
    ],
)
def test_the_flag_of_a_word(word: str, flag: str | None) -> None:
    command = CompilerCommand(("opt", word))
    assert command.without(frozenset({flag or "", word, "a"})).words == (("opt",) if flag else ("opt", word))


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("opt --cse in.mlir -o out.mlir", "opt --cse in.mlir"),
        ("opt -o=out.mlir in.mlir", "opt in.mlir"),
        ("opt --mlir-print-debuginfo=false in.mlir", "opt in.mlir"),
        ("opt --mlir-disable-threading=false in.mlir", "opt in.mlir"),
        ("opt --o out.mlir -", "opt -"),
        ("opt --mlir-print-ir-after-all in.mlir", "opt in.mlir"),
        ("opt -mlir-print-ir-after=cse in.mlir", "opt in.mlir"),
        ("opt --mlir-print-ir-tree-dir dumps in.mlir", "opt in.mlir"),
        ("opt --mlir-print-ir-tree-dir=dumps in.mlir", "opt in.mlir"),
        ("opt --log-actions-to - in.mlir", "opt in.mlir"),
        ("opt --mlir-debug-counter a-count=1 --cse", "opt --cse"),
        ("opt --mlir-elide-elementsattrs-if-larger=8", "opt --mlir-elide-elementsattrs-if-larger=8"),
        ("opt --mlir-print-debuginfo --cse", "opt --cse"),
        ("opt in.mlir -o", "opt in.mlir"),
        ("-o in.mlir", "-o in.mlir"),  # the program's name is no flag
    ],
)
def test_what_a_bisection_says_itself_is_dropped(given: str, left: str) -> None:
    assert str(CompilerCommand(tuple(given.split())).without(OWN_FLAGS)) == left


def test_a_value_that_is_a_word_of_its_own_goes_with_its_flag() -> None:
    command = CompilerCommand(("opt", "--pass-pipeline", "builtin.module(cse)", "in.mlir"))
    assert command.without(frozenset({"pass-pipeline"})).words == ("opt", "in.mlir")


@pytest.mark.parametrize(
    "word", ["--mlir-print-debuginfo", "-mlir-print-debuginfo", "--mlir-print-debuginfo=false"]
)
def test_a_flag_that_is_there_is_not_added(word: str) -> None:
    command = CompilerCommand(("opt", word)).with_flags("--mlir-print-debuginfo", "--new")
    assert command.words == ("opt", word, "--new")


def test_a_flag_is_added_before_two_dashes() -> None:
    assert str(CompilerCommand(("opt", "--", "in.mlir")).with_flags("--cse")) == "opt --cse -- in.mlir"


def test_a_command_is_quoted_for_a_shell() -> None:
    assert (
        str(CompilerCommand(("opt", "--pass-pipeline=any(cse)", "a b")))
        == "opt '--pass-pipeline=any(cse)' 'a b'"
    )


@given(st.lists(st.sampled_from(["--cse", "-", "in.mlir", "--o=x", "-o", "--new=1", "-new"]), max_size=6))
def test_no_flag_is_there_twice_and_none_is_left(words: list[str]) -> None:
    command = CompilerCommand(("opt", *words)).without(frozenset({"o", "new"})).with_flags("--new", "-o=y")
    flags = [word.lstrip("-").partition("=")[0] for word in command.words if word[:1] == "-"]
    assert (flags.count("o"), flags.count("new")) == (1, 1)


def run_of(folder: Path, exit_code: int, messages: bytes) -> CompilerRun:
    path = folder / "messages.txt"
    path.write_bytes(messages)
    return CompilerRun(CompilerCommand(("opt",)), exit_code, path)


@pytest.mark.parametrize(
    ("exit_code", "messages", "flag"),
    [
        (1, "mlir-opt-22: Unknown command line argument '--frob'.  Try: 'mlir-opt-22 --help'\n", "frob"),
        (1, "opt: Unknown command line argument '-mlir-print-ir-x=1'.\n", "mlir-print-ir-x"),
        (1, "clang: error: unknown option '--frob'\n", "frob"),
        (0, "warning: Unknown command line argument '--frob'.\n", None),
        (1, "error: something else\n", None),
    ],
)
def test_the_flag_that_a_compiler_does_not_know(
    tmp_path: Path, exit_code: int, messages: str, flag: str | None
) -> None:
    assert run_of(tmp_path, exit_code, messages.encode()).unknown_flag == flag


@pytest.mark.parametrize(
    ("exit_code", "messages", "why"),
    [
        (1, b"remark: x\na.mlir:1:2: error: bad\nnote: y\nb: error: worse\n", "ended with exit code 1: a.mlir:1:2: error: bad"),
        (-6, b"LLVM ERROR: out of memory\nPLEASE submit\n", "killed by signal 6: LLVM ERROR: out of memory"),
        (3, b"first\nlast\n", "ended with exit code 3: last"),
        (-11, b"", "killed by signal 11"),
        (1, b"x: error: \xff\n", "ended with exit code 1: x: error: \ufffd"),
        (1, b"first error: a\n" + b"x" * (3 << 20), "ended with exit code 1: first error: a"),
        (1, b"x\n" * (2 << 20) + b"last error: b\n", "ended with exit code 1: last error: b"),
    ],
)  # fmt: skip
def test_why_a_run_failed(tmp_path: Path, exit_code: int, messages: bytes, why: str) -> None:
    assert run_of(tmp_path, exit_code, messages).why_it_failed == why
