// #1 may pass #2: their memory is that of two allocations
func.func @main(%v: vector<4xf32>, %i: index, %z: f32, %a: memref<8xf32>) -> (vector<4xf32>) {
  %m = memref.alloc() : memref<8xf32>
  %n = memref.alloc() : memref<8xf32>
  vector.transfer_write %v, %m[%i] {in_bounds = [true]} : vector<4xf32>, memref<8xf32> loc("DEBUG|2|m")
  %q = vector.transfer_read %n[%i], %z {in_bounds = [true]} : memref<8xf32>, vector<4xf32> loc("DEBUG|1|m")
  return %q : vector<4xf32>
}
