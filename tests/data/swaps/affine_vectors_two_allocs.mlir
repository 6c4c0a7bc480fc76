// #1 may pass #2: their memory is that of two allocations
func.func @main(%v: vector<4xf32>, %i: index, %z: f32, %a: memref<8xf32>) -> (vector<4xf32>) {
  %m = memref.alloc() : memref<8xf32>
  %n = memref.alloc() : memref<8xf32>
  affine.vector_store %v, %m[%i] : memref<8xf32>, vector<4xf32> loc("DEBUG|2|m")
  %q = affine.vector_load %n[%i] : memref<8xf32>, vector<4xf32> loc("DEBUG|1|m")
  return %q : vector<4xf32>
}
