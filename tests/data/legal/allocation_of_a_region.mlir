// The result of the region is one of the two allocations.
func.func @main(%c: i1, %i: index, %x: f32) -> f32 {
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  %b = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  %r = scf.if %c -> (memref<4xf32>) {
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %b : memref<4xf32>
  } loc("DEBUG|0|m")
  memref.store %x, %a[%i] : memref<4xf32> loc("DEBUG|5|m")
  %l = memref.load %r[%i] : memref<4xf32> loc("DEBUG|1|m")
  return %l : f32
}
