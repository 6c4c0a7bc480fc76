// With these strides both indices lead to one place.
func.func @main(%m: memref<2x2xf32, strided<[1, 1]>>, %x: f32, %y: f32) {
  %c0 = arith.constant 0 : index loc("DEBUG|0|m")
  %c1 = arith.constant 1 : index loc("DEBUG|0|m")
  memref.store %x, %m[%c0, %c1] : memref<2x2xf32, strided<[1, 1]>> loc("DEBUG|5|m")
  memref.store %y, %m[%c1, %c0] : memref<2x2xf32, strided<[1, 1]>> loc("DEBUG|1|m")
  return
}
