"""The op table, and the rows that a project adds to it."""

import json
from pathlib import Path

import pytest

from eio_audit import AuditOptions, check, read_text
from eio_audit.mlir.traits import UNLISTED, parse_op_traits
from tests.internals import OpTable, OpTraits, op_traits

FOLDER = Path(__file__).parents[2] / "eio_audit" / "mlir"
WRITE = OpTraits(effects=frozenset({"write"}))
READ = OpTraits(effects=frozenset({"read"}))


@pytest.mark.parametrize(
    ("own", "name", "row"),
    [
        ({}, "my.a", UNLISTED),
        ({"my.a": WRITE}, "my.a", WRITE),
        ({"my.a": WRITE}, "my.b", UNLISTED),
        ({"my.*": READ, "my.a": WRITE}, "my.a", WRITE),
        ({"my.*": READ, "my.a": WRITE}, "my.b", READ),
        ({"my.a*": READ, "my.*": WRITE}, "my.ab", READ),
        ({"MY.*": READ}, "my.a", UNLISTED),
        ({"ttnn.relu": WRITE}, "ttnn.relu", WRITE),
        ({"ttnn.*": READ}, "ttnn.relu", op_traits()["ttnn.relu"]),
        ({"ttnn.*": READ}, "ttnn.of_tomorrow", READ),
    ],
)
def test_a_row_by_name_comes_before_a_pattern(own: dict[str, OpTraits], name: str, row: OpTraits) -> None:
    assert OpTable(own).of(name) == row


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({}, "'effects' is missing"),
        (3, "expected a table"),
        ({"effects": 3}, "expected a list of words for 'effect', as in [\"read\"]"),
        ({"effects": ["wrote"]}, "unknown effect 'wrote'; did you mean 'write'?"),
        ({"effects": [["read"]]}, "unknown effect '['read']'"),
        ({"effects": "pure", "flag": []}, "unknown key 'flag'; did you mean 'flags'?"),
        ({"effects": "pure", "flags": ["destination-style"]}, "did you mean 'destination_style'?"),
        ({"effects": "pure", "on": []}, "expected a table for 'on'"),
        ({"effects": ["read"], "on": {"operand x": ["read"]}}, "or 'result 0', not 'operand x'"),
        ({"effects": ["read"], "on": {"operand 0": ["write"]}}, "unknown effect on operand 0 'write'; known: read"),
    ],
)  # fmt: skip
def test_what_a_row_cannot_say(entry: object, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_op_traits("my.a", entry)
    assert message in str(caught.value)


def test_a_pattern_does_not_say_what_a_region_is() -> None:
    with pytest.raises(ValueError, match="'isolated' needs an op's full name instead of a pattern"):
        parse_op_traits("my.*", {"effects": "pure", "flags": ["isolated"]})


def test_the_table_has_each_row_of_the_shipped_files() -> None:
    defined, own = (
        json.loads((FOLDER / name).read_text("utf-8")) for name in ("op_traits.json", "own_traits.json")
    )
    rows = {name: row for source in reversed(defined["ops"].values()) for name, row in source.items()}
    readings = {name for reading in own["readings"] for name in reading["ops"] if "*" not in name}
    assert set(op_traits()) == rows.keys() | readings
    plain = {name: row for name, row in rows.items() if row == {"effects": "pure"}}
    assert [name for name in plain.keys() - readings if op_traits()[name].effects] == []


def test_the_words_of_the_table_are_those_of_a_row() -> None:
    used = set[str]().union(*(row.flags for row in op_traits().values()))
    with pytest.raises(ValueError, match="unknown flag") as caught:
        parse_op_traits("my.a", {"effects": "pure", "flags": ["?"]})
    known = str(caught.value).partition("known: ")[2].split(", ")
    assert len(known) > 10
    assert used >= set(known)


def avoidable(text: str, own: dict[str, OpTraits]) -> int:
    result = check(read_text(text), AuditOptions(ops=own))
    assert result.errors == ()
    return result.summary.avoidable


EFFECTS = """func.func @f(%m: memref<4xf32>, %t: tensor<4xf32>, %x: f32) {
  "my.store"(%x, %m) : (f32, memref<4xf32>) -> () loc("DEBUG|1|a")
  %0 = "my.load"(%m) : (memref<4xf32>) -> f32 loc("DEBUG|0|b")
  %1 = "my.update"(%t) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|3|c")
  %2 = "my.use"(%t) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|2|d")
  return
}
"""
LOAD = parse_op_traits("my.load", {"effects": ["read"], "on": {"operand 0": ["read"]}})
STORE = parse_op_traits("my.store", {"effects": ["write"], "on": {"operand 1": ["write"]}})
UPDATE = parse_op_traits("my.update", {"effects": ["write"], "on": {"operand 0": ["write"]}})
PURE = OpTraits()


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({}, 0),
        ({"my.*": PURE}, 2),
        ({"my.*": PURE, "my.store": STORE}, 2),
        ({"my.*": PURE, "my.store": STORE, "my.load": LOAD}, 1),
        ({"my.*": PURE, "my.update": UPDATE}, 1),
    ],
)
def test_own_rows_say_what_may_move(own: dict[str, OpTraits], expected: int) -> None:
    assert avoidable(EFFECTS, own) == expected


def test_a_region_that_a_row_marks_as_a_graph_has_no_order() -> None:
    text = (
        '"my.graph"() ({\n  %1 = "my.a"() : () -> i32 loc("1|a")\n'
        '  %0 = "my.a"() : () -> i32 loc("0|a")\n}) : () -> ()\n'
    )
    graph = parse_op_traits("my.graph", {"effects": "recursive", "flags": ["graph_region"]})
    [block] = check(read_text(text), AuditOptions(ops={"my.graph": graph})).dumps[0].blocks
    assert (block.inversions, block.forced) == (1, None)
    [block] = check(read_text(text)).dumps[0].blocks
    assert block.forced == 1


def test_an_op_told_by_a_pattern_may_be_a_terminator() -> None:
    text = (
        '"my.f"() ({\n  "my.a"() : () -> () loc("1|a")\n  "my.yield"() : () -> () loc("0|b")\n}) : () -> ()\n'
    )
    assert avoidable(text, {"my.*": PURE}) == 0
    assert avoidable(text, {"my.a": PURE, "my.yield": PURE}) == 1
