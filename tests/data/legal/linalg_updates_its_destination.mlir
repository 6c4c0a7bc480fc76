// A matmul adds to its destination, which the first reads.
func.func @main(%a: memref<4x4xf32>) {
  %m = memref.alloc() : memref<4x4xf32>
  %n = memref.alloc() : memref<4x4xf32>
  linalg.copy ins(%m : memref<4x4xf32>) outs(%n : memref<4x4xf32>) loc("DEBUG|5|m")
  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%m : memref<4x4xf32>) loc("DEBUG|1|m")
  return
}
