// #1 may pass #2: they are two elements of the one argument that is accessed
func.func @main(%m: memref<2x2xf32>, %n: memref<f32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index loc("DEBUG|0|m")
  %c1 = arith.constant 1 : index loc("DEBUG|0|m")
  memref.store %x, %m[%c0, %c1] : memref<2x2xf32> loc("DEBUG|2|m")
  %v = memref.load %m[%c1, %c0] : memref<2x2xf32> loc("DEBUG|1|m")
  return %v : f32
}
