"""``eio-audit history``."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

from tests.audit.test_history import DERIVED, START, after, function, log
from tests.cli.running import SAMPLES, run, run_process
from tests.logs import module

LOG = SAMPLES / "small" / "all_passes_alias.log"
TREE = SAMPLES / "small" / "tree"


def printed(text: str, op: str, *options: str) -> str:
    result = run("history", "-", op, *options, stdin=text.encode())
    assert (result.returncode, result.stderr) == (0, b"")
    return result.stdout.decode()


def test_an_op_that_no_pass_changed_is_one_line() -> None:
    text = log(function(*START), function(*START))
    expected = "t.b %b in @f: no pass changed it: <stdin>:4:3 to <stdin>:12:3, 2 dumps\n"
    assert printed(text, "%b") == expected


def test_a_row_for_each_pass_that_changed_an_op() -> None:
    changed = function(*START[:2], "%2 = t.c %b")
    text = log(function(*START), function(*START), changed, function(*START[:2]))
    assert printed(text, "%c").splitlines() == [
        "<stdin>",
        "t.c %c in @f: changed by p2 (operands), removed by p3",
        "  line  pass  result  place   operands  type  what",
        "   5:3        %c      3 of 4  %a t.a    i32   first seen after p0",
        "  21:3  p2    %2      3 of 4  %b t.b    i32   operand 0: [-%a t.a-]{+%b t.b+}",
        "    25  p3                                    removed",
    ]


def test_the_type_is_that_of_the_result_also_if_a_layout_in_it_has_an_arrow() -> None:
    layout = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1xbf16>>"
    ops = [f't.a %x loc("{k}|a")' for k in range(2)]
    text = [
        function(f'%0 = "ttnn.abs"(%x) : (tensor<{n}, {layout}>) -> tensor<{n}, {layout}>', *ops)
        for n in ("1x1xbf16", "1x1xf32")
    ]
    told = printed(log(*text).replace(">> : i32", ">>"), "%0", "--verbose").splitlines()
    first = next(line for line in told if "first seen" in line)
    assert f"  tensor<1x1xbf16, {layout}>  " in first


def test_ops_that_were_made_from_it_come_after_it() -> None:
    said = [line for line in printed(log(*DERIVED), "%a").splitlines() if "@f:" in line]
    assert said == [
        "#1 t.a %a in @f: no pass changed it, 2 ops made from it (as locations tell): <stdin>:3:3 to <stdin>:9:3, 2 dumps",
        "#1 t.cast %b in @f: made by p1, made from #1 t.a %a (line 3), not changed since",
        "#1 t.cast %c in @f: made by p1, made from #1 t.a %a (line 3), not changed since",
    ]


def test_an_op_that_moved() -> None:
    ops = [f"%{k} = t.op{k} %x" for k in range(5)]
    text = printed(log(function(*ops), function(*ops[1:], ops[0])), "%0")
    assert "moved; from place 1 to 5" in text


def test_more_ops_than_are_shown() -> None:
    text = log("func.func @f() {\n" + '  t.a : i32 loc("1|a")\n' * 11 + "  return\n}\n")
    lines = printed(text, "#1").splitlines()
    assert (len([line for line in lines if "t.a" in line]), lines[-1]) == (8, "... and 3 more ops (-v)")
    assert len([line for line in printed(text, "#1", "--verbose").splitlines() if "t.a" in line]) == 11


def test_json() -> None:
    document = json.loads(printed(log(*DERIVED), "%a", "--format", "json"))
    assert (document["schema"], document["command"], document["dumps"]) == ("eio-audit/1", "history", 2)
    first, made = document["ops"][0], document["ops"][1]
    assert first["origin"] is None
    assert first["events"][0] == {
        "kind": "first",
        "pass": None,
        "source": "<stdin>",
        "dump_line": 1,
        "when": "after",
        "state": {
            "op": "t.a",
            "result": "%a",
            "index": 1,
            "line": 3,
            "module": None,
            "column": 3,
            "function": "@f",
            "block": "^bb0",
            "place": 0,
            "ops": 2,
            "operands": [],
            "types": "i32",
            "location": '"1|a"',
        },
        "change": None,
        "users_now_use": "",
        "at_its_location": {},
    }
    assert (made["origin"], made["events"][0]["kind"], made["events"][0]["pass"]) == (0, "made", "p1")
    assert made["events"][0]["change"]["ancestor"]["relation"] == "derived"


def test_a_folder_of_dumps_is_as_the_log() -> None:
    events = [
        [
            [(event["kind"], event["pass"]) for event in op["events"]]
            for op in json.loads(run("history", path, "%5", "--format", "json").stdout)["ops"]
        ]
        for path in (LOG, TREE)
    ]
    assert (
        events[0] == events[1] == [[("first", None), ("changed", "ttir-erase-inverse-ops"), ("last", None)]]
    )


def test_numbered_dumps_of_a_folder(tmp_path: Path) -> None:
    for number, ops in enumerate([START, START, START[:2]]):
        (tmp_path / f"{number}_p{number}.mlir").write_text(module(function(*ops)))
    said = run("history", tmp_path, "%c").stdout.decode().splitlines()
    assert said[0] == "t.c %c in @f: removed by p2"
    assert said[2].startswith(f"  {tmp_path}/0_p0.mlir:5:5")
    by_file = run("history", tmp_path, "1_p1.mlir:5").stdout.decode().splitlines()
    assert by_file == said


def test_a_compressed_log_and_a_pipe(tmp_path: Path) -> None:
    packed = tmp_path / "passes.log.gz"
    packed.write_bytes(gzip.compress(LOG.read_bytes()))
    expected = run("history", LOG, "409", "--format", "json").stdout
    for result in (
        run("history", packed, "409", "--format", "json").stdout.replace(bytes(packed), bytes(LOG)),
        run_process(
            "history", "/dev/stdin", "409", "--format", "json", stdin=LOG.read_bytes()
        ).stdout.replace(b"/dev/stdin", bytes(LOG)),
    ):
        assert json.loads(result) == json.loads(expected)


def test_a_dump_that_cannot_be_read_is_reported() -> None:
    text = log(function(*START), "func.func @f() {\n  %b = t.b %nowhere : i32\n", function(*START))
    result = run("history", "-", "%b", stdin=text.encode())
    assert result.returncode == 2
    assert b"<stdin>:11:26: error: the dump ends inside a region" in result.stderr
    assert b"no pass changed it" in result.stdout


@pytest.mark.parametrize(
    ("op", "message"),
    [
        ("%500", b"no op defines %500; did you mean %5 (line 15)"),
        ("#99", b"no op carries index 99; the nearest: #"),
        ("99999", b"line 99999 is outside all dumps"),
    ],
)
def test_an_op_that_is_in_no_dump(op: str, message: bytes) -> None:
    result = run("history", LOG, op)
    assert (result.returncode, result.stdout) == (2, b"")
    assert message in result.stderr


def test_input_without_ir(tmp_path: Path) -> None:
    assert run("history", "-", "%0").stderr.decode() == "<stdin>:1:1: error: the input is empty\n"
    (tmp_path / "empty.log").write_text("nothing\n")
    result = run("history", tmp_path / "empty.log", "%0")
    assert (result.returncode, result.stdout) == (2, b"")


def test_a_missing_file() -> None:
    result = run("history", "missing.log", "%0")
    assert (result.returncode, result.stderr) == (
        2,
        b"missing.log: error: cannot read: No such file or directory\n",
    )


def test_a_report_goes_to_a_file(tmp_path: Path) -> None:
    copied = shutil.copy(LOG, tmp_path / "passes.log")
    assert run("history", copied, "%5", "-o", tmp_path / "history.txt").stdout == b""
    assert "changed by ttir-erase-inverse-ops (types)" in (tmp_path / "history.txt").read_text()


def test_a_difference_that_no_shown_pass_made() -> None:
    changed = function(*START[:2], "%c = t.c %b")
    text = after("a", function(*START)) + after("b", changed, "Before") + after("b", changed)
    assert "changed by (before b) (operands)" in printed(text, "%c")


@pytest.mark.parametrize(
    ("op", "line"), [("%5", "#23 ttir.permute %5 (line 619)"), ("%0", "ttir.reshape %0 (line 614)")]
)
def test_a_name_that_another_op_has_later_comes_with_the_command_that_follows_that(
    op: str, line: str
) -> None:
    number = line[-4:-1]
    done = run("history", LOG, op)
    said = (
        f"note: in the last dump with {op}, {op} is {line}; to follow it: eio-audit history {LOG} {number}\n"
    )
    assert done.stderr.decode() == said
    assert run("history", "-", op, stdin=LOG.read_bytes()).stderr.decode() == said.partition("; to")[0] + "\n"


def test_in_a_folder_the_command_names_the_file() -> None:
    said = run("history", TREE, "%5").stderr.decode()
    assert said.endswith(f"eio-audit history {TREE} {TREE}/builtin_module_no-symbol-name/13_cse.mlir:15\n")


def test_a_name_that_no_other_op_has_comes_without_a_note() -> None:
    assert run("history", SAMPLES / "mlir_opt" / "passes.log", "%cst").stderr == b""
