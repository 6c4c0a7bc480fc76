// The result is tied to the operand, which is in memory.
func.func @main(%m: memref<8xf32>, %i: index, %k: tensor<2xf32>) -> (f32, tensor<8xf32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %e = memref.load %m[%i] : memref<8xf32> loc("DEBUG|5|m")
  %r = flow.dispatch @e::@d(%t, %k) : (tensor<8xf32>, tensor<2xf32>) -> %t loc("DEBUG|1|m")
  return %e, %r : f32, tensor<8xf32>
}
