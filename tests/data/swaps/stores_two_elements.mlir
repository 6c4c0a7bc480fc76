// #1 may pass #2: two constant indices of one allocation
func.func @main(%x: f32, %y: f32) -> memref<4xf32> {
  %c1 = arith.constant 1 : index loc("DEBUG|0|m")
  %c2 = "arith.constant"() <{value = 2 : index}> : () -> index loc("DEBUG|0|m")
  %a = memref.alloca() : memref<4xf32> loc("DEBUG|0|m")
  memref.store %x, %a[%c1] : memref<4xf32> loc("DEBUG|2|m")
  memref.store %y, %a[%c2] : memref<4xf32> loc("DEBUG|1|m")
  return %a : memref<4xf32>
}
