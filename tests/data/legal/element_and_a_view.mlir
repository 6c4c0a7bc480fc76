// The view has the element.
func.func @main(%m: memref<4xf32>, %i: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index loc("DEBUG|0|m")
  %s = memref.cast %m : memref<4xf32> to memref<?xf32> loc("DEBUG|0|m")
  memref.store %x, %m[%c0] : memref<4xf32> loc("DEBUG|5|m")
  %v = memref.load %s[%i] : memref<?xf32> loc("DEBUG|1|m")
  return %v : f32
}
