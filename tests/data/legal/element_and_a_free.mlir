// The free is of all elements.
func.func @main(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index loc("DEBUG|0|m")
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  memref.store %x, %a[%c0] : memref<4xf32> loc("DEBUG|5|m")
  memref.dealloc %a : memref<4xf32> loc("DEBUG|1|m")
  return %x : f32
}
