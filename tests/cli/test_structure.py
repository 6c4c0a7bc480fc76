import json

import pytest

from tests.audit.test_check import ISSUE
from tests.cli.running import SAMPLES, run

BEFORE, AFTER = (SAMPLES / "small" / f"{when}_alias.mlir" for when in ("before", "after"))
LOG = SAMPLES / "resnet" / "all_passes_alias.log"
UNNUMBERED = b"func.func @f(%a: i32) -> i32 {\n  return %a : i32\n}\n"

REPORT = """\
<stdin>:1:1
  code generation cuts @forward into 8 functions, 8 after fix, 7 after fix --relabel
    ties are broken by index; other choices give 8 to 9 functions
    most torn: Conv2d[net.conv1] in 2 functions
    code generation cannot read 17 of 17 locations: 16 with 'DEBUG|' before the index, 1 without an index, \
a line or another field
    the functions below assume names without 'DEBUG|'
    1 op stays outside the functions

torn modules  1 module in more functions than necessary
  as it is  after fix  after fix --relabel  functions with ops of
         2          2                    1  Conv2d[net.conv1]

modules  and the functions that hold their ops
  module                    ops  functions  which
  Net[net]                   16          8  1-8
    Conv2d[net.conv0]         1          1  1
    Conv2d[net.conv1]         7          2  2, 6
    BatchNorm2d[net.norm0]    2          1  3
    ReLU[net.act0]            1          1  5
    ReLU[net.act1]            1          1  7
    Sigmoid[net.gate]         3          1  8

functions  in call order
     function         ops  in  out  index  line  module
  1  Conv2d_0_0         1   2    1     14    10  Conv2d[net.conv0]
  2  Conv2d_1_0         6   3    3     23    11  Conv2d[net.conv1]
  3  BatchNorm2d_2_0    2   3    1     15    13  BatchNorm2d[net.norm0]
  4  Net_3_0            1   2    1     18    19  Net[net]
  5  ReLU_4_0           1   1    1     19    20  ReLU[net.act0]
  6  Conv2d_5_0         1   2    1     23    21  Conv2d[net.conv1]
  7  ReLU_6_0           1   1    1     24    22  ReLU[net.act1]
  8  Sigmoid_7_0        3   1    1     25    23  Sigmoid[net.gate]

eio-audit check FILE --select EIO107   # lists the unreadable locations
eio-audit fix --relabel FILE           # corrects wrong op indices
eio-audit diff BEFORE FILE             # shows what a pass tore
"""


def test_the_report_begins_with_what_matters_and_ends_with_what_to_type() -> None:
    result = run("structure", "-", stdin=AFTER.read_bytes())
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.decode() == REPORT


def test_json() -> None:
    document = json.loads(run("structure", AFTER, "--format", "json").stdout)
    assert (document["schema"], document["command"]) == ("eio-audit/1", "structure")
    assert document["stages"]["now"] == {
        "functions": 8,
        "fewest": 8,
        "most": 9,
        "callers": ["@forward"],
        "ops": 17,
        "left_out": 1,
        "unreadable": {"prefix": 16, "field": 1},
        "clashes": [],
    }
    assert list(document["stages"]) == ["now", "fixed", "relabelled"]
    assert document["functions"][1] == {
        "name": "Conv2d_1_0",
        "caller": "@forward",
        "file": "/proj/model.py:14",
        "function": "forward",
        "path": ["Net[net]", "Conv2d[net.conv1]"],
        "ops": 6,
        "inputs": 3,
        "outputs": 3,
        "first_index": 23,
        "last_index": 23,
        "line": 11,
        "parts": [{"path": ["Net[net]", "Conv2d[net.conv1]"], "ops": 6}],
    }
    path = ["Net[net]", "Conv2d[net.conv1]"]
    assert document["modules"][0] == {
        "name": "Conv2d[net.conv1]",
        "path": path,
        "least": 1,
        "now": 2,
        "fixed": 2,
        "relabelled": 1,
    }


def test_a_diff_has_the_stages_of_both_dumps() -> None:
    document = json.loads(run("diff", BEFORE, AFTER, "--format", "json").stdout)["structure"]
    sizes = {stage: figures["functions"] for stage, figures in document["stages"].items()}
    assert sizes == {"before": 7, "after": 8, "fixed": 8, "relabelled": 7}
    worst = document["modules"][0]
    assert (worst["name"], worst["before"], worst["after"]) == ("Conv2d[net.conv1]", 1, 2)


def test_a_diff_of_dumps_that_become_the_same_functions_says_nothing_of_them() -> None:
    assert b"code generation" not in run("diff", BEFORE, BEFORE).stdout


def test_one_dump_of_a_log() -> None:
    result = run("structure", LOG, "--pass", "ttir-erase-inverse-ops", "--dump", "last")
    assert b"code generation cuts @forward into 89 functions" in result.stdout
    assert b"there are 16 dumps: choose one with --pass and --dump" in run("structure", LOG).stderr


def test_a_function_that_names_nothing_readable() -> None:
    text = ISSUE.replace("DEBUG|15|", "DEBUG|15;").replace("DEBUG|23|", "DEBUG|23;")
    result = run("structure", "-", "--index-pattern", "(?P<index>[0-9]+)[|;]", stdin=text.encode())
    assert (result.returncode, b"cannot read" in result.stdout) == (0, True)


def test_several_functions_are_too_many_for_code_generation() -> None:
    one = '(%a: i32) -> i32 {\n  %0 = "ttir.abs"(%a) : (i32) -> i32 loc("0|N[n]|m.py:1|f|2|x")\n  return %0 : i32\n}\n'
    result = run("structure", "-", stdin=f"func.func @f{one}func.func @g{one}".encode())
    assert b"cuts 2 functions into 2 functions" in result.stdout
    assert b"code generation expects one function per module and rejects these 2: @f, @g" in result.stdout


def test_without_functions_it_says_so() -> None:
    text = 'module {\n  "my.op"() : () -> () loc("0|N[n]|m.py:1|f|2|x")\n}\n'
    result = run("structure", "-", stdin=text.encode())
    assert (result.returncode, result.stdout) == (
        0,
        b"<stdin>:1:1\n  code generation makes no function from this dump\n",
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
