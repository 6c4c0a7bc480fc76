// The view begins at element 1, so its element 0 is that one.
func.func @main(%x: f32) -> f32 {
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  %c0 = arith.constant 0 : index loc("DEBUG|0|m")
  %c1 = arith.constant 1 : index loc("DEBUG|0|m")
  %v = memref.subview %a[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>> loc("DEBUG|0|m")
  memref.store %x, %a[%c1] : memref<4xf32> loc("DEBUG|5|m")
  %l = memref.load %v[%c0] : memref<2xf32, strided<[1], offset: 1>> loc("DEBUG|1|m")
  return %l : f32
}
