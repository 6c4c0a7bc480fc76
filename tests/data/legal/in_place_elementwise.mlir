// MLIR makes the negation linalg.generic, which writes the memory of %m in place.
func.func @main(%m: memref<4xf32>, %i: index) -> (f32, tensor<4xf32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32> loc("DEBUG|0|m")
  %v = memref.load %m[%i] : memref<4xf32> loc("DEBUG|5|m")
  %r = arith.negf %t : tensor<4xf32> loc("DEBUG|1|m")
  return %v, %r : f32, tensor<4xf32>
}
