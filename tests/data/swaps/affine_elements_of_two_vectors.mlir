// #1 may pass #2: the vectors have no element in common
func.func @main(%m: memref<8xf32>, %v: vector<4xf32>) -> (vector<4xf32>) {
  affine.vector_store %v, %m[0] : memref<8xf32>, vector<4xf32> loc("DEBUG|2|m")
  %q = affine.vector_load %m[4] : memref<8xf32>, vector<4xf32> loc("DEBUG|1|m")
  return %q : vector<4xf32>
}
