"""Measure how far ``reduce`` cuts programs on which real passes fail: ``python benchmarks/reduction.py``.

Each program has 100 to 2,000 ops. The table has the ops before and after, runs and time, and the same of
``mlir-reduce``. It needs LLVM 22 and the extra ``test``.
"""

from __future__ import annotations

import json
import random
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from iree.compiler.tools import binaries

HEAD = """memref.global "private" constant @table : memref<4xf32> = dense<[0.0, 1.0, 2.0, 3.0]>
func.func @helper(%a: f32, %m: memref<?xf32>, %n: index) -> (f32, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %k = %c0) -> (f32, index) {
    %l = memref.load %m[%i] : memref<?xf32>
    %s = arith.addf %acc, %l : f32
    %k1 = arith.addi %k, %c1 : index
    scf.yield %s, %k1 : f32, index
  }
  %q = arith.addf %r#0, %a : f32
  return %q, %r#1 : f32, index
}
"""
FUNCTION = """func.func @f{number}(%x: f32, %y: f32, %m: memref<?xf32>, %t: tensor<4x8xf32>, \
%u: tensor<8x16xf32>, %v: vector<4xf32>, %n: index, %b: i1) -> (f32, tensor<4x16xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant 1.5 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %init = linalg.fill ins(%cst : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %mm = linalg.matmul ins(%t, %u : tensor<4x8xf32>, tensor<8x16xf32>) outs(%init : tensor<4x16xf32>) \
-> tensor<4x16xf32>
"""
SNIPPETS = (
    ("f", "  {o} = arith.{op} {f}, {g} : f32"),
    ("f", "  {o} = math.{fn} {f} : f32"),
    ("i", "  {o} = arith.addi {i}, {j} : index"),
    ("f", "  {o} = memref.load %m[{i}] : memref<?xf32>"),
    ("", "  memref.store {f}, %m[{i}] : memref<?xf32>"),
    (
        "f",
        "  {o} = scf.if %b -> (f32) {{\n    %p{k} = arith.mulf {f}, {g} : f32\n    scf.yield %p{k} : f32\n"
        "  }} else {{\n    scf.yield {g} : f32\n  }}",
    ),
    (
        "ff",
        "  {o}:2 = scf.for %i{k} = %c0 to %n step %c1 iter_args(%a{k} = {f}, %b{k} = {g}) -> (f32, f32) {{\n"
        "    %p{k} = arith.addf %a{k}, {f} : f32\n    %q{k} = memref.load %m[%i{k}] : memref<?xf32>\n"
        "    scf.yield %p{k}, %q{k} : f32, f32\n  }}",
    ),
    (
        "f",
        "  {o} = affine.for %i{k} = 0 to 8 iter_args(%a{k} = {f}) -> (f32) {{\n"
        "    %p{k} = affine.load %m[%i{k} + 1] : memref<?xf32>\n    %q{k} = arith.addf %a{k}, %p{k} : f32\n"
        "    affine.yield %q{k} : f32\n  }}",
    ),
    ("v", "  {o} = vector.fma {v}, {v}, {v} : vector<4xf32>"),
    ("f", "  {o} = vector.reduction <add>, {v} : vector<4xf32> into f32"),
    ("v", "  {o} = vector.broadcast {f} : f32 to vector<4xf32>"),
    ("fi", "  {o}:2 = call @helper({f}, %m, {i}) : (f32, memref<?xf32>, index) -> (f32, index)"),
    (
        "",
        "  scf.parallel (%i{k}) = (%c0) to (%n) step (%c1) {{\n    %p{k} = arith.mulf {f}, %cst : f32\n"
        "    memref.store %p{k}, %m[%i{k}] : memref<?xf32>\n    scf.reduce\n  }}",
    ),
)
ENDLESS = """func.func @loop(%cond: i1, %init: i32, %f: f32) -> f32 {
  %true = arith.constant true
  %c1 = arith.constant 1 : i32
  %k = arith.addf %f, %f : f32
  cf.cond_br %true, ^exit, ^header(%init : i32)
^header(%iv: i32):
  cf.cond_br %cond, ^exit, ^latch
^latch:
  %next = arith.addi %iv, %c1 : i32
  cf.br ^header(%next : i32)
^exit:
  return %k : f32
}
"""
TO_CF = "--lower-affine --convert-scf-to-cf"
TO_LLVM = (
    "--one-shot-bufferize=bufferize-function-boundaries --convert-linalg-to-loops --lower-affine "
    "--convert-scf-to-cf --convert-vector-to-llvm --expand-strided-metadata --lower-affine "
    "--finalize-memref-to-llvm --convert-math-to-llvm --convert-math-to-libm --convert-arith-to-llvm "
    "--convert-func-to-llvm --convert-cf-to-llvm --convert-index-to-llvm --reconcile-unrealized-casts"
)
TO_GPU = (
    "--pass-pipeline=builtin.module(func.func(gpu-map-parallel-loops),convert-parallel-loops-to-gpu,"
    "gpu-kernel-outlining)"
)
RUN = """#!/bin/sh
lower="--lower-affine --convert-scf-to-cf --expand-strided-metadata --finalize-memref-to-llvm \
--convert-vector-to-llvm --convert-math-to-libm --convert-arith-to-llvm --convert-func-to-llvm \
--convert-cf-to-llvm --convert-index-to-llvm --reconcile-unrealized-casts"
run="mlir-runner-22 -e main --entry-point-result=f32 --shared-libs=libm.so.6"
right=$(mlir-opt-22 "$1" $lower | $run) || exit 1
wrong=$(mlir-opt-22 "$1" --test-math-polynomial-approximation | mlir-opt-22 $lower | $run) || exit 1
[ "$right" != "$wrong" ] && [ "$right" != nan ]
"""
BUGS = {
    "affine": ("", "mlir-opt-22 --affine-loop-fusion"),
    "scf": ("", "mlir-opt-22 --convert-scf-to-spirv"),
    "linalg": ("", "mlir-opt-22 --convert-arith-to-llvm"),
    "func": ("", "mlir-opt-22 --test-convert-func-op"),
    "memref": ("", "mlir-opt-22 --convert-memref-to-emitc"),
    "vector": ("", "mlir-opt-22 --xegpu-subgroup-distribute"),
    "slices": ("", "mlir-opt-22 --slice-analysis-test"),
    "cf": (TO_CF, "mlir-opt-22 --remove-dead-values"),
    "visitors": (TO_CF, "mlir-opt-22 --test-ir-visitors"),
    "llvm": (TO_LLVM, "mlir-opt-22 --remove-dead-values"),
    "gpu": (TO_GPU, "mlir-opt-22 --gpu-to-llvm"),
    "endless": ("", "mlir-opt-22 --canonicalize"),
    "sink": ("stamp", "mlir-opt-22 --control-flow-sink"),
    "iree affine": ("", "iree-opt --affine-loop-fusion"),
    "iree gpu": ("", "iree-opt --iree-convert-to-nvvm"),
    "iree vm": ("", "iree-opt --iree-vm-conversion"),
}
"""By name, how the program is lowered, and the command that fails."""


def program(seed: int, functions: int) -> str:
    """A program over several dialects."""
    chosen, lines = random.Random(seed), [HEAD]
    for number in range(functions):
        lines.append(FUNCTION.format(number=number))
        known = {"f": ["%x", "%y", "%cst"], "i": ["%c0", "%c1", "%n"], "v": ["%v"]}
        for k in range(45):
            kinds, text = chosen.choice(SNIPPETS)
            values = {name: chosen.choice(known[kind]) for name, kind in zip("fgijv", "ffiiv", strict=True)}
            op, fn = chosen.choice(["addf", "mulf", "maximumf"]), chosen.choice(["exp", "tanh", "sqrt"])
            lines.append(text.format(o=f"%o{k}", k=k, op=op, fn=fn, **values))
            for place, kind in enumerate(kinds):
                known[kind].append(f"%o{k}" if len(kinds) == 1 else f"%o{k}#{place}")
        lines.append(f"  return {known['f'][-1]}, %mm : f32, tensor<4x16xf32>\n}}")
    return "\n".join(lines) + "\n"


def sinking(count: int) -> str:
    """A program with values that one branch alone uses."""
    lines = ["func.func @s(%b: i1, %x: f32, %m: memref<8xf32>, %i: index) -> f32 {"]
    last = "%x"
    for k in range(count):
        lines += [f"  %a{k} = arith.addf {last}, %x : f32", f"  %e{k} = math.exp {last} : f32"]
        lines += [f"  %t{k} = math.tanh %e{k} : f32", f"  %r{k} = scf.if %b -> (f32) {{"]
        lines += [f"    %p{k} = arith.addf %t{k}, %a{k} : f32", f"    scf.yield %p{k} : f32", "  } else {"]
        lines += [f"    %q{k} = memref.load %m[%i] : memref<8xf32>", f"    scf.yield %q{k} : f32", "  }"]
        last = f"%r{k}"
    return "\n".join([*lines, f"  return {last} : f32\n}}\n"])


def made(name: str, lowering: str, folder: Path) -> Path:
    """Write a program, lowered, and return its path."""
    path, plain = folder / f"{name.replace(' ', '_')}.mlir", folder / "plain.mlir"
    plain.write_text(sinking(60) if name == "sink" else program(1, 5) + ENDLESS * (name == "endless"))
    tool = ["eio-audit", "stamp"] if lowering == "stamp" else ["mlir-opt-22", *shlex.split(lowering)]
    subprocess.run([*tool, plain, "-o", path], check=True)
    return path


def running(seed: int) -> str:
    """A program that runs, with a function that its main function calls."""
    chosen, values = random.Random(seed), ["%a", "%b"]
    lines = ["func.func private @g(%x: f32, %y: f32) -> (f32, f32) {", "  %0 = arith.addf %x, %y : f32"]
    lines += ["  %1 = math.tanh %0 : f32", "  return %1, %0 : f32, f32", "}", "func.func @main() -> f32 {"]
    lines += [f"  %c{n} = arith.constant {n} : index" for n in (0, 1, 4)]
    lines += ["  %a = arith.constant 0.37 : f32", "  %b = arith.constant -0.81 : f32"]
    for k in range(70):
        one, other = chosen.choice(values), chosen.choice(values[-4:])
        if k % 3 == 0:
            lines.append(f"  %o{k}:2 = call @g({one}, {other}) : (f32, f32) -> (f32, f32)")
            values.append(f"%o{k}#0")
        elif k % 3 == 1:
            lines.append(f"  %o{k} = arith.{chosen.choice(['addf', 'mulf'])} {one}, {other} : f32")
            values.append(f"%o{k}")
        else:
            head = f"  %o{k} = scf.for %i{k} = %c0 to %c4 step %c1 iter_args(%q{k} = {one}) -> (f32) {{"
            lines += [head, f"    %s{k} = math.tanh %q{k} : f32", f"    scf.yield %s{k} : f32", "  }"]
            values.append(f"%o{k}")
    return "\n".join([*lines, f"  return {values[-1]} : f32", "}\n"])


def reduced(command: list[str], result: Path) -> tuple[dict[str, object], float]:
    """Return the report of ``reduce``, and the seconds."""
    start = time.monotonic()
    whole = ["eio-audit", "reduce", "--format", "json", "-o", str(result), *command]
    done = subprocess.run(whole, capture_output=True, check=True)
    report: dict[str, object] = json.loads(done.stdout)
    return report, time.monotonic() - start


def by_mlir_reduce(path: Path, command: str, folder: Path) -> tuple[str, float]:
    """Return how many ops ``mlir-reduce`` leaves, and the seconds."""
    error = subprocess.run([*shlex.split(command), path], capture_output=True, check=False)
    said = next((line for line in error.stderr.decode().splitlines() if "error: " in line), "Stack dump")
    what = said.partition("error: ")[2] or said
    test = folder / "test.sh"
    test.write_text(f'#!/bin/sh\n{command} "$1" 2>&1 | grep -qF {shlex.quote(what)} && exit 1\nexit 0\n')
    test.chmod(0o755)
    small, start = folder / "mlir_reduce.mlir", time.monotonic()
    small.unlink(missing_ok=True)
    words = ["mlir-reduce-22", path, f"-reduction-tree=traversal-mode=0 test={test}", "-o", small]
    try:
        code = subprocess.run(words, capture_output=True, timeout=120, check=False).returncode
    except subprocess.TimeoutExpired:
        return "not done", time.monotonic() - start
    seconds = time.monotonic() - start
    if code or not small.exists():
        return "fails", seconds
    return f"{small.read_text().count(chr(10))} lines", seconds


def main() -> None:
    """Print the table."""
    wanted = sys.argv[1:]
    print("| program | command | ops | runs | s | mlir-reduce | s |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for bug, (lowering, command) in BUGS.items():
            if wanted and bug not in wanted:
                continue
            path = made(bug, lowering, folder)
            limit = ["--timeout", "1"] if bug == "endless" else []
            result = Path("/dev/null") if not wanted else Path(f"{bug.replace(' ', '_')}.small.mlir")
            binary = command.replace("iree-opt", str(binaries.find_tool("iree-opt")))  # not its script
            report, seconds = reduced([*limit, "--", *shlex.split(binary), str(path)], result)
            is_alike = bug not in {"endless", "sink"} and binary == command
            other = by_mlir_reduce(path, command, folder) if is_alike else ("", 0.0)
            print(row(bug, command, report, seconds, *other), flush=True)
        if not wanted or "running" in wanted:
            path, test = folder / "running.mlir", folder / "differs.sh"
            path.write_text(running(5))
            test.write_text(RUN)
            test.chmod(0o755)
            command = ["--interesting", str(test), "--printer", "mlir-opt-22", str(path)]
            report, seconds = reduced(command, Path("/dev/null"))
            print(row("running", "another result", report, seconds, "", 0.0))


def row(bug: str, command: str, report: dict[str, object], seconds: float, other: str, others: float) -> str:
    """Return a row of the table."""
    sizes = [report[when] for when in ("before", "after")]
    ops = " -> ".join(f"{size['ops']:,}" for size in sizes if isinstance(size, dict))
    took = f"{others:.0f}" if other else ""
    return f"| {bug} | `{command}` | {ops} | {report['runs']} | {seconds:.0f} | {other} | {took} |"


if __name__ == "__main__":
    main()
