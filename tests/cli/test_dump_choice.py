"""Which dumps ``--pass`` and ``--dump`` choose: the same in every command."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.running import run
from tests.logs import dump, function, module

F, G = function("f", 1, 2), function("g", 1, 2)
BOTH = "".join(
    [
        dump("Before", "a", F),  # line 1
        dump("After", "a", F),  # line 9
        dump("Before", "a", G),  # line 17
        dump("After", "a", G),  # line 25
        dump("After", "b", module(F, G)),  # line 33
    ]
)
BEFORE_ONLY = "".join([dump("Before", "a", F), dump("Before", "b", F), dump("Before", "a", F)])
STAGES = "".join(f"MLIR Module {name}:\n{F}END OF MLIR MODULE\n" for name in "xyz")


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "two words.log"
    path.write_text(BOTH)
    return path


def lines(*args: str | Path) -> list[int]:
    """The lines of the dumps that ``check`` audits."""
    return [one["line"] for one in json.loads(run("check", *args, "--format", "json").stdout)["dumps"]]


def compared(*args: str | Path) -> list[int]:
    """The lines of the dumps that ``diff`` compares."""
    return [one["line"] for one in json.loads(run("diff", *args, "--format", "json").stdout)["dumps"]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", [1, 9, 17, 25, 33]),
        ("--dump 1", [1]),
        ("--dump first", [1]),
        ("--dump 4", [25]),
        ("--dump last", [33]),
        ("--dump @g", [17, 25]),
        ("--dump :25", [25]),
        ("--dump :28", [25]),
        ("--pass a", [1, 9, 17, 25]),
        ("--pass a --dump 1", [9]),
        ("--pass a --dump 2", [25]),
        ("--pass a --dump last", [25]),
        ("--pass a --dump @g", [25]),
        ("--pass a --dump :17", [17]),
        ("--pass A --dump 2", [25]),
        ("--pass b --dump 1", [33]),
    ],
)
def test_the_chosen_dumps(log: Path, options: str, expected: list[int]) -> None:
    assert lines(log, *shlex.split(options)) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--dump 2", [1, 9]),
        ("--dump 3", [9, 17]),
        ("--dump last", [25, 33]),
        ("--dump :25", [17, 25]),
        ("--dump :17", [9, 17]),
        ("--pass a --dump 1", [1, 9]),
        ("--pass a --dump 2", [17, 25]),
        ("--pass a --dump @g", [17, 25]),
        ("--pass a --dump :25", [17, 25]),
        ("--pass b", [25, 33]),
        ("--dump @g", [17, 25]),
    ],
)
def test_diff_compares_the_chosen_dump_with_the_one_before(
    log: Path, options: str, expected: list[int]
) -> None:
    assert compared(log, *shlex.split(options)) == expected


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (BEFORE_ONLY, "--pass a --dump 2", [17]),
        (STAGES, "--pass y", [8]),
        (STAGES, "--dump 2", [8]),
        (STAGES, "--dump @f", [1, 8, 15]),
    ],
)
def test_other_logs(log: Path, text: str, options: str, expected: list[int]) -> None:
    log.write_text(text)
    assert lines(log, *shlex.split(options)) == expected


@pytest.mark.parametrize(
    ("end", "expected"),
    [("4", [25]), ("first", [1]), ("last", [33]), ("@g", [17, 25]), (":25", [25]), (":28", [25])],
)
def test_the_end_of_a_path_chooses_as_dump_does(log: Path, end: str, expected: list[int]) -> None:
    assert lines(f"{log}:{end}") == expected


def test_two_dumps_of_a_log(log: Path) -> None:
    assert compared(f"{log}:2", f"{log}:last") == [9, 33]
    assert compared(f"{log}:4") == [17, 25]
    assert lines(f"{log}:2", f"{log}:4") == [9, 25]
    assert compared(f"{log}:1", f"{log}:2", "--pass", "a") == [9, 25]
    assert compared(f"{log}:1", log, "--dump", "5") == [1, 33]


def test_a_file_whose_name_ends_in_a_number_wins(log: Path) -> None:
    Path("two words.log:2").write_text(F)
    assert lines("two words.log:2") == [1]
    assert lines("two words.log:2:1") == [1]


def test_what_chooses_no_dump_is_a_part_of_the_name(log: Path) -> None:
    assert (
        run("check", f"{log}:0").stderr.decode()
        == f"{log}:0: error: cannot read: No such file or directory\n"
    )
    assert run("check", "none:3").stderr.decode() == "none:3: error: cannot read: No such file or directory\n"


@pytest.mark.parametrize("command", ["normalize", "graph", "show", "fix"])
def test_every_command_that_reads_one_dump_takes_the_end_of_a_path(log: Path, command: str) -> None:
    assert run(command, f"{log}:2").stdout == run(command, log, "--dump", "2").stdout != b""


def test_fix_changes_only_the_dump_of_the_path(log: Path) -> None:
    shuffled = function("f", 2, 1)
    log.write_text(dump("After", "a", shuffled) + dump("After", "b", shuffled))
    run("fix", "-i", f"{log}:2")
    assert log.read_text().startswith(dump("After", "a", shuffled))
    assert [run("check", f"{log}:{number}").returncode for number in (1, 2)] == [1, 0]


def test_fix_changes_one_dump_of_a_file(log: Path) -> None:
    done = run("fix", "--check", f"{log}:2", f"{log}:3")
    message = f"'{log}:2' and '{log}:3' are in one file: fix one dump of it at a time"
    assert (done.returncode, message in done.stderr.decode()) == (2, True)


def test_the_end_of_a_path_and_a_number(log: Path) -> None:
    done = run("show", f"{log}:2", "--dump", "3")
    message = f"--dump cannot be used with '{log}:2', which chooses a dump"
    assert (done.returncode, message in done.stderr.decode()) == (2, True)


def test_an_error_names_the_last_dump_in_place_of_the_one_typed(log: Path) -> None:
    error = run("diff", f"{log.name}:1", f"{log.name}:9").stderr.decode()
    assert error.startswith(f"{log.name}: error: there is no dump 9: there are 5 dumps\n")
    assert error.endswith("  eio-audit diff 'two words.log:1' 'two words.log:last'  # takes the last dump\n")


def test_of_one_function_the_last_dump_of_the_same_function_is_before(log: Path) -> None:
    log.write_text("".join(dump("After", name, text) for name in "ab" for text in (F, G)))
    assert compared(log, "--pass", "b", "--dump", "@f") == [1, 17]


@pytest.mark.parametrize("command", ["normalize", "explain", "graph", "fix"])
def test_a_pass_with_one_dump_after_it_needs_no_number(log: Path, command: str) -> None:
    log.write_text(dump("Before", "a", F) + dump("After", "a", F) + dump("After", "b", F))
    op = ["%0"] if command == "explain" else []
    done = run(command, log, *op, "--pass", "a")
    assert (done.returncode, done.stderr[:20] if command != "fix" else b"") == (0, b"")


@pytest.mark.parametrize(
    ("name", "value"), [("g", '@"g"'), ('"a b"', "@a b"), ('"a b"', '@"a b"'), ('"g"', "@g")]
)
def test_a_name_with_or_without_quotes(log: Path, name: str, value: str) -> None:
    log.write_text(dump("After", "a", F) + dump("After", "a", G.replace("@g", f"@{name}")))
    assert lines(log, "--dump", value) == [9]


@pytest.mark.parametrize("text", ["", "0", "-1", ":", ":0", "@", "1.5", "٣", "main", "::1", "1234567890"])
def test_other_values(log: Path, text: str) -> None:
    done = run("check", log, f"--dump={text}")
    message = f"{text!r} is not a number from 1, 'first', 'last', @NAME or :LINE"
    assert (done.returncode, message in done.stderr.decode()) == (2, True)


TABLE = """
  N  line  pass      function
  1     1  before a  @f
  2     9  after a   @f
  3    17  before a  @g
  4    25  after a   @g
  5    33  after b
"""
RUNS = """
  N  line  pass     function
  1     9  after a  @f
  2    25  after a  @g
"""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "check 'two words.log' --dump 6",
            "there is no --dump 6: there are 5 dumps"
            f"{TABLE}next:\n  eio-audit check 'two words.log' --dump last  # takes the last dump",
        ),
        (
            "check 'two words.log' --pass a --dump 3",
            "a ran 2 times; there is no --dump 3"
            f"{RUNS}next:\n  eio-audit check 'two words.log' --pass a --dump last  # takes the last dump",
        ),
        (
            "check 'two words.log' --pass b --dump 3",
            "b ran once; there is no --dump 3\n"
            "next:\n  eio-audit check 'two words.log' --pass b --dump last  # takes the last dump",
        ),
        (
            "check 'two words.log' --dump :99",
            f"line 99 is in no dump{TABLE}next:\n  eio-audit check 'two words.log' --dump last  # takes the last dump",
        ),
        (
            "diff 'two words.log' --dump @h",
            f"no dump shows only @h{TABLE}next:\n  eio-audit diff 'two words.log' --dump last  # takes the last dump",
        ),
        (
            "graph 'two words.log'",
            "there are 5 dumps: choose one with --pass and --dump, or give a line of the log"
            f"{TABLE}next:\n  eio-audit graph 'two words.log' --dump 5  # takes the last dump",
        ),
        (
            "graph 'two words.log' --pass a",
            "there are 2 dumps: choose one with --dump, or give a line of the log"
            f"{RUNS}next:\n  eio-audit graph 'two words.log' --pass a --dump 2  # takes the last dump",
        ),
        (
            "explain 'two words.log' %0 --dump @g",
            "there are 2 dumps: choose one with --pass and --dump, or give a line of the log\n"
            "  N  line  pass      function\n  3    17  before a  @g\n  4    25  after a   @g\n"
            "next:\n  eio-audit explain 'two words.log' %0 --dump 4  # takes the last dump",
        ),
    ],
)
def test_an_error_lists_the_dumps_and_ends_with_a_command(log: Path, words: str, message: str) -> None:
    done = run(*shlex.split(words))
    assert (done.returncode, done.stderr.decode()) == (2, f"{log.name}: error: {message}\n")


@pytest.mark.parametrize("command", ["check", "fix --check"])
def test_the_errors_of_several_files_are_one_line_each(log: Path, command: str) -> None:
    Path("one.mlir").write_text(F)
    errors = run(*command.split(), log.name, "one.mlir", "--dump", "6").stderr.decode().splitlines()
    assert errors[:2] == [
        "two words.log: error: there is no --dump 6: there are 5 dumps",
        "one.mlir: error: there is no --dump 6: there is 1 dump",
    ]


def test_a_long_list_is_cut(log: Path) -> None:
    log.write_text("".join(dump("After", f"p{n}", F) for n in range(30)))
    listed = run("graph", log).stderr.decode().splitlines()[2:-2]
    numbers = [*map(str, range(1, 17)), "...", "28", "29", "30"]
    assert [row.split()[0] for row in listed] == numbers
    assert listed[16] == "  ... 11 more"


def test_beside_a_log_a_file_with_one_dump_needs_no_choice(log: Path) -> None:
    Path("after.mlir").write_text(F)
    assert compared(log, "after.mlir", "--dump", "2") == [9, 1]
    assert compared("after.mlir", log, "--pass", "a", "--dump", "@g") == [1, 25]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["Before", "After"]),
        st.sampled_from(["a", "b", "c d"]),
        st.sampled_from([F, G, function("f", 2, 1), module(F, G), module(G)]),
    ),
    min_size=1,
    max_size=14,
)


def commands(text: str) -> list[list[str]]:
    return [shlex.split(found, comments=True) for found in re.findall(r"eio-audit (.*)", text)]


@given(STEPS, st.sampled_from(["", "--pass a", "--pass 'c d'", "--dump @f", "--dump 99", "--dump :9999"]))
@settings(
    max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@pytest.mark.parametrize("command", ["diff LOG", "normalize LOG", "explain LOG '#1'", "graph LOG"])
def test_every_command_of_an_error_runs(
    command: str, log: Path, steps: list[tuple[str, str, str]], options: str
) -> None:
    log.write_text("".join(dump(*step) for step in steps))
    done = run(*(log.name if word == "LOG" else word for word in shlex.split(command)), *shlex.split(options))
    if done.returncode != 2:
        return
    for words in commands(done.stderr.decode()):
        if words[0] != "trace":
            again = run(*words).stderr.decode()
            assert not again or ("no earlier dump" in again and len(steps) == 1), (words, again)


@given(STEPS, st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_number_means_the_same_dump_everywhere(
    log: Path, steps: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    log.write_text("".join(dump(*step) for step in steps))
    every = lines(log)
    number = data.draw(st.integers(2, len(steps))) if len(steps) > 1 else 1
    assert lines(log, "--dump", str(number)) == [every[number - 1]]
    assert lines(log, "--dump", f":{every[number - 1]}") == [every[number - 1]]
    if number > 1:
        assert compared(log, "--dump", str(number))[1] == every[number - 1]
    after = [
        line for line, (when, name, _) in zip(every, steps, strict=True) if (when, name) == ("After", "a")
    ]
    for n, line in enumerate(after, 1):
        assert lines(log, "--pass", "a", "--dump", str(n)) == [line]
        if line != every[0]:
            assert compared(log, "--pass", "a", "--dump", str(n))[1] == line


def ops(*names: str) -> str:
    return "\n".join(
        ["func.func @f() {", *(f'  "t.{name}"() : () -> ()' for name in names), "  return", "}", ""]
    )


RUNS = "".join(
    [
        dump("After", "a", ops("x", "y")),  # line 1, with nothing before it
        dump("After", "b", ops("x", "y")),  # line 9
        dump("After", "a", ops("x", "y", "z")),  # line 17
        dump("After", "c d", ops("u")),  # line 26
        dump("After", "a", ops("u")),  # line 33
    ]
)


def test_diff_of_a_log_offers_the_dumps_that_can_be_compared(log: Path) -> None:
    log.write_text(RUNS)
    assert run("diff", log.name).stderr.decode() == (
        "two words.log: error: there are 4 dumps after a pass: choose one with --pass and --dump\n"
        "  N  line  pass       function\n"
        "  2     9  after b    @f\n"
        "  3    17  after a    @f\n"
        "  4    26  after c d  @f\n"
        "  5    33  after a    @f\n"
        "next:\n"
        "  eio-audit diff 'two words.log' --dump 5  # takes the last dump\n"
        "  eio-audit trace 'two words.log'  # shows what each pass did\n"
    )


def test_diff_of_a_pass_offers_its_runs(log: Path) -> None:
    log.write_text(RUNS)
    assert run("diff", log.name, "--pass", "a").stderr.decode() == (
        "two words.log: error: there are 2 dumps after pass 'a': choose one with --dump\n"
        "  N  line  pass     function\n"
        "  2    17  after a  @f\n"
        "  3    33  after a  @f\n"
        "next:\n"
        "  eio-audit diff 'two words.log' --pass a --dump 3  # takes the last dump\n"
        "  eio-audit trace 'two words.log'  # shows what each pass did\n"
    )


def test_of_two_runs_the_only_one_with_a_dump_before_it_is_compared(log: Path) -> None:
    log.write_text("".join(dump("After", "a", ops(*names)) for names in ("x", "xy")))
    for options in ((), ("--pass", "a")):
        done = run("diff", log.name, *options)
        assert (done.stderr, done.stdout.splitlines()[0]) == (b"", b"different: 1 added")


def test_two_first_dumps_cannot_be_compared(log: Path) -> None:
    log.write_text("".join(f"// -----\n{dump('After', 'a', F)}" for _ in range(2)))
    done = run("diff", log.name)
    message = "there is no earlier dump to compare with: print the log with --mlir-print-ir-before-all"
    assert done.stderr.decode() == f"two words.log: error: {message}\n"
