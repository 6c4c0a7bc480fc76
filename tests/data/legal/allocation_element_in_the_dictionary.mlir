// MLIR may prefer the attribute to the number. Both may be 2.
func.func @main(%x: f32, %y: f32) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  %c = arith.constant 2 : index loc("DEBUG|0|m")
  %d = arith.constant {value = 2 : index} 3 : index loc("DEBUG|0|m")
  memref.store %x, %a[%c] : memref<4xf32> loc("DEBUG|5|m")
  memref.store %y, %a[%d] : memref<4xf32> loc("DEBUG|1|m")
  return %a : memref<4xf32>
}
