// The result is the operand with other elements, and that is in memory.
func.func @main(%m: memref<8xf32>, %i: index, %k: tensor<2xf32>) -> (f32, tensor<8xf32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %e = memref.load %m[%i] : memref<8xf32> loc("DEBUG|5|m")
  %r = "mhlo.dynamic_update_slice"(%t, %k, %i) : (tensor<8xf32>, tensor<2xf32>, index) -> tensor<8xf32> loc("DEBUG|1|m")
  return %e, %r : f32, tensor<8xf32>
}
