// tensor.extract shows the tensor alone. What it gives is a pointer, and the memset writes where it points.
func.func @main(%t: tensor<2x!llvm.ptr>, %m: memref<4xf32>, %b: i8, %n: i64, %i: index) -> f32 {
  %p = tensor.extract %t[%i] : tensor<2x!llvm.ptr> loc("DEBUG|0|m")
  "llvm.intr.memset"(%p, %b, %n) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> () loc("DEBUG|5|m")
  %l = memref.load %m[%i] : memref<4xf32> loc("DEBUG|1|m")
  return %l : f32
}
