"""Our own readings of what the ops do, beside the rows that the dialects' definitions give."""

from __future__ import annotations

import json
import re
from collections import Counter
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "eio_audit" / "mlir"
OWN = json.loads((FOLDER / "own_traits.json").read_text("utf-8"))
READINGS: list[dict[str, Any]] = OWN["readings"]
GENERATED: dict[str, dict[str, Any]] = {
    name: row
    for source in json.loads((FOLDER / "op_traits.json").read_text("utf-8"))["ops"].values()
    for name, row in source.items()
}
KINDS = {"read", "write", "alloc", "free"}
FLAGS = {
    "allocates",
    "aux",
    "call",
    "convergent",
    "destination_style",
    "divides",
    "fence",
    "fresh",
    "graph_region",
    "may_not_return",
    "may_trap",
    "numbers",
    "pasted",
    "recipes",
    "placed",
    "shared",
    "statistics",
    "terminator",
    "total",
    "updates",
    "view",
}
PLACE = re.compile(
    r"operand ([0-9]+|\?)( itself)?|result [0-9]+"
    r"|communication|environment|everything|files|global|solver|stack"
)
CONDITION = re.compile(r"(not )?\w+( = \w+)?")


def flagged(flag: str) -> set[str]:
    """The ops that are said to have a flag, patterns resolved."""
    return {
        name
        for reading in READINGS
        if flag in reading["row"].get("flags", ())
        for pattern in reading["ops"]
        for name in (names(pattern) or [pattern])
    }


@cache
def names(pattern: str) -> list[str]:
    if "*" not in pattern:
        return [pattern] if pattern in GENERATED else []
    return [name for name in GENERATED if fnmatchcase(name, pattern)]


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading["ops"][0])
def test_a_reading_says_something_known_with_a_reason(reading: dict[str, Any]) -> None:
    row = reading["row"]
    assert set(reading) - {"declares"} == {"ops", "row", "reason"}
    assert reading["reason"].endswith(".") and reading["ops"] == sorted(set(reading["ops"]))
    assert row and set(row) <= {"effects", "on", "flags", "operands", "when"}
    if isinstance(row.get("effects"), list):
        assert set(row["effects"]) <= KINDS
    else:
        assert row.get("effects") in (None, "dynamic", "pure", "unknown")
    told = KINDS if row.get("effects") == "dynamic" else set(row.get("effects", ()))
    for place, kinds in row.get("on", {}).items():
        assert PLACE.fullmatch(place) and kinds and set(kinds) <= told
    for condition, effects in row.get("when", {}).items():
        assert CONDITION.fullmatch(condition)
        assert all(
            PLACE.fullmatch(place) and kinds and set(kinds) <= KINDS for place, kinds in effects.items()
        )
    assert set(row.get("flags", ())) <= FLAGS


@pytest.mark.parametrize("entry", OWN["types"], ids=lambda entry: entry["types"][0])
def test_a_type_is_called_one_thing_with_a_reason(entry: dict[str, Any]) -> None:
    assert set(entry) == {"types", "kind", "reason"} and entry["reason"].endswith(".")
    assert entry["kind"] in ("plain", "content", "address") and entry["types"] == sorted(set(entry["types"]))


def test_every_op_is_one_that_a_dialect_defines() -> None:
    """An op without a row in the generated table is said to declare nothing, and then its effects are told."""
    for reading in READINGS:
        is_silent = reading.get("declares") == "nothing"
        assert [name for name in reading["ops"] if bool(names(name)) == is_silent] == []
        assert "effects" in reading["row"] or not is_silent


def test_one_reading_tells_the_effects_of_an_op() -> None:
    told = Counter(
        name
        for reading in READINGS
        if "effects" in reading["row"]
        for pattern in reading["ops"]
        for name in (names(pattern) or [pattern])
    )
    assert [name for name, count in told.items() if count > 1] == []


def test_a_reading_takes_no_effect_away() -> None:
    lost = [
        name
        for reading in READINGS
        for pattern in reading["ops"]
        for name in names(pattern)
        if isinstance(declared := GENERATED[name]["effects"], list)
        and reading["row"].get("effects") != "unknown"
        and not set(declared) <= set(reading["row"].get("effects", declared))
    ]
    assert lost == []


def test_no_result_is_both_a_view_and_fresh() -> None:
    assert flagged("view") & flagged("fresh") == set()
    views = {name for name, row in GENERATED.items() if "view" in row.get("flags", ())}
    assert views & flagged("fresh") == set()


def test_results_of_ops_that_may_do_anything_are_not_fresh() -> None:
    told = {name for reading in READINGS if "effects" in reading["row"] for name in reading["ops"]}
    anything = {
        name
        for name, row in GENERATED.items()
        if row["effects"] in ("unknown", "dynamic", "recursive") and name not in told
    }
    assert flagged("fresh") & anything == set()


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("ttnn.begin_trace_capture", "fence"),
        ("debug.region_start", "fence"),
        ("builtin.unrealized_conversion_cast", "view"),
        ("ttcore.get_tuple_element", "view"),
        ("ttcore.tuple", "view"),
        ("ttir.ttnn_metal_layout_cast", "view"),
        ("ttnn.to_layout", "view"),
        ("ttcore.optimization_barrier", "view"),
        ("arith.select", "view"),
        ("arith.remsi", "may_trap"),
        ("scf.while", "may_not_return"),
        ("cf.assert", "may_not_return"),
        ("ttnn.add", "fresh"),
        ("ttir.dot_general", "fresh"),
    ],
)
def test_an_op_has_a_flag(name: str, flag: str) -> None:
    assert name in flagged(flag)


@pytest.mark.parametrize(
    ("name", "flag"), [("arith.divsi", "may_trap"), ("llvm.sdiv", "may_trap"), ("memref.subview", "view")]
)
def test_a_definition_gives_an_op_a_flag(name: str, flag: str) -> None:
    assert flag in GENERATED[name]["flags"]
