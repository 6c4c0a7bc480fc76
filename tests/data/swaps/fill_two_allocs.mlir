// #1 may pass #2: destination-style ops on two allocations
func.func @main(%x: f32) -> (memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  %b = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>) loc("DEBUG|2|m")
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>) loc("DEBUG|1|m")
  return %a, %b : memref<4xf32>, memref<4xf32>
}
