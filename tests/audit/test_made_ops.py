"""Ops that a pass made and that stand elsewhere than the ops which they replace: where to insert them."""

import lzma
from pathlib import Path

import pytest

import eio_audit

SAMPLES = Path(__file__).parents[2] / "sample_irs"

FUSED = Path(__file__).parents[1] / "data" / "fused_slices.log.xz"
"""tt-mlir's ttir-fusing on a BERT layer: the IR before it, after it, and at the end of the pipeline."""


def function(*ops: str) -> str:
    return "func.func @f(%x: i32) {\n  " + "\n  ".join(ops) + "\n  return\n}\n"


def op(name: str, result: str, *operands: str, index: int) -> str:
    types = ", ".join(["i32"] * len(operands))
    return f'{result} = "ttir.{name}"({", ".join(operands)}) : ({types}) -> i32 loc("{index}|{name}")'


def at_a_wrong_place(before: eio_audit.Dump, after: eio_audit.Dump) -> list[tuple[list[str], str, int]]:
    """The ops to insert elsewhere, behind which op, and how many inversions that removes."""
    advice = eio_audit.diff(before, after).advice
    return [
        ([op.title for op in one.ops], one.beside.title, one.removed)
        for one in (advice.changes if advice else ())
        if one.kind == "place" and one.beside
    ]


MATMULS = function(
    op("matmul", "%0", "%x", index=1),
    op("add", "%1", "%0", index=2),
    op("matmul", "%2", "%x", index=3),
    op("add", "%3", "%2", "%1", index=4),
)
"""Two matmuls of one value."""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # The slice that replaces the second matmul can stand where that stood.
        (
            MATMULS,
            function(
                op("linear", "%0", "%x", index=1),
                op("slice_static", "%1", "%0", index=1),
                op("slice_static", "%2", "%0", index=3),
                op("add", "%3", "%1", index=2),
                op("add", "%4", "%2", "%3", index=4),
            ),
            [(["#3 ttir.slice_static %2"], "#1 ttir.linear %0", 1)],
        ),
        # The first add needs what was moved up, so that it is the location that is wrong.
        (
            MATMULS,
            function(
                op("permute", "%0", "%x", index=4),
                op("matmul", "%1", "%0", index=1),
                op("add", "%2", "%1", index=2),
                op("matmul", "%3", "%x", index=3),
            ),
            [],
        ),
        # Only one of the three inversions of the linear ops goes away where they are inserted elsewhere.
        (
            function(
                op("permute", "%0", "%x", index=1),
                op("reshape", "%1", "%x", index=2),
                op("matmul", "%2", "%x", index=5),
                op("exp", "%3", "%x", index=8),
                op("matmul", "%4", "%x", index=9),
            ),
            function(
                op("linear", "%0", "%x", index=5),
                op("permute", "%1", "%0", index=1),
                op("reshape", "%2", "%0", index=2),
                op("linear", "%3", "%x", index=9),
                op("exp", "%4", "%x", index=8),
            ),
            [],
        ),
        # An op that was only moved.
        (
            function(op("add", "%0", "%x", index=1), op("add", "%1", "%x", index=2)),
            function(op("add", "%0", "%x", index=2), op("add", "%1", "%x", index=1)),
            [(["#1 ttir.add %1"], "#2 ttir.add %0", 1)],
        ),
        # A hoisted constant.
        (
            function(op("add", "%0", "%x", index=1), op("full", "%1", index=2)),
            function(op("full", "%0", index=2), op("add", "%1", "%x", index=1)),
            [],
        ),
        # Ops that a conversion leaves out of order as they were.
        (
            function(op("add", "%0", "%x", index=2), op("add", "%1", "%x", index=1)),
            function(op("add", "%0", "%x", index=2), op("add", "%1", "%x", index=1)).replace(
                "ttir.", "ttnn."
            ),
            [],
        ),
    ],
)
def test_ops_at_a_wrong_place(before: str, after: str, expected: list[tuple[list[str], str, int]]) -> None:
    dumps = [eio_audit.read_text(text)[0] for text in (before, after)]
    assert at_a_wrong_place(*dumps) == expected


def test_the_slices_of_a_fused_matmul() -> None:
    before, after, _ = eio_audit.read_text(lzma.decompress(FUSED.read_bytes()))
    assert at_a_wrong_place(before, after) == [
        (["#80 ttir.slice_static %28", "#132 ttir.slice_static %29"], "#66 ttir.linear %26", 16)
    ]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (
            "small",
            [("location", 3, "#15 ttir.multiply %4", 12), ("location", 3, "#15 ttir.multiply %4", 0)],
        ),
        ("encoder", [("location", 8, "#0 ttir.reshape %4", 0)]),
        ("resnet", [("location", 39, "#1 ttir.broadcast %5", 3)]),
    ],
)
def test_ops_with_the_index_of_a_user(program: str, expected: list[tuple[str, int, str, int]]) -> None:
    """The numbers are those of the rebuilt pass."""
    files = (SAMPLES / program / f"{when}_alias.mlir" for when in ("before", "after"))
    advice = eio_audit.diff(*(eio_audit.read(file)[0] for file in files)).advice
    assert advice is not None
    now, found = advice.now, []
    for one in advice.changes:
        now -= one.removed
        found.append((one.kind, len(one.ops), one.beside and one.beside.title, now))
    assert found == expected


def test_a_trace_and_a_diff_give_the_same_advice() -> None:
    """Two permutes carry the index of a later op. Two slices carry the right one, in a wrong place."""
    dumps = eio_audit.read_text(lzma.decompress(FUSED.read_bytes()))[:2]
    advice = eio_audit.diff(*dumps).advice
    assert advice is not None
    traced = eio_audit.trace(dumps).passes[-1].advice
    assert traced is not None and traced.left == 88
    assert [change.ops for change in traced.changes] == [change.ops for change in advice.changes]
    assert [(one.kind, one.beside and one.beside.title, one.removed) for one in advice.changes] == [
        ("location", "#66 ttir.concat %24", 25),
        ("place", "#66 ttir.linear %26", 16),
    ]
    assert (advice.now, advice.inversions) == (129, 88)


LAYOUT = """func.func @main(%x: i32) -> (i32, i32) {{
  %0 = "t.relu"(%x) : (i32) -> i32 loc("148|relu")
  %1 = "t.reshape"(%0) : (i32) -> i32 loc("149|reshape")
  %2 = {layout} loc("{index}|layout")
  %3 = "t.argmax"(%2) : (i32) -> i32 loc("152|argmax")
  return %1, %3 : i32, i32 loc("153|return")
}}
"""


def test_an_op_in_the_place_of_another_with_the_location_of_its_input_gets_that_of_the_other() -> None:
    before = LAYOUT.format(layout='"t.to_tensor_spec"(%0) : (i32) -> i32', index=152)
    after = LAYOUT.format(layout='"t.to_layout"(%0) : (i32) -> i32', index=148)
    advice = eio_audit.diff(*(eio_audit.read_text(text)[0] for text in (before, after))).advice
    assert advice is not None
    [change] = advice.changes
    assert (change.kind, change.beside and change.beside.title, change.indices, advice.inversions) == (
        "location",
        "#152 t.to_tensor_spec %2",
        (152,),
        0,
    )


def test_an_op_whose_location_alone_changed_gets_it_back() -> None:
    before, after = (LAYOUT.format(layout='"t.cast"(%0) : (i32) -> i32', index=index) for index in (150, 148))
    advice = eio_audit.diff(*(eio_audit.read_text(text)[0] for text in (before, after))).advice
    assert advice is not None
    assert [(change.kind, change.indices) for change in advice.changes] == [("location", (150,))]
