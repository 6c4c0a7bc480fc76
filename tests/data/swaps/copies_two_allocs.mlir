// #1 may pass #2: their memory is that of two allocations
func.func @main(%v: vector<4xf32>, %i: index, %z: f32, %a: memref<8xf32>) {
  %m = memref.alloc() : memref<8xf32>
  %n = memref.alloc() : memref<8xf32>
  memref.copy %a, %m : memref<8xf32> to memref<8xf32> loc("DEBUG|2|m")
  memref.copy %a, %n : memref<8xf32> to memref<8xf32> loc("DEBUG|1|m")
  return
}
