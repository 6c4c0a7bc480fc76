// The cast leads to the memory of the allocation.
func.func @main(%i: index, %x: f32) -> f32 {
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  %v = memref.cast %a : memref<4xf32> to memref<?xf32> loc("DEBUG|0|m")
  memref.store %x, %a[%i] : memref<4xf32> loc("DEBUG|5|m")
  %l = memref.load %v[%i] : memref<?xf32> loc("DEBUG|1|m")
  return %l : f32
}
