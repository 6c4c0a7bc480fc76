"""``eio-audit help NAME``: what docs/rules.md and docs/glossary.md say, for those who have the program alone."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.running import SAMPLES, run
from tests.cli.test_by_time import TIMES


def printed(*words: str) -> str:
    result = run("help", *words)
    assert (result.returncode, result.stderr) == (0, b"")
    return result.stdout.decode()


def refusal(*args: str) -> str:
    result = run(*args)
    assert (result.returncode, result.stdout) == (2, b"")
    return result.stderr.decode().splitlines()[-1]


def test_a_rule() -> None:
    assert printed("EIO104") == (
        "EIO104, repeated-location\n\n"
        "Several ops have the same location.\n\n"
        "Why it matters. They cannot be told apart by their origin, and their order among themselves is not "
        "known. One op of the model often becomes several, so some of these are expected. Every such op but the "
        "first is a finding.\n\n"
        'How to fix it. Where a pass splits an op, let it extend the name: "X_tm0"("X").\n\n'
        "Example.\n\n"
        "func.func @f(%x: i32) -> i32 {\n"
        '  %0 = "ttir.abs"(%x) : (i32) -> i32 loc("0|Net[net]|net.py:1|forward|2|abs")\n'
        '  %1 = "ttir.neg"(%0) : (i32) -> i32 loc("0|Net[net]|net.py:1|forward|2|abs")\n'
        "  return %1 : i32\n}\n"
    )


def test_a_word() -> None:
    assert printed("forced", "inversion") == (
        "forced inversion\n\n"
        "an inversion u, v where v depends on u, directly or through others. Every legal order has it. "
        "In Python: BlockAudit.forced.\n"
    )


def test_all_rules_and_words_a_line_each() -> None:
    lines = printed("rules").splitlines()
    assert lines[0] == "Rules"
    assert lines[11].split() == [
        "EIO104,",
        "repeated-location",
        "Several",
        "ops",
        "have",
        "the",
        "same",
        "location.",
    ]
    assert [line for line in lines if line.startswith("  descent ")] == [
        "  descent              an inversion between neighbours among the indexed ops of a block."
    ]


def test_all_words_without_the_rules() -> None:
    lines = printed("words").splitlines()
    assert lines[0] == "Input"
    assert [line for line in lines if "EIO001," in line] == []


def test_several_names_are_explained_one_after_another() -> None:
    text = printed("donor", "descent")
    assert text == f"{printed('donor')}\n{printed('descent')}"


def test_of_several_names_the_unknown_one_is_named() -> None:
    assert refusal("help", "made", "dnoor").startswith(
        "Error: there is no command, rule or word 'dnoor': did you mean 'donor'"
    )


@pytest.mark.parametrize("heading", ["-removed", "+added", "~modified", "-ops"])
def test_a_heading_is_a_word_with_its_sign(heading: str) -> None:
    assert printed(heading) == printed(heading[1:])


def test_a_word_of_two_senses_has_both() -> None:
    assert "pairs of ops that a pass put out of order." in printed("made")
    assert "Of an op: the pass added it" in printed("made")
    assert "avoidable inversions" in printed("place")
    assert "place: its number in its block" in printed("place")


def test_one_that_there_is_not() -> None:
    start = "Error: there is no command, rule or word"
    assert refusal("help", "nock-on") == f"{start} 'nock-on': did you mean 'knock-on'?"
    assert refusal("help", "chek") == f"{start} 'chek': did you mean 'check'?"
    assert refusal("help", "???") == f"{start} '???': 'eio-audit help rules' lists all rules and words"


def test_who_looks_for_it_elsewhere_is_told() -> None:
    expected = "Error: there is no file 'EIO001'; did you mean 'eio-audit help EIO001'?"
    assert refusal("explain", "EIO001") == expected
    assert refusal("EIO001") == "Error: No such command 'EIO001'. Did you mean 'help EIO001'?"


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("inversions", "inversion"),
        ("pairs out of order", "inversion"),
        ("applications", "application"),
        ("first dump", "first dump"),
        ("dumps", "dump"),
        ("states", "state after N attempts"),
        ("(there from the start)", "there from the start"),
        ("order not judged", "order not judged"),
    ],
)
def test_plurals_and_the_words_of_reports(word: str, name: str) -> None:
    assert run("help", word).stdout.decode().splitlines()[0] == name


def headings(*args: str | Path) -> list[str]:
    """The headings of the tables of a report."""
    lines = run(*args, "--format", "markdown").stdout.decode().splitlines()
    above = [line for line, below in pairwise(lines) if below.startswith("| ---")]
    return [heading for line in above for heading in line.strip("| ").split(" | ")]


def test_every_heading_of_a_table_of_passes_is_explained(tmp_path: Path) -> None:
    (tmp_path / "times.txt").write_text(TIMES)
    log = SAMPLES / "mlir_opt" / "passes.log"
    found = {
        *headings("trace", SAMPLES / "resnet" / "all_passes_alias.log", "--verbose"),
        *headings("trace", log),
        *headings("trace", log, "--count"),
        *headings("trace", tmp_path / "times.txt", "--by-time"),
    }
    assert {"+added", "wrong indices", "places in the pipeline"} <= found
    unknown = [
        one
        for one in found - {"op", "pass", "+/-", "first", "last", "code", "place", "finding", "from"}
        if run("help", one.lstrip("-")).returncode
    ]
    assert unknown == []


WORDS = """
shuffled|property|introduced|folding|not resolved|worst|curve|chosen|model|type|result|operands|estimate
perhaps replaced|fails|crashes|hangs|made by|any|never
passed|failed|incomplete|could not run|identical|different|unchanged|left at the end|changed nothing|what to change
same text up to names and locations|same program in another order|adaptors|root op|patterns|runs others|first dumps
"""
"""Words of verdicts and rows."""


@pytest.mark.parametrize("word", WORDS.strip().replace("\n", "|").split("|"))
def test_words_of_verdicts_and_rows_are_explained(word: str) -> None:
    assert run("help", word).returncode == 0
