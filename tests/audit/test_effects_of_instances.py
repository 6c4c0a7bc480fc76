"""Our effects of ops against MLIR's, which ``mlir-opt --test-side-effects`` asks of each op as it stands.

What C++ computes from an op's attributes, types and operands is in no definition; it is told here.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict

import pytest

from eio_audit import AuditOptions, read_text
from tests.internals import Dependences, read_ir
from tests.running.native_programs import native_program
from tests.tools import mlir_tool, needs_mlir_opt

pytestmark = needs_mlir_opt

REMARK = re.compile(r"^\S*?:(\d+):\d+: remark: found an instance of '(\w+)'", re.M)
KIND_OF = {"read": "read", "write": "write", "free": "free"}

INSTANCES = """func.func private @foreign()
func.func @f(%m: memref<4xf32>, %n: memref<4xf32>, %i: index, %x: f32, %c: i1, %p: !llvm.ptr, %q: !llvm.ptr,
             %t: tensor<4xf32>, %v: vector<4xf32>, %k: i32, %l: i64, %b: vector<4xi1>, %w: vector<4xi32>, %d: memref<?xf32>) {
  cf.assert %c, "no"
  %1 = llvm.load %p : !llvm.ptr -> f32
  %2 = llvm.load volatile %p : !llvm.ptr -> f32
  %3 = llvm.load %p atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> f32
  %4 = llvm.load %p invariant : !llvm.ptr -> f32
  llvm.store %x, %p : f32, !llvm.ptr
  llvm.store volatile %x, %p : f32, !llvm.ptr
  llvm.store %x, %p atomic release {alignment = 4 : i64} : f32, !llvm.ptr
  %5 = llvm.atomicrmw add %p, %k acq_rel : !llvm.ptr, i32
  %6 = llvm.cmpxchg %p, %k, %k acq_rel monotonic : !llvm.ptr, i32
  llvm.fence seq_cst
  %7 = llvm.intr.stacksave : !llvm.ptr
  llvm.intr.stackrestore %7 : !llvm.ptr
  "llvm.intr.memcpy"(%p, %q, %l) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  "llvm.intr.memcpy"(%p, %q, %l) <{isVolatile = true}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %8 = llvm.inline_asm has_side_effects "nop", "=r" : () -> i32
  %9 = llvm.inline_asm "mov $0, 1", "=r" : () -> i32
  linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)
  %10 = linalg.fill ins(%x : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  linalg.copy ins(%m : memref<4xf32>) outs(%n : memref<4xf32>)
  linalg.copy ins(%m : memref<4xf32>) outs(%m : memref<4xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%n : memref<4xf32>) outs(%m : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  %11 = vector.transfer_read %m[%i], %x : memref<4xf32>, vector<4xf32>
  %12 = vector.transfer_read %t[%i], %x : tensor<4xf32>, vector<4xf32>
  vector.transfer_write %v, %m[%i] : vector<4xf32>, memref<4xf32>
  %13 = vector.transfer_write %v, %t[%i] : vector<4xf32>, tensor<4xf32>
  %14 = vector.maskedload %m[%i], %b, %v : memref<4xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.maskedstore %m[%i], %b, %v : memref<4xf32>, vector<4xi1>, vector<4xf32>
  %15 = vector.gather %m[%i] [%w], %b, %v : memref<4xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %16 = vector.gather %t[%i] [%w], %b, %v : tensor<4xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.scatter %m[%i] [%w], %b, %v : memref<4xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  %17 = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  bufferization.materialize_in_destination %t in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  %18 = bufferization.clone %m : memref<4xf32> to memref<4xf32>
  %19 = bufferization.alloc_tensor() copy(%t) : tensor<4xf32>
  bufferization.dealloc_tensor %t : tensor<4xf32>
  %20 = memref.realloc %d : memref<?xf32> to memref<8xf32>
  memref.prefetch %m[%i], read, locality<3>, data : memref<4xf32>
  %21 = memref.atomic_rmw addf %x, %m[%i] : (f32, memref<4xf32>) -> f32
  %22 = memref.generic_atomic_rmw %m[%i] : memref<4xf32> {
  ^bb0(%old: f32):
    memref.atomic_yield %old : f32
  }
  memref.dealloc %n : memref<4xf32>
  return
}
"""


def mlir_effects(text: str) -> dict[int, set[str]]:
    """The effects of the op of each line, as MLIR tells them."""
    command = [mlir_tool("mlir-opt") or "", "--test-side-effects", "-o", "/dev/null"]
    result = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    found = defaultdict(set)
    for line, kind in REMARK.findall(result.stderr.decode()):
        if kind in KIND_OF:
            found[int(line)].add(kind)
    return found


def our_effects(text: str) -> dict[int, set[str]]:
    """The effects of the op of each line, those of its regions included."""
    dump = read_text(text)[0]
    ir = read_ir(dump.source, dump.span, AuditOptions().op_table)
    table = Dependences(ir).effects
    found = defaultdict(set)
    for op in range(len(ir)):
        effects = table.of(op)
        states = (kinds for state, kinds in effects.states.items() if state != "control")
        kinds = effects.anywhere.union(effects.memory, effects.tensors, *states)
        found[text.count("\n", 0, ir.op_start[op]) + 1] |= kinds
    return found


def missing(text: str) -> list[tuple[str, set[str]]]:
    """The lines of which MLIR tells an effect that we do not, and that effect."""
    ours, lines = our_effects(text), text.splitlines()
    return [
        (lines[line - 1].strip(), kinds - ours[line])
        for line, kinds in mlir_effects(text).items()
        if kinds - ours[line]
    ]


def test_mlir_tells_the_effects_of_most_of_the_instances() -> None:
    assert len(mlir_effects(INSTANCES)) >= 25


def test_instances_have_the_effects_that_mlir_tells() -> None:
    assert missing(INSTANCES) == []


@pytest.mark.parametrize("is_generic", [False, True], ids=["custom assembly", "generic form"])
def test_programs_have_the_effects_that_mlir_tells(is_generic: bool) -> None:
    text = native_program(range(25)).text
    if is_generic:
        command = [mlir_tool("mlir-opt") or "", "--mlir-print-op-generic"]
        text = subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout.decode()
    assert missing(text) == []
