// The result is the operand with other elements, and that is in memory.
func.func @main(%m: memref<8xf32>, %i: index, %k: f32) -> (f32, tensor<8xf32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %e = memref.load %m[%i] : memref<8xf32> loc("DEBUG|5|m")
  %r = flow.tensor.store %k, %t[%i] : tensor<8xf32> loc("DEBUG|1|m")
  return %e, %r : f32, tensor<8xf32>
}
