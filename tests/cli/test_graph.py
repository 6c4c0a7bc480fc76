import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.audit.test_check import ISSUE
from tests.cli.running import SAMPLES, run

RESNET = SAMPLES / "resnet" / "after_alias.mlir"
LOG = SAMPLES / "resnet" / "all_passes_alias.log"


def test_dot_is_the_default() -> None:
    result = run("graph", "-", stdin=ISSUE.encode())
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.startswith(b'digraph "@main ^bb0 at line 3 of <stdin>:2:1" {\n')


def test_the_neighbourhood_of_an_op_of_a_real_dump() -> None:
    document = json.loads(run("graph", RESNET, "--around", "%106", "--format", "json").stdout)
    assert [(op["op"], op["result"], op["displaced"]) for op in document["nodes"]] == [
        ("ttir.reshape", "%105", False),
        ("ttir.permute", "%106", True),
        ("ttir.broadcast", "%107", False),
        ("ttir.multiply", "%108", False),
    ]
    assert [edge["inverting"] for edge in document["edges"]] == [False, True, False]


def test_a_dump_of_a_log_by_line() -> None:
    document = json.loads(run("graph", LOG, "--around", "4801", "--format", "json").stdout)
    assert (document["graph"]["pass"], document["graph"]["when"]) == ("ttir-erase-inverse-ops", "after")


def test_a_picture_of_a_whole_block(tmp_path: Path) -> None:
    result = run("graph", RESNET, "--format", "svg", "-o", tmp_path / "block.svg")
    assert (result.returncode, result.stdout) == (0, b"")
    assert ElementTree.parse(tmp_path / "block.svg").getroot().tag.endswith("svg")


def test_a_picture_of_too_many_ops_is_refused(tmp_path: Path) -> None:
    ops = '"ttir.add"() : () -> ()\n' * 700
    result = run("graph", "-", "--format", "svg", stdin=f"func.func @f() {{\n{ops}return\n}}\n".encode())
    assert (result.returncode, result.stdout) == (2, b"")
    assert (
        b"701 ops are too many for a picture, the limit is 600: try --around OP, or another format"
        in result.stderr
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((RESNET, "--around", "%106", "--block", "@forward"), b"--around cannot be used with --block"),
        ((RESNET, "--radius", "3"), b"--radius requires --around"),
        ((RESNET, "--around", "%9999"), b"did you mean %99 (line 171)"),
        ((RESNET, "--block", "@main"), b"name one by its line: 72 (@forward ^bb0, 234 ops)"),
        ((LOG,), b"there are 16 dumps: choose one"),
        (("-",), b"the input is empty"),
    ],
)
def test_what_cannot_be_drawn_exits_2(args: tuple[str | Path, ...], message: bytes) -> None:
    result = run("graph", *args)
    assert (result.returncode, result.stdout) == (2, b"")
    assert message in result.stderr
