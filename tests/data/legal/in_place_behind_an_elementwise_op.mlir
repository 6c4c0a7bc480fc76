// MLIR writes the sum into the memory of %m, and the inserted element into that of the sum.
func.func @main(%m: memref<4xf32>, %x: f32, %i: index) -> (f32, tensor<4xf32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32> loc("DEBUG|0|m")
  %s = arith.addf %t, %t : tensor<4xf32> loc("DEBUG|0|m")
  %v = memref.load %m[%i] : memref<4xf32> loc("DEBUG|5|m")
  %r = tensor.insert %x into %s[%i] : tensor<4xf32> loc("DEBUG|1|m")
  return %v, %r : f32, tensor<4xf32>
}
