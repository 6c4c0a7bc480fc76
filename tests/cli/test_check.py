import gzip
import json
from pathlib import Path

import pytest

from tests.audit.test_fix import SHUFFLED
from tests.cli.running import SAMPLES, run

FORCED = SAMPLES / "small" / "after_inline.mlir"
RESNET = SAMPLES / "resnet" / "after_alias.mlir"


def test_a_clean_dump_exits_0() -> None:
    assert run("check", SAMPLES / "small" / "before_inline.mlir").returncode == 0


def test_wrong_indices_fail_by_default() -> None:
    done = run("check", FORCED)
    assert (done.returncode, done.stdout.count(b" EIO003 ")) == (1, 6)
    assert done.stdout.split(b"\nnext:\n  ")[1].startswith(b"eio-audit fix --relabel --diff ")


@pytest.mark.parametrize(
    ("path", "fail_on", "code"),
    [
        (FORCED, "any", 1),
        (RESNET, "out-of-place", 1),
        (RESNET, "never", 0),
        (FORCED, "out-of-place", 0),
        (FORCED, "shuffled", 1),
    ],
)
def test_what_fails_is_chosen(path: Path, fail_on: str, code: int) -> None:
    assert run("check", path, "--fail-on", fail_on).returncode == code


def test_the_findings_that_are_shown_are_the_first_of_all() -> None:
    def named(*options: str) -> list[bytes]:
        lines = run("check", RESNET, *options).stdout.splitlines()
        return [line for line in lines if b" EIO00" in line]

    assert len(named()) == 10
    assert named() == named("--verbose")[:10]


def test_standard_input() -> None:
    result = run("check", "-", "--format", "json", stdin=FORCED.read_bytes())
    assert json.loads(result.stdout)["dumps"][0]["source"] == "<stdin>"


def test_compressed_standard_input() -> None:
    done = run("check", "-", stdin=gzip.compress(FORCED.read_bytes()))
    assert b"\nfailed: 6 wrong indices in 1 of 1 dumps\n" in done.stdout


def test_json_has_the_fields_of_the_contract() -> None:
    document = json.loads(run("check", RESNET, "--format", "json").stdout)
    assert (document["schema"], document["command"], document["errors"]) == ("eio-audit/1", "check", [])
    [dump] = document["dumps"]
    assert (dump["source"], dump["line"], dump["pass"], dump["when"]) == (str(RESNET), 1, None, None)
    [block] = dump["blocks"]
    expected = {
        "function": "@forward",
        "block": "^bb0",
        "ops": 234,
        "indexed": 233,
        "inversions": 789,
        "forced": 388,
        "minimum": 767,
        "lower_bound": 767,
        "certified": True,
        "avoidable": 22,
    }
    assert block | expected == block
    assert {"line", "descents", "displaced", "derived", "inherited"} <= block.keys()
    expected = {
        "dumps": 1, "blocks": 1, "ops": 234, "indexed": 233, "inversions": 789, "forced": 388, "minimum": 767,
        "avoidable": 22, "certified": True,
    }  # fmt: skip
    assert document["summary"] | expected == document["summary"]


def test_a_pass_of_a_log() -> None:
    log = SAMPLES / "resnet" / "all_passes_alias.log"
    document = json.loads(
        run("check", log, "--pass", "TTIREraseInverseOps", "--dump", "last", "--format", "json").stdout
    )
    assert [(d["pass"], d["when"], d["line"]) for d in document["dumps"]] == [
        ("ttir-erase-inverse-ops", "after", 4628)
    ]


LOG_STEPS = [
    "next:",
    "  eio-audit fix --relabel --diff --dump last LOG  # corrects 42 wrong indices and removes all inversions",
    "  eio-audit trace LOG  # shows what each pass did",
]


@pytest.mark.parametrize(
    ("options", "code", "verdict"),
    [
        (
            (),
            1,
            "failed: 42 wrong indices in 5 of 16 dumps, 42 left at the end; "
            "55 inversions out of place in 7 of 16 dumps, 21 left at the end",
        ),
        (
            ("--fail-on", "out-of-place"),
            1,
            "failed: 55 inversions out of place in 7 of 16 dumps, 21 left at the end",
        ),
        (
            ("--fail-on", "out-of-place", "--max-inversions", "54"),
            1,
            "failed: 55 inversions out of place in 7 of 16 dumps, 21 left at the end, 54 allowed",
        ),
        (
            ("--fail-on", "out-of-place", "--max-inversions", "55"),
            0,
            "passed: 55 inversions out of place in 7 of 16 dumps, 21 left at the end, 55 allowed",
        ),
        (
            ("--fail-on", "any"),
            1,
            "failed: 42 wrong indices in 5 of 16 dumps, 42 left at the end; "
            "55 inversions out of place in 7 of 16 dumps, 21 left at the end; "
            "767 unavoidable inversions in 5 of 16 dumps, 581 left at the end",
        ),
    ],
)
def test_a_log_counts_each_inversion_once(options: tuple[str, ...], code: int, verdict: str) -> None:
    log = SAMPLES / "resnet" / "all_passes_alias.log"
    done = run("check", log, *options)
    lines = done.stdout.decode().replace(str(log), "LOG").splitlines()
    assert (done.returncode, lines[-4]) == (code, verdict)
    assert lines[-3:] == LOG_STEPS
    worst = (
        "#69 ttir.permute %217 belongs after #67 ttir.broadcast %222 (line 4922): 3 inversions, fix moves it"
        if "out-of-place" in options
        else "#56 ttir.permute %106 should carry #33 (of ttir.broadcast %107, line 4807): in 72 inversions, "
        "fix --relabel corrects it"
    )
    assert f" {worst}; introduced by ttir-erase-inverse-ops, left at the end (" in lines[1]


def test_a_log_in_formats_for_programs() -> None:
    log = SAMPLES / "resnet" / "all_passes_alias.log"
    findings = json.loads(run("check", log, "--format", "json").stdout)["findings"]
    assert [(f["pass"], f["until"], f["left"]) for f in (findings[0], findings[-1])] == [
        ("ttir-erase-inverse-ops", None, True),
        ("ttir-erase-inverse-ops", "after ttir-implicit-broadcast-fold", False),
    ]
    annotations = run("check", log, "--format", "github").stdout.decode().splitlines()
    assert [line.partition(" ")[0] for line in annotations] == [
        *["::error"] * 10,
        *("...", "failed:", "next:", "", ""),
    ]
    [sarif] = json.loads(run("check", log, "--format", "sarif").stdout)["runs"]
    assert [result["level"] for result in sarif["results"]] == ["error"] * 64
    issues = json.loads(run("check", log, "--format", "gitlab").stdout)
    assert len({issue["fingerprint"] for issue in issues}) == 64
    assert run("check", log, "--format", "junit").stdout.count(b"<failure ") == 2


def test_a_baseline_of_a_log(tmp_path: Path) -> None:
    log, baseline = SAMPLES / "resnet" / "all_passes_alias.log", tmp_path / "baseline.json"
    created = run("check", log, "--baseline", baseline, "--update-baseline")
    assert (created.returncode, created.stderr.decode()) == (0, f"{baseline}: created with 64 findings\n")
    again = run("check", log, "--baseline", baseline)
    assert (again.returncode, again.stdout.decode()) == (
        0,
        "passed: no new finding, 64 known\n",
    )


def test_no_such_pass() -> None:
    result = run("check", SAMPLES / "small" / "all_passes_alias.log", "--pass", "ttir-erase-inverse")
    assert result.returncode == 2
    assert b"did you mean 'ttir-erase-inverse-ops'?" in result.stderr


def test_one_unreadable_file_does_not_hide_the_others(tmp_path: Path) -> None:
    broken = tmp_path / "broken.mlir"
    broken.write_text(SHUFFLED[:-2])
    result = run("check", broken, RESNET, tmp_path / "missing.mlir", "--format", "json")
    document = json.loads(result.stdout)
    assert result.returncode == 2
    assert [dump["source"] for dump in document["dumps"]] == [str(RESNET)]
    assert {(error["source"], error["line"]) for error in document["errors"]} == {
        (str(broken), 5),
        (str(tmp_path / "missing.mlir"), None),
    }
    assert f"{broken}:5:".encode() in result.stderr


@pytest.mark.parametrize("command", ["check", "trace"])
def test_no_ir_is_never_green(command: str) -> None:
    result = run(command, "-", stdin=b"\n")
    assert (result.returncode, result.stderr) == (2, b"<stdin>: error: the input is empty\n")


BARE, LOCATED = b'"t.a"() : () -> ()\n', b'"t.a"() : () -> () loc("add.17")\n'
NO_INDEX = "no op carries an op index, so there is no original order to compare with"
DEBUGINFO = "no locations: print with --mlir-print-debuginfo"
BEFORE = "--order-from takes the order of another dump as the original order: the one before the pass"
FIRST = "--order-from first takes the first dump's order as the original order"
STAMP = "the command stamp numbers the ops of any IR; tt-xla numbers its own with XLA_HLO_DEBUG=1"
PATTERN = "--index-pattern REGEX reads indices that are written in another form"
MARKER = b"// -----// IR Dump After CSE (cse) //----- //\n"


@pytest.mark.parametrize(
    ("text", "message", "cures"),
    [
        (BARE, NO_INDEX, [DEBUGINFO, BEFORE, STAMP]),
        (LOCATED, NO_INDEX, [BEFORE, STAMP, PATTERN]),
        (2 * (MARKER + BARE), NO_INDEX, [DEBUGINFO, FIRST, STAMP]),
    ],
    ids=["no locations", "no index", "a log"],
)
@pytest.mark.parametrize("command", ["check", "fix"])
def test_no_index_is_never_green(command: str, text: bytes, message: str, cures: list[str]) -> None:
    result = run(command, "-", stdin=text)
    expected = [f"<stdin>: error: {message}", *(f"  help: {cure}" for cure in cures)]
    assert (result.returncode, result.stderr.decode().splitlines()) == (2, expected)


@pytest.mark.parametrize("command", ["check", "fix", "trace"])
def test_of_a_text_that_is_not_mlir_its_first_line_is_shown(command: str) -> None:
    result = run(command, "-", stdin=b"\n  mlir-opt: Unknown command line argument '--cze'\n")
    expected = """<stdin>:2:3: error: this is not MLIR: no line begins an operation
  mlir-opt: Unknown command line argument '--cze'
  ^
"""
    assert (result.returncode, result.stderr.decode()) == (2, expected)


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_called_so(order: str) -> None:
    result = run("check", "-", stdin=("\ufeff" + LOCATED.decode()).encode(order))
    expected = b"<stdin>: error: this is UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8\n"
    assert (result.returncode, result.stderr) == (2, expected)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), b"Missing argument 'PATH...'"),
        (("x.mlir", "--dump", "0"), b"not a number from 1"),
        (("x.mlir", "--index-pattern", "("), b"malformed index pattern"),
        (("x.mlir", "--fail-on", "some"), b"is not one of"),
    ],
)
def test_usage_errors_exit_2(args: tuple[str, ...], message: bytes) -> None:
    result = run("check", *args)
    assert result.returncode == 2
    assert message in result.stderr


def test_an_error_shows_the_line_and_a_caret() -> None:
    result = run("check", "-", stdin=b'func.func @f() {\n  "t.a"(%x) : (i32) -> ()\n  return\n}\n')
    assert result.returncode == 2
    assert result.stderr.decode() == (
        "<stdin>:2:9: error: use of value '%x', which is not defined in this scope\n"
        '  "t.a"(%x) : (i32) -> ()\n'
        "        ^\n"
    )


def test_a_report_goes_to_a_file(tmp_path: Path) -> None:
    result = run("check", FORCED, "--format", "json", "--output", tmp_path / "report.json")
    assert result.stdout == b""
    assert json.loads((tmp_path / "report.json").read_text())["summary"]["inversions"] == 18


def test_version_and_help() -> None:
    assert run("--version").stdout.startswith(b"eio-audit 0.")
    assert b"Exit codes" in run("--help").stdout


@pytest.mark.parametrize("command", ["check", "diff", "explain", "fix"])
def test_help_has_each_example_on_a_line_of_its_own(command: str) -> None:
    lines = run(command, "--help").stdout.decode().split("Examples:\n")[1].split("\n\n")[0].split("\n")
    assert len(lines) >= 2
    assert all("eio-audit" in line for line in lines)


def test_the_order_of_another_dump(tmp_path: Path) -> None:
    before = tmp_path / "before.mlir"
    before.write_text("func.func @f() {\n  %0 = t.a : i32\n  %1 = t.b : i32\n  return\n}\n")
    after = b"func.func @f() {\n  %0 = t.b : i32\n  %1 = t.a : i32\n  return\n}\n"
    result = run(
        "check", "-", "--order-from", before, "--assume-pure", "t.*", "--format", "json", stdin=after
    )
    assert (result.returncode, json.loads(result.stdout)["summary"]["avoidable"]) == (1, 1)


def test_a_page_with_pictures(tmp_path: Path) -> None:
    result = run("check", RESNET, "--format", "html", "-o", tmp_path / "report.html", "--quiet")
    assert (result.returncode, result.stdout, result.stderr) == (1, b"", b"")
    assert 'id="op-178"' in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", [("check",), ("trace",), ("fix", "--check")])
def test_files_of_a_folder_that_hold_no_ir_are_noted(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "after.mlir").write_text(SHUFFLED)
    (tmp_path / "CMakeLists.txt").write_text("if(x)\nendif()\n")
    result = run(*command, tmp_path)
    note = f"note: skipped 1 file without IR: {tmp_path}/CMakeLists.txt\n"
    assert (result.returncode, result.stderr.decode().startswith(note)) == (1, True)
    assert b"note" not in run(*command, "-q", tmp_path).stderr
    assert run(*command, tmp_path / "CMakeLists.txt").returncode == 2


@pytest.mark.parametrize("command", [("check",), ("trace",), ("fix", "--check")])
def test_archives_in_a_folder_are_noted(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "after.mlir").write_text(SHUFFLED)
    for name in ("more.zip", "more.tar.gz"):
        (tmp_path / name).touch()
    note = f"note: skipped 2 archives: {tmp_path}/more.tar.gz, {tmp_path}/more.zip; unpack them first\n"
    assert run(*command, tmp_path).stderr.decode().startswith(note)


def test_a_folder_of_an_archive_alone_holds_no_dump(tmp_path: Path) -> None:
    (tmp_path / "dumps.zip").touch()
    result = run("check", tmp_path)
    assert result.returncode == 2
    assert f"file in this folder; unpack {tmp_path}/dumps.zip first\n" in result.stderr.decode()


@pytest.mark.parametrize("command", [("check",), ("trace",), ("fix", "--check"), ("show",)])
def test_ir_without_its_beginning_above_the_first_marker_is_noted(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    log = tmp_path / "tail.log"
    log.write_text("  return\n}\n" + f"// -----// IR Dump After A (a) //----- //\n{SHUFFLED}")
    note = f"note: {log}:1: the IR above the first marker is cut off: it was skipped\n"
    assert run(*command, log).stderr.decode().startswith(note)


def test_a_broken_log_of_a_folder_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "after.mlir").write_text(SHUFFLED)
    (tmp_path / "broken.log").write_text(SHUFFLED[:-2])
    result = run("check", tmp_path)
    assert (result.returncode, f"{tmp_path}/broken.log:" in result.stderr.decode()) == (2, True)


def test_the_sums_of_blocks_on_one_line_have_places_of_their_own() -> None:
    ops = '%0 = arith.addi %a, %a : i32 loc("2|x") %1 = arith.addi %a, %a : i32 loc("1|x") return'
    text = " ".join(f"func.func @{name}(%a: i32) {{ {ops} }}" for name in "fg")
    sums = [
        line for line in run("check", "-", stdin=text.encode()).stdout.decode().splitlines() if "^bb0" in line
    ]
    assert sums == [
        "  1:25 @f ^bb0: 1 inversion: it can be moved back",
        "  1:138 @g ^bb0: 1 inversion: it can be moved back",
    ]


def test_what_is_not_text_is_named_with_the_command_that_makes_it_text(tmp_path: Path) -> None:
    wide, code = tmp_path / "my wide.mlir", tmp_path / "my code.mlirbc"
    wide.write_bytes("module {}".encode("utf-16"))
    code.write_bytes(b"ML\xefR\x01")
    assert run("check", wide).stderr.decode().split("; ")[1] == (
        f"convert it first: iconv -f UTF-16 -t UTF-8 '{wide}'\n"
    )
    assert run("check", code).stderr.decode().split("; ")[1] == f"print it as text first: mlir-opt '{code}'\n"
