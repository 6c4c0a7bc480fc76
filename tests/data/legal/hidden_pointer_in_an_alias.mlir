// The alias hides that the elements of the tensor are pointers.
!pointers = tensor<2x!llvm.ptr>
func.func @main(%t: !pointers, %m: memref<4xf32>, %b: i8, %n: i64, %i: index) -> f32 {
  %p = tensor.extract %t[%i] : !pointers loc("DEBUG|0|m")
  "llvm.intr.memset"(%p, %b, %n) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> () loc("DEBUG|5|m")
  %l = memref.load %m[%i] : memref<4xf32> loc("DEBUG|1|m")
  return %l : f32
}
