// #1 may pass #2: it is another element
func.func @main(%m: memref<8xf32>, %x: f32) -> (f32) {
  affine.store %x, %m[0] : memref<8xf32> loc("DEBUG|2|m")
  %q = affine.load %m[1] : memref<8xf32> loc("DEBUG|1|m")
  return %q : f32
}
