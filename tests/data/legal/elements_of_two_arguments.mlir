// The arguments may overlap.
func.func @main(%m: memref<4xf32>, %n: memref<4xf32>, %x: f32, %y: f32) {
  %c0 = arith.constant 0 : index loc("DEBUG|0|m")
  %c1 = arith.constant 1 : index loc("DEBUG|0|m")
  memref.store %x, %m[%c0] : memref<4xf32> loc("DEBUG|5|m")
  memref.store %y, %n[%c1] : memref<4xf32> loc("DEBUG|1|m")
  return
}
