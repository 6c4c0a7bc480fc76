// #1 may pass #2: they are two elements, as the constants show
func.func @main(%x: f32, %y: f32) -> memref<4xf32> {
  %c0 = arith.constant 0 : index loc("DEBUG|0|m")
  %c1 = arith.constant 1 : index loc("DEBUG|0|m")
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  memref.store %x, %a[%c0] : memref<4xf32> loc("DEBUG|2|m")
  memref.store %y, %a[%c1] : memref<4xf32> loc("DEBUG|1|m")
  return %a : memref<4xf32>
}
