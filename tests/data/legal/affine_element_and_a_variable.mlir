// The index may be zero.
func.func @main(%m: memref<8xf32>, %x: f32, %i: index) -> (f32) {
  affine.store %x, %m[0] : memref<8xf32> loc("DEBUG|5|m")
  %q = affine.load %m[symbol(%i)] : memref<8xf32> loc("DEBUG|1|m")
  return %q : f32
}
