import json
import re
import shutil
from pathlib import Path

import pytest

from eio_audit.audit.check.check import audit_keyed
from eio_audit.mlir.semantics.functions import functions_around
from tests.audit.counting import counting
from tests.cli.running import SAMPLES, pipe_of, run

BEFORE = SAMPLES / "resnet" / "before_inline.mlir"
AFTER = SAMPLES / "resnet" / "after_alias.mlir"
LOG = SAMPLES / "resnet" / "all_passes_alias.log"


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        (
            "before_inline",
            "before_alias",
            {"unchanged": 274, "moved": 0, "modified": 0, "added": 0, "removed": 0},
        ),
        (
            "before_inline",
            "after_alias",
            {"unchanged": 55, "moved": 0, "modified": 135, "added": 46, "removed": 84},
        ),
    ],
)
def test_json(before: str, after: str, counts: dict[str, int]) -> None:
    result = run(
        "diff", *(SAMPLES / "resnet" / f"{name}.mlir" for name in (before, after)), "--format", "json"
    )
    document = json.loads(result.stdout)
    assert (document["schema"], document["command"], document["ops"]) == ("eio-audit/1", "diff", counts)
    assert document["before"]["inversions"] == 0
    assert {name: len(changes) for name, changes in document["changes"].items()} == {
        name: count for name, count in counts.items() if name != "unchanged"
    }


@pytest.mark.parametrize(
    ("before", "after", "options", "code"),
    [
        (BEFORE, BEFORE, (), 0),
        (BEFORE, AFTER, (), 1),
        (AFTER, BEFORE, (), 1),
        (BEFORE, AFTER.with_name("no.mlir"), (), 2),
        (BEFORE, AFTER, ("--fail-on", "out-of-place"), 1),
        (AFTER, BEFORE, ("--fail-on", "shuffled"), 0),
        (AFTER, AFTER, ("--fail-on", "shuffled"), 1),
        (BEFORE, AFTER, ("--fail-on", "never"), 0),
    ],
)
def test_the_exit_code_is_that_of_a_diff_unless_a_gate_is_asked_for(
    before: Path, after: Path, options: tuple[str, ...], code: int
) -> None:
    assert run("diff", before, after, *options).returncode == code


def test_the_verdict_is_the_first_line() -> None:
    assert run("diff", BEFORE, AFTER).stdout.startswith(b"different: 135 modified, 46 added, 84 removed\n")


def test_a_pass_of_one_log_is_the_pair_of_its_dumps() -> None:
    options = ("--pass", "ttir-erase-inverse-ops", "--format", "json")
    from_log = json.loads(run("diff", LOG, *options).stdout)
    from_files = json.loads(
        run("diff", SAMPLES / "resnet" / "before_alias.mlir", AFTER, "--format", "json").stdout
    )
    assert from_log["ops"] == from_files["ops"]
    assert (from_log["before"], from_log["after"]) == (from_files["before"], from_files["after"])


TWO_PASSES = """// -----// IR Dump Before A (a) //----- //
module {}
// -----// IR Dump After A (a) //----- //
module {}
// -----// IR Dump After A (a) //----- //
module {}
// -----// IR Dump After B (b) //----- //
module {}
"""
LISTED = """\
there are 3 dumps after a pass: choose one with --pass and --dump
  N  line  pass
  2     3  after a
  3     5  after a
  4     7  after b"""
OUT_OF_RANGE = """\
there is no --dump 5: there are 4 dumps
  N  line  pass
  1     1  before a
  2     3  after a
  3     5  after a
  4     7  after b"""
RUNS = """\
there are 2 dumps after pass 'a': choose one with --dump
  N  line  pass
  1     3  after a
  2     5  after a"""


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("module {}", (), "AFTER is missing: give a second dump, or a log of passes"),
        (TWO_PASSES, (), LISTED),
        (TWO_PASSES, ("--dump", "5"), OUT_OF_RANGE),
        (TWO_PASSES, ("--pass", "a"), RUNS),
        (TWO_PASSES, ("--pass", "c"), "no dump of pass 'c'; the passes are a, b"),
        (
            TWO_PASSES.replace("After", "Before"),
            (),
            "there is no dump after a pass: print the log with --mlir-print-ir-after-all",
        ),
    ],
)
def test_which_dumps_has_to_be_clear(text: str, options: tuple[str, ...], message: str) -> None:
    result = run("diff", "-", *options, stdin=text.encode())
    assert (result.returncode, result.stderr.decode()) == (2, f"<stdin>: error: {message}\n")


BEFORE_ONLY = """\
// -----// IR Dump Before A (a) //----- //
module {
  func.func @f() {
    t.a
  }
  module {
    t.b
  }
}
// -----// IR Dump Before B (b) //----- //
module {
  t.b
}
// -----// IR Dump Before C (c) //----- //
func.func @f() {
  t.a
}
// -----// IR Dump Before D (d) //----- //
func.func @f() {
  t.c
}
// -----// IR Dump Before D (d) //----- //
module {
  func.func @f() {
    t.c
  }
  module {
    t.b
  }
}
"""
"""Dumps before passes only: of a module, of the module in it, of a function, of all of it."""


@pytest.mark.parametrize(("name", "lines"), [("a", [1, 22]), ("c", [14, 18])])
def test_a_pass_of_a_log_with_dumps_before_passes_only(name: str, lines: list[int]) -> None:
    """The next dump of the same op is the one after the pass."""
    result = run("diff", "-", "--pass", name, stdin=BEFORE_ONLY.encode())
    places = re.findall(r"^(?:before|after) +<stdin>:(\d+):1 ", result.stdout.decode(), re.M)
    assert [int(line) for line in places] == lines


@pytest.mark.parametrize("name", ["b", "d"])
def test_a_pass_that_no_dump_of_the_same_op_follows(name: str) -> None:
    result = run("diff", "-", "--pass", name, stdin=BEFORE_ONLY.encode())
    message = f"there is no dump after pass '{name}': print the log with --mlir-print-ir-after-all"
    assert (result.returncode, result.stderr.decode()) == (2, f"<stdin>: error: {message}\n")


def test_one_dump_against_a_log_needs_a_choice() -> None:
    assert b"there are 16 dumps: choose one with --pass and --dump" in run("diff", LOG, AFTER).stderr


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 1),
        (("--config", "max-inversions=788"), 1),
        (("--config", "max-inversions=789"), 0),
        (("--fail-on", "out-of-place", "--config", "max-inversions=21"), 1),
        (("--fail-on", "out-of-place", "--config", "max-inversions=22"), 0),
    ],
)
def test_ceilings_for_the_dump_after(options: tuple[str, ...], code: int) -> None:
    before, after = (SAMPLES / "resnet" / f"{name}_alias.mlir" for name in ("before", "after"))
    assert run("diff", before, after, *options).returncode == code


def test_json_has_everything_the_text_has() -> None:
    document = json.loads(run("diff", BEFORE, AFTER, "--format", "json").stdout)
    assert set(document) == {
        *("schema", "command", "verdict", "before", "after", "ops", "implied_ops", "changes", "repeated"),
        *("inverse_ops", "fragmentation", "locations", "advice", "configuration", "dumps", "errors"),
    }
    inverse = document["inverse_ops"]
    assert (inverse["before"], inverse["after"], len(inverse["cancelled"])) == (132, 94, 40)
    worst = document["fragmentation"]["modules"][0]
    assert (worst["name"], worst["before"], worst["after"], worst["fixed"]) == (
        "Stage[net.stages.1]",
        1,
        13,
        13,
    )
    assert document["locations"]["after"]["counts"]["repeated-location"] == 117
    derived = document["changes"]["added"][0]
    assert (derived["after"]["index"], derived["ancestor"]["line"], derived["ancestor"]["relation"]) == (
        3,
        15,
        "derived",
    )


def test_repeated_changes_are_places_among_the_changes() -> None:
    document = json.loads(run("diff", BEFORE, AFTER, "--format", "json").stdout)
    most = document["repeated"]["modified"][0]
    assert (most["times"], most["modules"], most["module"]) == (
        *(36, 18),
        "BatchNorm2d[net.stages.*.blocks.*.conv*.norm]",
    )
    named = [document["changes"]["modified"][place]["after"]["op"] for place in most["changes"]]
    assert named == ["ttir.broadcast"] * 36


@pytest.mark.parametrize(("number", "first"), [(0, "%2"), (1, "%1"), (2, "%0"), (99, "%0")])
def test_unchanged_ops_around_changes(number: int, first: str) -> None:
    small = [SAMPLES / "small" / f"{when}_inline.mlir" for when in ("before", "after")]
    function = run("diff", *small, "-U", str(number)).stdout.decode().split("\n\n")[1]
    assert re.findall("%[0-9]+", function)[0] == first


@pytest.mark.parametrize("format_", ["json", "markdown", "html"])
def test_ops_in_place_are_text(format_: str) -> None:
    result = run("diff", BEFORE, AFTER, "-U1", "--format", format_)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.endswith(b"Error: --unified requires --format text\n")


def test_markdown_for_a_pull_request() -> None:
    result = run("diff", BEFORE, AFTER, "--format", "markdown")
    assert result.returncode == 1
    assert result.stdout.startswith(b"### eio-audit diff\n\n**different: ")
    assert b"<details><summary>135 modified: operands of" in result.stdout


BARE = 'func.func @f(%a: i32) {{\n  %0 = "t.a"(%a) {{v = {}}} : (i32) -> i32\n  return\n}}\n'


def test_dumps_need_no_indices(tmp_path: Path) -> None:
    before, after = tmp_path / "before.mlir", tmp_path / "after.mlir"
    before.write_text(BARE.format(1))
    after.write_text(BARE.format(2))
    result = run("diff", before, after)
    assert (result.returncode, result.stderr) == (1, b"")
    assert b"ops: 2 unchanged, 0 moved, 1 modified, 0 added, 0 removed\n" in result.stdout
    assert result.stdout.startswith(b"different: 1 modified\n")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("my.{} loc(unknown)\n", b"different: 1 added, 1 removed\n"),
        (
            "// -----// IR Dump After p //----- //\nmy.{0}\n// -----// IR Dump After q //----- //\nmy.{0}\n",
            b"\n  2     3  after q",
        ),
    ],
)
def test_pipes_are_read_once(text: str, told: bytes) -> None:
    with pipe_of(text.format("a").encode()) as before, pipe_of(text.format("b").encode()) as after:
        done = run("diff", before, after)
    assert told in done.stdout + done.stderr
    assert b"eio-audit" not in done.stdout + done.stderr


def test_a_dump_is_identical_with_itself() -> None:
    assert run("diff", BEFORE, BEFORE).stdout == b"identical\n"


@pytest.mark.parametrize(
    ("same_as", "other", "code"),
    [
        ("bytes", "before_alias", 1),
        ("names", "before_alias", 0),
        ("order", "before_alias", 0),
        ("order", "after_alias", 1),
    ],
)
def test_the_exit_code_tells_whether_dumps_are_the_same(same_as: str, other: str, code: int) -> None:
    other_path = BEFORE.with_name(f"{other}.mlir")
    asked = "diff", BEFORE, other_path, "--same-as", same_as, "--quiet"
    result = run(*asked)
    assert (result.returncode, result.stdout, result.stderr) == (code, b"", b"")


STATES = ("ttir.mlir.txt", "ttir-before-erase-inverse-ops.mlir.txt", "ttir-after-erase-inverse-ops.mlir.txt")


def states(folder: Path, *names: str) -> Path:
    """A folder with the small sample's source, before and after under these names, in that order and again."""
    samples = ("source", "before_alias", "after_alias")
    for number, name in enumerate(names):
        shutil.copy(SAMPLES / "small" / f"{samples[number % 3]}.mlir", folder / name)
    return folder


@pytest.mark.parametrize(
    "names",
    [
        STATES,
        ("source.mlir", "before.mlir", "after.mlir"),
        ("net.mlir", "net_before_EraseInverseOps_0.mlir.gz", "net_after_EraseInverseOps_0.mlir"),
    ],
)
def test_the_before_and_after_of_a_folder_are_a_pair(tmp_path: Path, names: tuple[str, ...]) -> None:
    from_folder = json.loads(run("diff", states(tmp_path, *names), "--format", "json").stdout)
    pair = (SAMPLES / "small" / f"{name}_alias.mlir" for name in ("before", "after"))
    from_files = json.loads(run("diff", *pair, "--format", "json").stdout)
    assert from_folder["ops"] == from_files["ops"]
    assert [dump["source"] for dump in from_folder["dumps"]] == [str(tmp_path / name) for name in names[1:]]


def test_the_pass_of_a_pair_is_the_one_that_the_names_tell(tmp_path: Path) -> None:
    done = run("diff", states(tmp_path, *STATES), "--pass", "erase-inverse-ops")
    assert [line.rpartition("  ")[2] for line in done.stdout.decode().splitlines()[1:3]] == [
        "before erase-inverse-ops",
        "after erase-inverse-ops",
    ]


SEVERAL = ("a.mlir", "a-before-x.mlir", "a-after-x.mlir", "b.mlir", "b-before-y.mlir", "b-after-y.mlir")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            (),
            "there are 2 pairs of files: choose one\n"
            "  a-before-x.mlir and a-after-x.mlir:\n    eio-audit diff FOLDER --dump 1\n"
            "  b-before-y.mlir and b-after-y.mlir:\n    eio-audit diff FOLDER --dump 2",
        ),
        (("--pass", "z"), "no pair of files of pass 'z'; the passes are x, y"),
        (
            ("--pass", "x", "--dump", "2"),
            "there is no --dump 2: there is 1 pair of files\n"
            "  a-before-x.mlir and a-after-x.mlir:\n    eio-audit diff FOLDER --pass x --dump 1",
        ),
        (
            ("--pass", "x", "--dump", ":7"),
            "--dump :7 chooses in a log; there is 1 pair of files to choose from\n"
            "  a-before-x.mlir and a-after-x.mlir:\n    eio-audit diff FOLDER --pass x --dump 1",
        ),
    ],
)
def test_which_of_several_pairs_has_to_be_clear(
    tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    done = run("diff", states(tmp_path, *SEVERAL), *options)
    expected = f"{tmp_path}: error: {message}\n".replace("FOLDER", str(tmp_path))
    assert (done.returncode, done.stderr.decode()) == (2, expected)


@pytest.mark.parametrize("options", [("--pass", "y"), ("--dump", "2"), ("--dump", "last")])
def test_one_of_several_pairs_is_chosen(tmp_path: Path, options: tuple[str, ...]) -> None:
    document = json.loads(run("diff", states(tmp_path, *SEVERAL), *options, "--format", "json").stdout)
    assert [dump["source"] for dump in document["dumps"]] == [
        str(tmp_path / name) for name in ("b-before-y.mlir", "b-after-y.mlir")
    ]


HOW_TO_NAME = "name pairs PROGRAM-before-PASS.mlir and PROGRAM-after-PASS.mlir, and their source PROGRAM.mlir"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            ("a.mlir", "a-before-x.mlir", "a-after-y.mlir"),
            "no pair of files before and after a pass among a.mlir, a-after-y.mlir, a-before-x.mlir",
        ),
        (
            ("a.mlir", "a-before-x.mlir", "a-after-x.mlir", "b.mlir", "a_before_x.mlir"),
            "files with names of the same state: a-before-x.mlir, a_before_x.mlir",
        ),
    ],
)
def test_a_pairing_that_is_not_plain_says_which_files_it_saw(
    tmp_path: Path, names: tuple[str, ...], message: str
) -> None:
    done = run("diff", states(tmp_path, *names))
    assert (done.returncode, done.stderr.decode()) == (2, f"{tmp_path}: error: {message}; {HOW_TO_NAME}\n")


@pytest.mark.parametrize(
    ("folder", "name"),
    [("tree", "ttir-erase-inverse-ops"), ("numbered", "eio")],
)
def test_a_pass_of_a_folder_of_passes_is_the_pair_of_its_dumps(
    tmp_path: Path, folder: str, name: str
) -> None:
    path = SAMPLES / "small" / "tree" if folder == "tree" else tmp_path
    states(tmp_path, "0_source.mlir", "1_flatten.mlir", "2_eio.mlir")
    counts = json.loads(run("diff", path, "--pass", name, "--format", "json").stdout)["ops"]
    assert counts == {"unchanged": 4, "moved": 0, "modified": 8, "added": 8, "removed": 6}


def test_html_audits_each_dump_once() -> None:
    with counting(audit_keyed, functions_around) as calls:
        assert run("diff", BEFORE, AFTER, "--format", "html", "--fail-on", "never").returncode == 0
    assert calls == {"audit_keyed": 2, "functions_around": 2}


LAYER = """func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %0 = arith.addf %a, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def two_shapes(folder: Path, *, end: str) -> tuple[Path, Path]:
    before, after = folder / f"four{end}", folder / f"eight{end}"
    layers = LAYER, LAYER.replace("4xf32", "8xf16")
    marker = "// -----// IR Dump After {} //----- //\n"
    for path, layer in zip((before, after), layers, strict=True):
        path.write_text(layer if end == ".mlir" else marker.format("a") + layer + marker.format("b") + layer)
    return before, after


def test_what_is_equal_up_to_what_is_ignored_is_one_line(tmp_path: Path) -> None:
    done = run("diff", *two_shapes(tmp_path, end=".mlir"), "--ignore", "types", "--ignore", "constants")
    assert (done.returncode, done.stdout) == (0, b"same text up to types, constants, names and locations\n")


def test_two_logs_that_are_equal_up_to_what_is_ignored_are_one_line(tmp_path: Path) -> None:
    done = run("diff", *two_shapes(tmp_path, end=".log"), "--ignore", "types")
    assert (done.returncode, done.stdout) == (0, b"same up to types: 2 dumps\n")


def test_of_two_logs_the_first_pair_is_compared_that_differs_besides_what_is_ignored(tmp_path: Path) -> None:
    before, after = two_shapes(tmp_path, end=".log")
    start, end = after.read_text().rsplit("1.0", 1)
    after.write_text(f"{start}2.0{end}")
    done = run("diff", before, after, "--ignore", "types")
    assert done.returncode == 1
    first = done.stdout.decode().replace(f"{tmp_path}/", "").splitlines()[1]
    assert first == "first difference: four.log:7 after b: different besides types: 1 modified"


def test_json_says_what_was_ignored(tmp_path: Path) -> None:
    done = run("diff", *two_shapes(tmp_path, end=".mlir"), "--ignore", "types", "--format", "json")
    verdict = json.loads(done.stdout)["verdict"]
    assert (verdict["same_as"], verdict["ignored"]) == ("names", ["types"])
