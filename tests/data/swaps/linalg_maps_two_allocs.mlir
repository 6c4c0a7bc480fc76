// #1 may pass #2: their memory is that of two allocations
func.func @main(%v: vector<4xf32>, %i: index, %z: f32, %a: memref<8xf32>) {
  %m = memref.alloc() : memref<8xf32>
  %n = memref.alloc() : memref<8xf32>
  linalg.map { arith.addf } ins(%a, %a : memref<8xf32>, memref<8xf32>) outs(%m : memref<8xf32>) loc("DEBUG|2|m")
  linalg.map { arith.mulf } ins(%a, %a : memref<8xf32>, memref<8xf32>) outs(%n : memref<8xf32>) loc("DEBUG|1|m")
  return
}
