// The layout leads both indices to one element.
func.func @main(%x: f32, %y: f32) -> memref<4xf32, affine_map<(d0) -> (0)>> {
  %a = memref.alloc() : memref<4xf32, affine_map<(d0) -> (0)>> loc("DEBUG|0|m")
  %c = arith.constant 2 : index loc("DEBUG|0|m")
  %d = arith.constant 3 : index loc("DEBUG|0|m")
  memref.store %x, %a[%c] : memref<4xf32, affine_map<(d0) -> (0)>> loc("DEBUG|5|m")
  memref.store %y, %a[%d] : memref<4xf32, affine_map<(d0) -> (0)>> loc("DEBUG|1|m")
  return %a : memref<4xf32, affine_map<(d0) -> (0)>>
}
