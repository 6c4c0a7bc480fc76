// In generic assembly no group tells which operand is written.
func.func @main() {
  %m = memref.alloc() : memref<4x4xf32>
  %n = memref.alloc() : memref<4x4xf32>
  %o = memref.alloc() : memref<4x4xf32>
  "linalg.softmax"(%m, %n) <{dimension = 1 : i64}> : (memref<4x4xf32>, memref<4x4xf32>) -> () loc("DEBUG|5|m")
  "linalg.softmax"(%n, %o) <{dimension = 1 : i64}> : (memref<4x4xf32>, memref<4x4xf32>) -> () loc("DEBUG|1|m")
  return
}
