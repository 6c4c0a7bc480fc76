"""iree-opt runs pipelines on stamped programs. MLIR's view of the dumps shows which passes put ops out of order."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path

import pytest
from iree.compiler import ir

from eio_audit import Trace, stream, trace
from tests.internals import find_dump_files
from tests.judge import parse
from tests.tools import iree_opt

PROGRAM = """
func.func private @callee(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  %k = arith.constant 3.0 : f32
  %1 = arith.mulf %0, %k : f32
  return %1 : f32
}
func.func @loop(%x: f32, %m: memref<8xf32>, %n: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    %3 = math.exp %x : f32
    %4 = memref.load %m[%i] : memref<8xf32>
    %5 = arith.mulf %3, %4 : f32
    memref.store %5, %m[%i] : memref<8xf32>
  }
  return
}
func.func @calls(%x: f32) -> f32 {
  %0 = math.sqrt %x : f32
  %1 = call @callee(%0) : (f32) -> f32
  %2 = call @callee(%1) : (f32) -> f32
  return %2 : f32
}
func.func @buffers(%n: index, %x: f32) -> memref<?xf32> {
  %0 = math.exp %x : f32
  %k = arith.constant 2 : index
  %1 = memref.alloc(%n) : memref<?xf32>
  memref.store %0, %1[%k] : memref<?xf32>
  return %1 : memref<?xf32>
}
func.func @still(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}
"""

LINALG = """
func.func @linalg(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = math.exp %a : tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = math.tanh %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
"""

PIPELINES = {
    "constants": (PROGRAM, "func.func(cse,loop-invariant-code-motion,canonicalize),symbol-dce"),
    "buffers": (PROGRAM, "func.func(cse,loop-invariant-code-motion,buffer-hoisting,canonicalize)"),
    "inline": (PROGRAM, "func.func(cse),inline,cse,symbol-dce"),
    "dispatches": (
        LINALG,
        "func.func(convert-elementwise-to-linalg),iree-import-public,util.func(linalg-fuse-elementwise-ops),"
        "iree-dispatch-creation-pipeline",
    ),
}

MARKER = re.compile(
    r"// -----// IR Dump (Before|After) [^\n]*?: ([\w-]+)[^\n]*?(?:\('[\w.]+' operation(?:: @(\w+))?\))? //----- //\n"
)


def stamped(text: str) -> str:
    """Return the program with an op index in every op's location, in MLIR's walk order: outer ops first."""
    module = parse(text)
    count = 0

    def stamp(op: ir.OpView) -> None:
        nonlocal count
        for region in op.operation.regions:
            for block in region.blocks:
                for inner in block.operations:
                    inner.operation.location = ir.Location.name(f"{count}|net|op", context=module.context)
                    count += 1
                    stamp(inner)

    stamp(module.operation)
    return module.operation.get_asm(enable_debug_info=True)


def compiled(tmp_path: Path, pipeline: str, *flags: str) -> str:
    """Return what iree-opt prints on standard error."""
    program, passes = PIPELINES[pipeline]
    source = tmp_path / "in.mlir"
    source.write_text(stamped(program))
    command = [iree_opt(), str(source), f"--pass-pipeline=builtin.module({passes})", "--mlir-print-debuginfo"]
    done = subprocess.run([*command, *flags, "-o", "/dev/null"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stderr


def traced(path: Path) -> Trace:
    result = trace(dump for file in find_dump_files(str(path)) for dump in stream(file.path, file.program))
    assert result.errors == ()
    return result


def sections(log: str) -> Iterator[tuple[str, str, str]]:
    """Yield (Before or After, pass, text) of each dump, by the markers alone."""
    found = list(MARKER.finditer(log))
    ends = [*(match.start() for match in found[1:]), len(log)]
    for match, end in zip(found, ends, strict=True):
        yield match[1], match[2], log[match.end() : end]


def inversions(text: str) -> dict[str, int]:
    """Count the inverted pairs of ops in blocks, as MLIR sees them, by function."""
    counts: dict[str, int] = {}

    def visit(op: ir.Operation, function: str) -> None:
        if "sym_name" in op.attributes and op.name.endswith(".func"):
            function = ir.StringAttr(op.attributes["sym_name"]).value
            counts.setdefault(function, 0)
        for region in op.regions:
            for block in region.blocks:
                ops = [inner.operation for inner in block.operations]
                if op.name != "builtin.module":
                    indices = [index for index in map(_index, ops) if index is not None]
                    own = sum(first > second for first, second in combinations(indices, 2))
                    counts[function] = counts.get(function, 0) + own
                for inner in ops:
                    visit(inner, function)

    visit(parse(text).operation, "")
    return counts


def _index(op: ir.Operation) -> int | None:
    """Return the first index in its location, callers before callees."""
    names = re.findall(r'"(\d+)\|', str(op.location).rpartition(" at ")[2])
    return min(map(int, names), default=None)


def that_shuffled(log: str) -> set[str]:
    """Return the passes of a log of pairs of dumps with more inversions in a function after them."""
    known: dict[str, int] = {}
    found = set()
    for when, name, text in sections(log):
        counts = inversions(text)
        if when == "After" and any(counts[f] > known.get(f, 0) for f in counts):
            found.add(name)
        known.update(counts)
    return found


BEFORE, AFTER = "--mlir-print-ir-before-all", "--mlir-print-ir-after-all"
IN_MODULES = ("--mlir-print-ir-module-scope", "--mlir-disable-threading")
WAYS = {
    "modules": (BEFORE, AFTER, *IN_MODULES),
    "functions": (BEFORE, AFTER, "--mlir-disable-threading"),
    "interleaved": (BEFORE, AFTER),
    "after": (AFTER, *IN_MODULES),
    "before": (BEFORE, *IN_MODULES),
    "after-change": (BEFORE, AFTER, "--mlir-print-ir-after-change"),
}


@pytest.fixture(scope="module", params=PIPELINES)
def pipeline(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def judged(pipeline: str, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The passes of a pipeline that put ops out of order, as MLIR sees it."""
    return that_shuffled(compiled(tmp_path_factory.mktemp("judged"), pipeline, *WAYS["modules"]))


def with_made(result: Trace) -> set[str | None]:
    """Return the passes that put pairs of ops out of order."""
    return {p.pass_name for p in result.passes if p.made}


@pytest.mark.parametrize(
    ("pipeline", "way"),
    [
        pytest.param(name, way, marks=[] if name == "constants" or way == "modules" else pytest.mark.slow)
        for name, way in product(PIPELINES, WAYS)
    ],
    indirect=["pipeline"],
    scope="module",
)
def test_mlir_agrees_who_shuffled(pipeline: str, judged: set[str], way: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(compiled(tmp_path, pipeline, *WAYS[way]))
    assert judged
    assert judged <= with_made(traced(path))  # a pass that replaces ops may make pairs and end as many


def test_a_tree_tells_the_same(pipeline: str, judged: set[str], tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    compiled(tmp_path, pipeline, BEFORE, AFTER, f"--mlir-print-ir-tree-dir={tree}")
    assert judged <= with_made(traced(tree))


def histories(result: Trace) -> dict[str | None, list[tuple[str | None, bool | None, int, int]]]:
    """Return, by function, its passes, whether they changed it, its inversions, and those it made."""
    found: dict[str | None, list[tuple[str | None, bool | None, int, int]]] = {}
    for p in result.passes:
        row = (p.pass_name, p.changed, p.figures.inversions, p.made)
        found.setdefault(p.function, []).append(row)
    return found


def test_threads_do_not_change_histories(tmp_path: Path) -> None:
    for way in ("functions", "interleaved"):
        (tmp_path / way).write_text(compiled(tmp_path, "constants", *WAYS[way]))
    assert histories(traced(tmp_path / "functions")) == histories(traced(tmp_path / "interleaved"))
