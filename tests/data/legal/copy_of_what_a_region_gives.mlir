// What the region gives may be the first allocation.
func.func @main(%c: i1, %a: memref<8xf32>) {
  %m = memref.alloc() : memref<8xf32>
  %s = scf.if %c -> (memref<8xf32>) { scf.yield %m : memref<8xf32> } else { scf.yield %a : memref<8xf32> } loc("DEBUG|0|m")
  memref.copy %a, %m : memref<8xf32> to memref<8xf32> loc("DEBUG|5|m")
  memref.copy %s, %a : memref<8xf32> to memref<8xf32> loc("DEBUG|1|m")
  return
}
