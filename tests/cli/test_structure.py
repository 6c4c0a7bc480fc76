import json

import pytest

from tests.audit.test_check import ISSUE
from tests.cli.running import SAMPLES, run
from tests.real_samples import recorded_program

BEFORE, AFTER = (SAMPLES / "small" / f"{when}_alias.mlir" for when in ("before", "after"))
LOG = SAMPLES / "resnet" / "all_passes_alias.log"
UNNUMBERED = b"func.func @f(%a: i32) -> i32 {\n  return %a : i32\n}\n"

REPORT = """\
<stdin>:1:1
  code generation runs: it can read the locations of 50 ops
    6 ops stay outside the functions
  torn in any run: 1 of 6 model modules, Conv2d[net.conv1] in 2 functions or more
  torn in all 120 orders: 1 of 6 model modules, Conv2d[net.conv1] in 2 or more
  @forward becomes 8 to 41 functions, typically 8

torn model modules  the fewest functions with their ops: in any run, in the tries
  any run  as it is  after fix  after fix --relabel  functions with     line
        2         2          2                    1  Conv2d[net.conv1]  63 after 38

generated functions  in any run, and in tried orders of the first ops
  at least  at most  typically    tried   orders  functions
         8       41          8  8 to 15  all 120  as it is
         8       41          8  8 to 15  all 120  after fix
         7       40         10  9 to 12  all 120  after fix --relabel

model modules  and the functions that hold their ops, in one run with 8 functions
  module                    ops  functions  which
  Net[net]                   44          8  1-8
    Conv2d[net.conv1]        14          2  2, 7
    Conv2d[net.conv0]         2          1  3
    BatchNorm2d[net.norm0]    6          1  4
    ReLU[net.act0]            4          1  6
    Sigmoid[net.gate]         6          1  8

generated functions  of that run, in call order
     function         ops  in  out  index  line  module
  1  Net_0_0            9   4    5      0    22  Net[net]
  2  Conv2d_1_0        12   3    3     23    34  Conv2d[net.conv1]
  3  Conv2d_2_0         2   3    1     14    29  Conv2d[net.conv0]
  4  BatchNorm2d_3_0    6   3    1     15    38  BatchNorm2d[net.norm0]
  5  Net_4_0            3   2    1     18    56  Net[net]
  6  ReLU_5_0           4   1    1     19    59  ReLU[net.act0]
  7  Conv2d_6_0         2   3    1     23    63  Conv2d[net.conv1]
  8  Sigmoid_7_0        6   1    1     25    66  Sigmoid[net.gate]

"""

FAILS = """\
<stdin>:1:1
  code generation fails on this dump
    it cannot read 16 of 17 locations: 'DEBUG|' is before the index
    it cannot read 1 of 17 locations: the index or another field is missing
    the functions below are a sketch from the other ops
    1 op stays outside the functions
      ttir.reshape %0 (line 9): its index 'x_reshape' is not an integer
    Each op needs a name as its outermost location, with these fields:
    index|Class[name]|...|file:line|function|line|op
    tt-xla names ops so with XLA_HLO_DEBUG=1. A pass must extend the name of the
    op that it replaces: "X_tm0"("X").
  torn in any run: 1 of 7 model modules, Conv2d[net.conv1] in 2 functions or more

torn model modules  the fewest functions with their ops: in any run, in the tries
"""

PREFIXED = """\
  code generation fails on this dump as long as names begin with 'DEBUG|'
    it cannot read 233 of 233 locations: 'DEBUG|' is before the index
    the figures and functions below are those for names without 'DEBUG|'
"""


def test_the_report_begins_with_what_is_certain_and_ends_with_what_to_type() -> None:
    result = run("structure", "-", "--follow", "frees", stdin=recorded_program("small.original"))
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.decode() == REPORT


def test_the_report_of_a_dump_on_which_code_generation_fails() -> None:
    result = run("structure", "-", stdin=AFTER.read_bytes())
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.decode().startswith(FAILS)
    assert "typically" not in result.stdout.decode()


def test_ops_with_locations_that_are_refused_are_listed() -> None:
    ops = "".join(f'  %{k} = "ttir.abs"(%a) : (i32) -> i32 loc("m.py":3:{k})\n' for k in range(7))
    named = '  %x = "ttir.abs"(%a) : (i32) -> i32 loc("0|N[n]|m.py:1|f|2|x")\n'
    text = f"func.func @f(%a: i32) -> i32 {{\n{ops}{named}  return %x : i32\n}}\n".encode()
    lines = run("structure", "-", stdin=text).stdout.decode().splitlines()
    assert "    it refuses the locations of 7 ops because they are not names" in lines
    assert "      ttir.abs %4 (line 6): its location is a place in a file, not a name" in lines
    assert "      ttir.abs %5 (line 7): its location is a place in a file, not a name" not in lines
    assert lines[-2:] == ["", "--verbose shows 2 more lines"]
    assert run("structure", "-", "--verbose", stdin=text).stdout.count(b"a place in a file") == 7


def test_json() -> None:
    text = recorded_program("small.original")
    document = json.loads(run("structure", "-", "--format", "json", stdin=text).stdout)
    assert (document["schema"], document["command"]) == ("eio-audit/1", "structure")
    assert document["stages"]["now"] == {
        "runs": True,
        "failures": [],
        "fewest": 8,
        "most": 41,
        "typical": 8,
        "tried": {"orders": 120, "all": True, "fewest": 8, "most": 15},
        "functions": 8,
        "callers": ["@forward"],
        "ops": 50,
        "left_out": 6,
        "refused": 0,
        "unreadable": {},
        "clashes": [],
    }
    assert list(document["stages"]) == ["now", "fixed", "relabelled"]
    path = ["Net[net]", "Conv2d[net.conv1]"]
    assert document["functions"][1] == {
        "name": "Conv2d_1_0",
        "caller": "@forward",
        "file": "/proj/model.py:14",
        "function": "forward",
        "path": path,
        "ops": 12,
        "inputs": 3,
        "outputs": 3,
        "first_index": 23,
        "last_index": 23,
        "line": 34,
        "parts": [{"path": path, "ops": 12}],
    }
    module = document["modules"][0]
    assert (module["name"], module["path"]) == ("Conv2d[net.conv1]", path)
    assert (module["least"], module["certain"], module["now"], module["relabelled"]) == (1, 2, 2, 1)
    assert [(one["line"], one["via"]["line"]) for one in module["returns"]] == [(63, 38)]


def test_json_of_a_dump_on_which_code_generation_fails() -> None:
    document = json.loads(run("structure", AFTER, "--format", "json").stdout)
    now = document["stages"]["now"]
    assert (now["runs"], now["failures"]) == (False, ["locations", "prefix"])
    assert [now[field] for field in ("fewest", "most", "typical", "tried", "functions")] == [None] * 5
    assert now["unreadable"] == {"prefix": 16, "field": 1}
    [stopping] = document["stopping"]
    assert (stopping["failure"], stopping["line"], stopping["op"]) == ("locations", 9, "ttir.reshape")
    assert stopping["message"] == "its index 'x_reshape' is not an integer"


def test_all_formats_tell_the_same() -> None:
    told = {
        format: " ".join(run("structure", AFTER, "--format", format).stdout.decode().split())
        for format in ("text", "html", "python")
    }
    for said in (
        "code generation fails on this dump",
        "16 of 17 locations",
        "1 op stays outside the functions",
    ):
        assert [format for format, text in told.items() if said not in text] == []
    assert [format for format, text in told.items() if "line 9): its index" in text] == ["text", "html"]


def test_a_diff_has_the_stages_of_both_dumps() -> None:
    before, after = (SAMPLES / "resnet" / f"{when}_alias.mlir" for when in ("before", "after"))
    document = json.loads(run("diff", before, after, "--format", "json").stdout)["structure"]
    sizes = {stage: figures["typical"] for stage, figures in document["stages"].items()}
    assert sizes == {"before": 106, "after": 172, "fixed": 172, "relabelled": 109}
    worst = document["modules"][0]
    assert (worst["name"], worst["before"], worst["certain"]) == ("ReLU[net.stages.2.blocks.1.act]", 1, 3)
    text = run("diff", before, after).stdout.decode()
    assert "code generation  typically 106 -> 172 functions, 109 after fix --relabel\n" in text
    assert "  torn in any run: 38 of 71 model modules, ReLU[net.stages.2.blocks.1.act] in 3 functions" in text
    assert "        82      230        172  156 to 191      64  after\n" in text


def test_a_diff_of_dumps_on_which_code_generation_fails() -> None:
    text = run("diff", BEFORE, AFTER).stdout.decode()
    assert "\ncode generation  fails\n" in text
    assert "  torn in any run: 1 of 7 model modules, Conv2d[net.conv1] in 2 functions or more\n" in text
    assert "at least" not in text


def test_a_diff_of_dumps_that_become_the_same_functions_says_nothing_of_them() -> None:
    assert b"code generation" not in run("diff", BEFORE, BEFORE).stdout


def test_one_dump_of_a_log() -> None:
    result = run("structure", LOG, "--pass", "ttir-erase-inverse-ops", "--dump", "last")
    assert PREFIXED.encode() in result.stdout
    assert b"  @forward becomes 82 to 230 functions, typically 172\n" in result.stdout
    assert b"there are 16 dumps: choose one with --pass and --dump" in run("structure", LOG).stderr


def test_a_function_that_names_nothing_readable() -> None:
    text = ISSUE.replace("DEBUG|15|", "DEBUG|15;").replace("DEBUG|23|", "DEBUG|23;")
    result = run("structure", "-", "--index-pattern", "(?P<index>[0-9]+)[|;]", stdin=text.encode())
    assert (result.returncode, b"cannot read" in result.stdout) == (0, True)


def test_several_functions_are_too_many_for_code_generation() -> None:
    one = '(%a: i32) -> i32 {\n  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("0|N[n]|m.py:1|f|2|x")\n  return %0 : i32\n}\n'
    result = run("structure", "-", stdin=f"func.func @f{one}func.func @g{one}".encode())
    assert b"2 functions become 2 functions" in result.stdout
    assert b"it accepts one function, not these 2: @f, @g" in result.stdout


def test_without_functions_it_says_so() -> None:
    text = 'module {\n  "my.op"() : () -> () loc("0|N[n]|m.py:1|f|2|x")\n}\n'
    result = run("structure", "-", stdin=text.encode())
    assert (result.returncode, result.stdout) == (
        0,
        b"<stdin>:1:1\n  code generation reads no op of this dump\n  no op is in a function\n",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (UNNUMBERED, b"no op carries an op index"),
        (b"", b"the input is empty"),
        (b"func.func @f(", b"<stdin>:1:13: error: "),
    ],
)
def test_what_could_not_run(text: bytes, message: bytes) -> None:
    result = run("structure", "-", stdin=text)
    assert (result.returncode, result.stdout) == (2, b"")
    assert message in result.stderr


def test_the_gate_names_unreadable_locations_where_it_is_asked_to() -> None:
    assert run("check", AFTER).returncode == 0
    result = run("check", AFTER, "--select", "EIO107", "--format", "concise")
    assert result.returncode == 1
    assert result.stdout.count(b": EIO107 ") == 17
    assert b"prefix: 'DEBUG|' precedes its index" in result.stdout
    everything = run("check", AFTER, "--select", "EIO1", "--format", "concise").stdout
    assert everything.count(b": EIO107 ") == 17
