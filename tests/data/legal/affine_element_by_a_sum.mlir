// The map adds to its operand.
func.func @main(%m: memref<8xf32>, %x: f32) -> (f32) {
  %c = arith.constant 1 : index
  affine.store %x, %m[%c + 1] : memref<8xf32> loc("DEBUG|5|m")
  %q = affine.load %m[2] : memref<8xf32> loc("DEBUG|1|m")
  return %q : f32
}
