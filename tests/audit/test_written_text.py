"""What ``fix`` writes is MLIR: ``mlir-opt`` reads it, and sees the same ops."""

from __future__ import annotations

from pathlib import Path

import pytest

from eio_audit import fix, read, read_text
from tests.mlir_texts import generated, odd, read_by_mlir
from tests.tools import needs_mlir_opt

RENAMED = sorted((Path(__file__).parent.parent / "data" / "rename").glob("*.mlir"))


@needs_mlir_opt
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_what_fix_writes_mlir_reads(seed: int) -> None:
    texts = [generated(1000 * seed + number, size=14).encode() for number in range(90)]
    of_mlir = [(text, before) for text, before in zip(texts, read_by_mlir(texts), strict=True) if before]
    assert len(of_mlir) > 80
    results = [fix(read_text(text)) for text, _ in of_mlir]
    assert sum(result.changed for result in results) > 60
    after = read_by_mlir([result.text for result in results])
    assert [one for (_, before), one in zip(of_mlir, after, strict=True) if one != before] == []


@needs_mlir_opt
@pytest.mark.parametrize("first", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 34))])
def test_what_fix_writes_of_odd_texts_mlir_reads(first: int) -> None:
    """Torn lines, comments, line ends, locations of all kinds, names that occur again, unreachable blocks."""
    texts = [odd(60 * first + number) for number in range(60)]
    before = read_by_mlir(texts)
    assert None not in before
    results = [fix(read_text(text)) for text in texts]
    assert sum(result.changed for result in results) > 30
    assert read_by_mlir([result.text for result in results]) == before


@needs_mlir_opt
def test_names_in_regions_that_may_clash_are_changed() -> None:
    """``tests/data/rename``: an induction variable, and arguments and results in regions of unlisted ops."""
    results = [fix(read(path)) for path in RENAMED]
    assert [result.moved for result in results] == [1, 1, 1]
    before = read_by_mlir([path.read_bytes() for path in RENAMED])
    assert None not in before
    assert read_by_mlir([result.text for result in results]) == before


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("%0", "%2"),  # %1 is taken
        ("%a", "%a_1"),  # %a_0 is taken: it is in a comment
    ],
)
def test_a_name_that_clashes_gets_a_free_one(name: str, new: str) -> None:
    text = f"""func.func @f(%x: f32) {{
  "my.region"() ({{
    {name} = arith.negf %x : f32 // %a_0
    "my.use"({name}, {name}) : (f32, f32) -> ()
  }}) : () -> () loc("DEBUG|2|m")
  {name} = arith.negf %x : f32 loc("DEBUG|1|m")
  %1 = arith.negf {name} : f32 loc("DEBUG|3|m")
  return
}}
"""
    lines = fix(read_text(text)).text.decode().split("\n")
    assert lines[1:5] == [
        f'  {name} = arith.negf %x : f32 loc("DEBUG|1|m")',
        '  "my.region"() ({',
        f"    {new} = arith.negf %x : f32 // %a_0",
        f'    "my.use"({new}, {new}) : (f32, f32) -> ()',
    ]


def test_a_name_in_the_region_of_an_unlisted_op_is_changed() -> None:
    """Its own syntax might let it repeat the name around it, or not."""
    text = """func.func @f(%x: f32) {
  my.region {
    %a = arith.negf %x : f32 loc("DEBUG|9|m")
  } loc("DEBUG|2|m")
  %a = arith.negf %x : f32 loc("DEBUG|1|m")
  return
}
"""
    lines = fix(read_text(text)).text.decode().split("\n")
    assert lines[1:4] == [
        '  %a = arith.negf %x : f32 loc("DEBUG|1|m")',
        "  my.region {",
        '    %a_0 = arith.negf %x : f32 loc("DEBUG|9|m")',
    ]


def test_an_op_behind_a_comment_that_a_carriage_return_ends_keeps_its_place() -> None:
    text = """func.func @f(%x: f32, %y: f32, %m: memref<f32>) -> f32 {
  %b = memref.load %m[] : memref<f32> loc("DEBUG|5|m")
  // comment\r  memref.store %x, %m[] : memref<f32> loc("DEBUG|1|m")
  %c = arith.negf %y : f32 loc("DEBUG|0|m")
  return %b : f32
}
"""
    after = fix(read_text(text)).text
    assert after.index(b"|0|") < after.index(b"|5|") < after.index(b"|1|")
