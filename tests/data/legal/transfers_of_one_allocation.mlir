// Both access the allocation.
func.func @main(%v: vector<4xf32>, %i: index, %z: f32) -> (vector<4xf32>) {
  %m = memref.alloc() : memref<8xf32>
  vector.transfer_write %v, %m[%i] : vector<4xf32>, memref<8xf32> loc("DEBUG|5|m")
  %q = vector.transfer_read %m[%i], %z : memref<8xf32>, vector<4xf32> loc("DEBUG|1|m")
  return %q : vector<4xf32>
}
