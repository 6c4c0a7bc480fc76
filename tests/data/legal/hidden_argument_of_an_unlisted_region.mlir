// my.with shows the type of a number alone. The argument of its region is a tensor in the memory of the op.
func.func @main(%x: f32, %m: memref<4xf32>, %i: index) {
  my.with %x as %t {
    %e = tensor.extract %t[%i] : tensor<4xf32> loc("DEBUG|5|m")
    memref.store %x, %m[%i] : memref<4xf32> loc("DEBUG|1|m")
    my.yield %e
  } : f32
  return
}
