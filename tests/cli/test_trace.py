import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import SAMPLES, run, run_on_terminal, run_process
from tests.logs import dump, function
from tests.report.pages import Page, column

LOG = SAMPLES / "resnet" / "all_passes_alias.log"
SMALL_LOG = SAMPLES / "small" / "all_passes_alias.log"


def test_a_log_as_text() -> None:
    done = run("trace", LOG)
    assert done.returncode == 1
    lines = done.stdout.decode().replace(str(LOG), "LOG").splitlines()
    assert lines[:5] == [
        "left at the end: 602 inversions: 581 of wrong indices, 21 out of place",
        "ttir-erase-inverse-ops (LOG:4628) left 602: #56 ttir.permute %86 (line 6654), "
        "#34 ttir.permute %29 (line 6597), #56 ttir.permute %89 (line 6657), ...",
        "  what to change: 39 permutes carry the index of a later op. With the index of the op that each was "
        "made for, 602 inversions would become 3",
        "LOG",
        "  6654:5 EIO003 #56 ttir.permute %86 should carry #33 (of ttir.multiply %87, line 6655): "
        "in 56 inversions, fix --relabel corrects it "
        "(Conv2d[net.stages.2.blocks.0.shortcut.conv], /proj/model.py:61)",
    ]
    assert "\n".join(lines[14:]) == (
        """\
... and 52 more (-v)

LOG
  line  pass                          +added  -removed  ~modified  made  left
   434  canonicalize                                 6          4
        ... 2 changed nothing
  2588  ttir-flatten-sliding-window       46                   45    33
  3612  ttir-explicate-tms                           3          2
  4628  ttir-erase-inverse-ops            46        84        135   789   602
  5606  ttir-implicit-broadcast-fold                44         44
        ... 1 changed nothing

failed: 42 wrong indices and 21 inversions out of place left at the end of 8 passes
next:
  eio-audit bisect --pass ttir-erase-inverse-ops -- COMPILER ARGS  # which of its patterns, on which op
  eio-audit diff LOG --pass ttir-erase-inverse-ops --dump 1  # shows what the pass did
  eio-audit fix --relabel --diff --dump last LOG  # corrects wrong indices"""
    )


def test_a_log_as_json() -> None:
    done = run("trace", LOG, "--format", "json")
    document = json.loads(done.stdout)
    figures = (
        "schema",
        "command",
        "culprit",
        "culprit_index",
        "initial",
        "initial_left",
        "partial",
        "errors",
    )
    assert {key: document[key] for key in figures} == {
        "schema": "eio-audit/1",
        "command": "trace",
        "culprit": "ttir-erase-inverse-ops",
        "culprit_index": 5,
        "initial": 0,
        "initial_left": 0,
        "partial": False,
        "errors": [],
    }
    classes = {
        "out_of_place": 21,
        "wrong_index": 581,
        **dict.fromkeys(("reversed_dependence", "hoisted_constant", "split", "terminator"), 0),
        **dict.fromkeys(("of_a_region_op", "serving", "left_a_region", "copy"), 0),
    }
    assert document["left_classes"] == classes
    row = document["passes"][5]
    del row["source"]
    changes = row.pop("op_changes")
    assert changes.pop("by_name")["ttir.add"] == {
        "added": 0,
        "removed": 0,
        "modified": 28,
        "moved": 0,
        "unlocated": 0,
    }
    assert changes == {
        "added": 46,
        "removed": 84,
        "modified": 135,
        "moved": 0,
        "unlocated": 0,
        "functions": ["@forward"],
    }
    assert (row.pop("ops"), row.pop("seconds"), row.pop("timed_runs")) == (236, None, 0)
    assert (row.pop("faults"), row.pop("errors"), row.pop("unread")) == ([], [], None)
    worst, *others = row.pop("left_ops")
    assert (worst["op"], worst["index"], worst["line"], worst["pairs"], len(others)) == (
        "ttir.permute",
        56,
        6654,
        56,
        9,
    )
    advice = row.pop("advice")
    [change] = advice["best"]["changes"]
    assert (change["kind"], change["pattern"], len(change["ops"])) == ("location", None, 39)
    assert (advice["now"], advice["best"]["inversions"], advice["best"]["left"]) == (789, 3, 3)
    assert change["sentence"].endswith("602 inversions would become 3")
    assert row == {
        "pass": "ttir-erase-inverse-ops",
        "index": 5,
        "function": None,
        "program": "",
        "line": 4628,
        "failed": False,
        "changed": True,
        "blocks": 1,
        "judged_ops": 234,
        "indexed": 233,
        "inversions": 789,
        "forced": 388,
        "minimum": 767,
        "lower_bound": 767,
        "avoidable": 22,
        "avoidable_constants": 0,
        "avoidable_splits": 0,
        "avoidable_others": 22,
        "knock_on": 379,
        "displaced": 42,
        "derived": 40,
        "inherited": 786,
        "constants": 0,
        "at_constants": 0,
        "followed": 0,
        "wrong_indices": 42,
        "wrong_by_passes": 42,
        "wrong_ahead": 0,
        "reversed_dependences": 0,
        "not_comparable": {},
        "wrong_certified": True,
        "certified": True,
        "made": 789,
        "multiplied": 0,
        "undone": 0,
        "left": 602,
        "left_shuffled": 602,
        "left_classes": classes,
        "left_ahead": 0,
        "mislabelled": 42,
        "lost": 0,
    }
    left = document["left"]
    assert (left[0]["code"], left[0]["line"], left[0]["dump_line"], left[0]["left"]) == (
        "EIO003",
        6654,
        6496,
        True,
    )
    assert {(one["pass"], one["made_in"]["source"], one["made_in"]["line"]) for one in left} == {
        ("ttir-erase-inverse-ops", str(LOG), 4628)
    }
    final = document["final"]
    assert (final["inversions"], final["avoidable"], "dumps" in final) == (602, 21, False)


def test_verbose_shows_every_pass() -> None:
    done = run("trace", LOG, "--verbose")
    assert b"passes changed nothing" not in done.stdout
    assert done.stdout.count(b" EIO003 ") == 42
    assert b"1744  inline (no change)" in done.stdout


def test_standard_input_is_a_log_like_any_other() -> None:
    from_file, from_stdin = run("trace", SMALL_LOG), run("trace", "-", stdin=SMALL_LOG.read_bytes())
    report, _, steps = from_file.stdout.decode().partition("next:\n")
    assert from_stdin.stdout.decode().replace("<stdin>", str(SMALL_LOG)) == report
    assert len(steps.splitlines()) == 3


def test_a_tree_of_dumps() -> None:
    document = json.loads(run("trace", SAMPLES / "small" / "tree", "--format", "json").stdout)
    passes = [(p["pass"], p["function"], p["changed"], p["inversions"]) for p in document["passes"]]
    assert passes == [
        ("canonicalize", None, False, 0),
        ("canonicalize", "@forward", False, 0),
        ("inline", None, False, 0),
        ("ttir-flatten-sliding-window", None, True, 0),
        ("ttir-explicate-tms", None, False, 0),
        ("ttir-erase-inverse-ops", None, True, 18),
        ("ttir-implicit-broadcast-fold", None, False, 18),
        ("cse", None, False, 18),
    ]
    assert document["culprit"] == "ttir-erase-inverse-ops"


def test_the_folder_of_a_tree_is_named_once() -> None:
    done = run("trace", SAMPLES / "small" / "tree").stdout.decode().replace(str(SAMPLES), "SAMPLES")
    table = done.partition("\n\n")[2].splitlines()
    assert table[:4] == [
        "SAMPLES/small/tree/builtin_module_no-symbol-name",
        "  pass                         +added  -removed  ~modified  made  left  dump",
        "  ... 3 changed nothing",
        "  ttir-flatten-sliding-window       4                    4              "
        "5_ttir-flatten-sliding-window.mlir:1",
    ]


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        (("m/x/before-p.mlir", "m/x/after-p.mlir", "m/y/before-p.mlir", "m/y/after-p.mlir"),
         ["after-p.mlir:1", "after-p.mlir:1"]),
        (("m/x/1_a.mlir", "m/y/1_a.mlir"), ["1_a.mlir:1", "1_a.mlir:1"]),
    ],
)  # fmt: skip
def test_the_folder_of_a_program_is_named_once(
    tmp_path: Path, files: tuple[str, ...], shown: list[str]
) -> None:
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SAMPLES / "small" / "source.mlir", tmp_path / file)
    rows = run("trace", tmp_path, "--verbose").stdout.decode().splitlines()
    assert rows[2] == str(tmp_path / "m")
    assert [row.split()[-1] for row in rows[4 : 4 + len(shown)]] == shown


def test_files_are_stages_in_the_order_given() -> None:
    stages = [SAMPLES / "resnet" / f"{name}.mlir" for name in ("source", "before_alias", "after_inline")]
    document = json.loads(run("trace", *stages, "--format", "json").stdout)
    assert [(p["pass"], p["made"]) for p in document["passes"]] == [
        ("source.mlir", 0),
        ("before_alias.mlir", 0),
        ("after_inline.mlir", 789),
    ]
    assert document["culprit"] == "after_inline.mlir"


def test_numbered_folders(tmp_path: Path) -> None:
    for number, name in enumerate(("source", "before_alias", "after_alias")):
        shutil.copy(SAMPLES / "resnet" / f"{name}.mlir", tmp_path / f"{number + 9}_P{name}.mlir")
    document = json.loads(run("trace", tmp_path, "--format", "json").stdout)
    assert [p["pass"] for p in document["passes"]] == ["Psource", "Pbefore_alias", "Pafter_alias"]
    assert document["culprit"] == "Pafter_alias"
    chosen = json.loads(run("check", tmp_path, "--pass", "Pafter_alias", "--format", "json").stdout)
    assert [dump["pass"] for dump in chosen["dumps"]] == ["Pafter_alias"]


@pytest.mark.parametrize(
    "paths",
    [
        [LOG],
        [SAMPLES / "resnet" / "before_alias.mlir", SAMPLES / "resnet" / "after_alias.mlir"],
    ],
)
def test_what_to_type_next_runs(paths: list[Path]) -> None:
    steps = next_commands(run("trace", *paths).stdout)
    compare, *cures = (step for step in steps if step[0] != "bisect")
    done = run(*compare)
    assert (done.returncode, done.stderr, b" -> 22 avoidable" in done.stdout) == (1, b"", True)
    assert cures
    assert all(run(*command).stdout.startswith(f"--- {paths[-1]}".encode()) for command in cures)


def test_what_to_type_next_has_the_options() -> None:
    bisect, compare, relabel = next_commands(run("trace", LOG, "--follow", "constants").stdout)
    assert bisect[3:5] == ["--config", "follow=constants"]
    assert compare[1:3] == ["--follow", "constants"]
    assert relabel[3:7] == ["--dump", "last", "--follow", "constants"]


def next_commands(report: bytes) -> list[list[str]]:
    """The arguments of the commands below the verdict."""
    steps = report.decode().partition("\nnext:\n")[2].splitlines()
    return [shlex.split(step, comments=True)[1:] for step in steps]


@pytest.mark.parametrize(
    ("said", "compiler"),
    [
        ("", ["COMPILER", "ARGS"]),
        ("1.\tProgram arguments: my-opt --erase in.mlir\n", ["my-opt", "--erase", "in.mlir"]),
        (
            "Pass Manager with 1 passes:\nbuiltin.module(erase{x=1})\n\n",
            ["COMPILER", "--pass-pipeline=builtin.module(erase{x=1})", "INPUT"],
        ),
        (
            '{-#\n  external_resources: {\n    mlir_reproducer: {\n      pipeline: "builtin.module(erase)",\n'
            "      disable_threading: true\n    }\n  }\n#-}\n",
            ["COMPILER", "--pass-pipeline=builtin.module(erase)", "INPUT"],
        ),
    ],
)
def test_the_next_command_bisects_the_compiler_that_the_log_tells(
    said: str, compiler: list[str], tmp_path: Path
) -> None:
    log = tmp_path / "passes.log"
    dumps = dump("Before", "erase", function("f", 1, 2)) + dump("After", "erase", function("f", 2, 1))
    log.write_text(dumps + said if said.startswith("{-#") else said + dumps)
    bisect, *_ = next_commands(run("trace", log).stdout)
    assert bisect == ["bisect", "--pass", "erase", "--", *compiler]


def test_without_a_dump_right_before_the_pass_diff_compares_with_the_one_before(tmp_path: Path) -> None:
    log = tmp_path / "after only.log"
    marker = "// -----// IR Dump "
    sections = LOG.read_text().split(marker)
    log.write_text("".join(marker + section for section in sections if section.startswith("After")))
    _, compare, *_ = next_commands(run("trace", log).stdout)
    assert compare == ["diff", str(log), "--pass", "ttir-erase-inverse-ops", "--dump", "1"]
    assert b" -> 789 inversions" in run(*compare).stdout


def test_where_no_dump_is_after_the_pass_its_worst_op_is_explained(tmp_path: Path) -> None:
    log = tmp_path / "before only.log"
    orders = {"a": (1, 2), "b": (2, 1), "c": (2, 1)}
    log.write_text("".join(dump("Before", name, function("f", *order)) for name, order in orders.items()))
    _, explain, *_ = next_commands(run("trace", log).stdout)
    assert explain == ["explain", str(log), "19"]
    assert b"#2 ttir.add %0" in run(*explain).stdout


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [("shuffled", 1), ("out-of-place", 0), ("any", 1), ("never", 0)],
)
def test_fail_on(fail_on: str, code: int) -> None:
    assert run("trace", SAMPLES / "small" / "tree", "--fail-on", fail_on).returncode == code


@pytest.mark.parametrize("fail_on", ["shuffled", "any"])
def test_what_was_repaired_does_not_fail(fail_on: str, tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text("".join(LOG.read_text().splitlines(keepends=True)[2165:4119]))
    done = run("trace", log, "--fail-on", fail_on)
    first, *_, last = done.stdout.decode().splitlines()
    assert (done.returncode, first, last) == (
        0,
        "left at the end: nothing",
        "passed: no avoidable inversion left at the end of 2 passes",
    )


@pytest.mark.parametrize(
    ("name", "code"), [("ttir-erase-inverse-ops", 1), ("ttir-flatten-sliding-window", 0), ("canonicalize", 0)]
)
def test_what_a_pass_introduced_and_left(name: str, code: int) -> None:
    done = run("trace", LOG, "--pass", name, "--fail-on", "introduced")
    said = "602 inversions" if code else "no inversion"
    assert f": {said} introduced by the chosen passes" in done.stdout.decode()
    assert done.returncode == code


def test_what_is_introduced_is_of_chosen_passes() -> None:
    done = run("trace", SMALL_LOG, "--fail-on", "introduced")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.endswith(b"Error: --fail-on introduced requires --pass NAME\n")


def test_a_broken_dump_does_not_hide_the_others(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(
        LOG.read_bytes().replace(b"module @resnet", b"module @resnet )", 1).replace(b"{\n", b"{{\n", 1)
    )
    done = run("trace", log)
    assert done.returncode == 2
    assert b": error: " in done.stderr
    assert b" dumps unreadable; 42 wrong indices and 21 inversions " in done.stdout
    assert b": 602 inversions: " in done.stdout


def test_a_file_that_is_not_there_does_not_hide_the_others() -> None:
    done = run("trace", SMALL_LOG, "no/such.log")
    assert done.returncode == 2
    assert done.stderr == b"no/such.log: error: cannot read: No such file or directory\n"
    assert b": 18 inversions: " in done.stdout


def test_a_pipe_is_a_file() -> None:
    assert (
        b"\n/dev/stdin\n  line  pass"
        in run_process("trace", "/dev/stdin", stdin=SMALL_LOG.read_bytes()).stdout
    )


def test_a_name_that_is_no_utf_8_can_be_written(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"\xff.mlir")
    odd.write_bytes(b'"t.a"() : () -> () loc("1|a")\n')
    for command in (("trace", odd, odd), ("diff", odd, odd), ("explain", odd, "#1")):
        done = run(*command, "--format", "json")
        assert (done.returncode, b"\\udcff.mlir" in done.stdout) == (0, True)


def test_without_indices_the_order_is_not_judged() -> None:
    done = run("trace", "-", stdin=b'module {\n  "t.a"() : () -> ()\n}\n')
    assert (done.returncode, done.stdout.decode()) == (
        0,
        "order not judged: no op carries an op index, and no marker names a pass: trace a log of "
        "--mlir-print-ir-after-all, or compare two dumps with diff\n",
    )


def test_without_indices_a_gate_that_is_asked_for_is_an_error() -> None:
    done = run("trace", "-", "--fail-on", "any", stdin=b'module {\n  "t.a"() : () -> ()\n}\n')
    assert done.returncode == 2
    assert done.stderr.startswith(b"<stdin>: error: no op carries an op index")


UNINDEXED = """\
// -----// IR Dump After A (a) //----- //
module {
  func.func @f(%x: i32) {
    %a = t.a %x : i32
    %b = t.b %a : i32
    return
  }
  func.func @g(%x: i32) {
    %a = t.a %x : i32
    return
  }
}
// -----// IR Dump After B (b) //----- //
func.func @f(%x: i32) {
  %0 = t.a %x : i32
  %1 = t.c %0 : i32
  %2 = t.b %0 : i32
  return
}
// -----// IR Dump After C (c) //----- //
func.func @g(%x: i32) {
  %0 = t.a %x : i32
  return
}
// -----// IR Dump After D (d) //----- //
module {
  func.func @f(%x: i32) {
    %0 = t.a %x : i32
    %1 = t.b %0 {k = 1 : i32} : i32
    return
  }
}
"""


def test_without_indices_each_row_has_what_the_pass_did_to_the_ops(tmp_path: Path) -> None:
    log = tmp_path / "LOG"
    log.write_text(UNINDEXED)
    done = run("trace", log)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (
        done.stdout.decode().replace(str(log), "LOG")
        == """\
LOG
  line  pass                   +added  -removed  ~modified
     1  a (first dump)
    13  b                           1
        ... 1 changed nothing
    25  d                                     4          1

order not judged: no op carries an op index; 2 of 3 passes changed ops; 1 was not compared (the first dump: print with --mlir-print-ir-before-all)
next:
  eio-audit diff LOG --pass d --dump 1  # shows the pass that changed most
  eio-audit trace LOG --format html -o passes.html  # writes a page of all passes
"""
    )


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (["--pass", "b"], ["13"]),
        (["--pass", "?"], ["1", "13", "25"]),
        (["--function", "g"], ["25"]),
        (["--changed-op", "t.c"], ["13", "25"]),
        (["--changed-op", "func.*"], ["25"]),
        (["--grep", "k = 1"], ["25"]),
        (["--grep", "t[.]c", "--pass", "b"], ["13"]),
    ],
)
def test_options_choose_rows(tmp_path: Path, options: list[str], lines: list[str]) -> None:
    log = tmp_path / "LOG"
    log.write_text(UNINDEXED)
    done = run("trace", log, *options)
    rows = [line.split()[0] for line in done.stdout.decode().splitlines()[2:] if line[:3] == "   "]
    assert [row for row in rows if row.isdigit()] == lines


def test_options_choose_the_passes_of_json(tmp_path: Path) -> None:
    log = tmp_path / "LOG"
    log.write_text(UNINDEXED)
    document = json.loads(run("trace", log, "--changed-op", "t.c", "--format", "json").stdout)
    assert [(one["pass"], one["index"]) for one in document["passes"]] == [("b", 1), ("d", 3)]
    assert document["chosen"] == {"passes": 2, "of": 4}


def test_json_has_no_choice_without_options(tmp_path: Path) -> None:
    log = tmp_path / "LOG"
    log.write_text(UNINDEXED)
    assert json.loads(run("trace", log, "--format", "json").stdout)["chosen"] is None


def test_the_page_of_several_models_lists_the_chosen_passes(tmp_path: Path) -> None:
    for model in ("one", "two"):
        (tmp_path / f"{model}.log").write_text(UNINDEXED)
    page = Page(run("trace", tmp_path, "--grep", "k = 1", "--format", "html").stdout.decode())
    assert column(page.islands["chosen-rows"], "pass") == ["d", "d"]
    assert "2 of 8 passes chosen" in page.words


def test_a_text_without_ops_has_nothing_to_trace() -> None:
    done = run("trace", "-", stdin=b"// nothing\nmodule {\n}\n")
    assert (done.returncode, done.stdout) == (0, b"passed: no op to check\n")


def test_dumps_without_an_index_are_counted() -> None:
    text = dump("After", "a", function("f", 1, 2)) + dump("After", "b", function("f", None, None))
    done = run("trace", "-", stdin=text.encode())
    said = (
        "no avoidable inversion left at the end of 2 passes; 1 was not compared (the first dump: print with "
        "--mlir-print-ir-before-all); 1 of 2 dumps checked; 1 carries no op index\n"
    )
    assert (done.returncode, done.stdout.decode().endswith(f"passed: {said}")) == (0, True)


def test_a_pattern_that_matches_nothing_is_a_warning() -> None:
    done = run("trace", SMALL_LOG, "--config", "assume-pure=my.*")
    assert done.stderr == b"warning: --assume-pure 'my.*' matches no op of the input\n"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--fail-on", "out-of-place", "--config", "max-inversions=21"), 0),
        (("--fail-on", "out-of-place", "--config", "max-inversions=20"), 1),
        (("--config", "max-inversions=602"), 0),
        (("--config", "max-inversions=601"), 1),
    ],
)
def test_ceilings_count_what_fails(options: tuple[str, ...], code: int) -> None:
    assert run("trace", LOG, *options).returncode == code


def sampled(folder: Path, *names: str) -> Path:
    """A folder with the small sample's source, before and after under these names, in that order and again."""
    samples = ("source", "before_alias", "after_alias")
    for number, name in enumerate(names):
        shutil.copy(SAMPLES / "small" / f"{samples[number % 3]}.mlir", folder / name)
    return folder


def test_a_folder_with_a_source_a_before_and_an_after_is_one_program(tmp_path: Path) -> None:
    pass_ = "erase-inverse-ops.mlir.txt"
    folder = sampled(tmp_path, "ttir.mlir.txt", f"ttir-before-{pass_}", f"ttir-after-{pass_}")
    done = run("trace", folder)
    assert (done.returncode, done.stderr) == (1, b"")
    report = done.stdout.decode().replace(str(tmp_path), "DIR")
    assert report.partition("\n\n")[2] == (
        """\
DIR
  pass                        +added  -removed  ~modified  made  left  dump
  ttir.mlir.txt (first dump)                                           ttir.mlir.txt:1
  (before erase-inverse-ops)       4                    4              ttir-before-erase-inverse-ops.mlir.txt:1
  erase-inverse-ops                8         6          8    18    18  ttir-after-erase-inverse-ops.mlir.txt:1

failed: 6 wrong indices left at the end of 3 passes
next:
  eio-audit diff DIR/ttir-before-erase-inverse-ops.mlir.txt DIR/ttir-after-erase-inverse-ops.mlir.txt  # shows what the pass did
  eio-audit fix --relabel --diff DIR/ttir-after-erase-inverse-ops.mlir.txt  # corrects wrong indices
"""
    )


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        (
            ("source.mlir", "before.mlir", "after.mlir"),
            [("source.mlir", ""), ("before.mlir", ""), ("after.mlir", "")],
        ),
        (
            ("net.mlir", "net_before_Erase.mlir", "net_after_Erase.mlir"),
            [("net.mlir", "net"), (None, "net"), ("Erase", "net")],
        ),
        (
            ("a.mlir", "a-before-x.mlir", "a-after-x.mlir", "b.mlir", "b-before-x.mlir", "b-after-x.mlir"),
            [("a.mlir", "a"), (None, "a"), ("x", "a"), ("b.mlir", "b"), (None, "b"), ("x", "b")],
        ),
        (
            (
                "a.mlir",
                "a-before-x.mlir",
                "a-after-x.mlir",
                "a-input.mlir",
                "a-before-y.mlir",
                "a-after-y.mlir",
            ),
            [("a.mlir", "a.mlir"), ("x", "a x"), ("y", "a y"), ("a-input.mlir", "a-input.mlir")],
        ),
    ],
)
def test_each_program_of_a_folder_with_states_has_its_own_history(
    tmp_path: Path, names: tuple[str, ...], rows: list[tuple[str | None, str]]
) -> None:
    document = json.loads(run("trace", sampled(tmp_path, *names), "--format", "json").stdout)
    assert [(p["pass"], p["program"]) for p in document["passes"]] == rows


def test_a_file_beside_states_is_told_of_alone_with_a_note(tmp_path: Path) -> None:
    done = run("trace", sampled(tmp_path, "final.mlir", "a-before-x.mlir", "a-after-x.mlir"))
    assert done.stderr.decode() == (
        "note: 1 file without a pair: final.mlir; name pairs "
        "PROGRAM-before-PASS.mlir and PROGRAM-after-PASS.mlir, and their source PROGRAM.mlir\n"
    )


def test_names_that_say_the_same_are_an_error(tmp_path: Path) -> None:
    done = run("trace", sampled(tmp_path, "a.mlir", "a-before-x.mlir", "a-after-x.mlir", "a-source.mlir"))
    assert done.returncode == 2
    assert (
        b": error: files with names of the same state: a-source.mlir, a.mlir; name pairs PROGRAM-"
        in done.stderr
    )


def test_stages_named_after_passes_are_one_program_in_natural_order(tmp_path: Path) -> None:
    folder = sampled(tmp_path, "s1-input.mlir", "s2-after-flatten.mlir", "s3-after-eio.mlir")
    document = json.loads(run("trace", folder, "--format", "json").stdout)
    assert [(p["pass"], p["changed"]) for p in document["passes"]] == [
        ("s1-input.mlir", None),
        ("s2-after-flatten.mlir", True),
        ("s3-after-eio.mlir", True),
    ]


@pytest.mark.parametrize("options", [(), ("--order-from", "first")])
def test_ops_are_those_of_the_dump_whatever_the_order_is_from(options: tuple[str, ...]) -> None:
    said = run("trace", SAMPLES / "small" / "all_passes_alias.log", "--verbose", *options).stdout.decode()
    rows = [row for row in said.splitlines() if row.endswith("  ops") or row.startswith("  ")]
    table = rows[[row.endswith("  ops") for row in rows].index(True) :]
    assert [row.split()[-1] for row in table[:9]] == ["ops", "14", "13", "14", "18", "18", "20", "20", "20"]


def test_a_log_from_a_pipe_has_each_row_once_on_a_terminal() -> None:
    log = SAMPLES / "mlir_opt" / "passes.log"
    with subprocess.Popen(["cat", log], stdout=subprocess.PIPE) as cat:
        assert cat.stdout is not None
        _, shown = run_on_terminal("trace", "-", stdin=cat.stdout.fileno())
    assert [shown.count(name) for name in ("convert-elementwise-to-linalg", "convert-linalg-to-loops")] == [
        1,
        1,
    ]
    assert "\x1b[2m    128  \x1b[0m\x1b[1mconvert-linalg-to-loops\x1b[0m  +23  -6\n" in shown


def test_of_a_pass_that_ran_on_several_functions_they_are_shown() -> None:
    func = 'func.func @{0}() {{\n  %0 = "a.{1}"() : () -> i32\n  return\n}}\n'
    log = "".join(
        f"// -----// IR Dump {when} CSE (cse) //----- //\n{func.format(name, op)}"
        for name in ("f", "g")
        for when, op in (("Before", "b"), ("After", "c"))
    )
    shown = run("trace", "-", stdin=log.encode()).stdout.decode().splitlines()[1:4]
    assert [line.split() for line in shown] == [
        ["line", "pass", "+added", "-removed", "function"],
        ["6", "cse", "1", "1", "@f"],
        ["16", "cse", "1", "1", "@g"],
    ]


def test_a_log_of_states_is_not_bisected_again_and_gets_no_advice_that_gains_nothing(tmp_path: Path) -> None:
    small, recorded = SAMPLES / "small" / "before_alias.mlir", SAMPLES / "recorded" / "erase_inverse_ops.py"
    compiler = [sys.executable, recorded, "--ttir-erase-inverse-ops", small]
    states = tmp_path / "states.log"
    assert run("bisect", "-o", states, "--", *compiler).returncode == 1
    said = run("trace", states).stdout.decode()
    assert ("would become" in said, "eio-audit bisect" in said) == (False, False)
