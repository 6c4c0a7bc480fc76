// The index may be that of the element.
func.func @main(%x: f32, %y: f32, %i: index) -> memref<4xf32> {
  %c0 = arith.constant 0 : index loc("DEBUG|0|m")
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  memref.store %x, %a[%c0] : memref<4xf32> loc("DEBUG|5|m")
  memref.store %y, %a[%i] : memref<4xf32> loc("DEBUG|1|m")
  return %a : memref<4xf32>
}
