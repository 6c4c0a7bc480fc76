// #1 may pass #2: both only read
func.func @main(%m: memref<8xf32>, %i: index, %z: f32) -> (vector<4xf32>, vector<4xf32>) {
  %p = vector.transfer_read %m[%i], %z : memref<8xf32>, vector<4xf32> loc("DEBUG|2|m")
  %q = vector.transfer_read %m[%i], %z : memref<8xf32>, vector<4xf32> loc("DEBUG|1|m")
  return %p, %q : vector<4xf32>, vector<4xf32>
}
