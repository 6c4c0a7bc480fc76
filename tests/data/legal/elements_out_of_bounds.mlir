// An index beyond its extent leads to an element of the next row.
func.func @main(%m: memref<2x2xf32>, %x: f32, %y: f32) {
  %c0 = arith.constant 0 : index loc("DEBUG|0|m")
  %c1 = arith.constant 1 : index loc("DEBUG|0|m")
  %c2 = arith.constant 2 : index loc("DEBUG|0|m")
  memref.store %x, %m[%c0, %c2] : memref<2x2xf32> loc("DEBUG|5|m")
  memref.store %y, %m[%c1, %c0] : memref<2x2xf32> loc("DEBUG|1|m")
  return
}
