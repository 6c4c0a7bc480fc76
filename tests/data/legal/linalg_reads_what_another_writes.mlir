// The second reads what the first writes.
func.func @main(%z: f32) {
  %m = memref.alloc() : memref<8xf32>
  %n = memref.alloc() : memref<8xf32>
  linalg.fill ins(%z : f32) outs(%m : memref<8xf32>) loc("DEBUG|5|m")
  linalg.copy ins(%m : memref<8xf32>) outs(%n : memref<8xf32>) loc("DEBUG|1|m")
  return
}
