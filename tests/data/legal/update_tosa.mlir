// The result is the operand with other elements, and that is in memory.
func.func @main(%m: memref<1x8x1xf32>, %i: index, %k: tensor<1x2xi32>, %v: tensor<1x2x1xf32>) -> (f32, tensor<1x8x1xf32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<1x8x1xf32> to tensor<1x8x1xf32>
  %e = memref.load %m[%i, %i, %i] : memref<1x8x1xf32> loc("DEBUG|5|m")
  %r = tosa.scatter %t, %k, %v : (tensor<1x8x1xf32>, tensor<1x2xi32>, tensor<1x2x1xf32>) -> tensor<1x8x1xf32> loc("DEBUG|1|m")
  return %e, %r : f32, tensor<1x8x1xf32>
}
