// The vector has four elements.
func.func @main(%m: memref<8xf32>, %v: vector<4xf32>) -> (f32) {
  affine.vector_store %v, %m[0] : memref<8xf32>, vector<4xf32> loc("DEBUG|5|m")
  %q = affine.load %m[3] : memref<8xf32> loc("DEBUG|1|m")
  return %q : f32
}
