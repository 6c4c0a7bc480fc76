// It copies what the memref holds then.
func.func @main(%m: memref<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32> loc("DEBUG|0|m")
  %p = bufferization.alloc_tensor() copy(%t) : tensor<4xf32> loc("DEBUG|5|m")
  memref.store %f, %m[%i] : memref<4xf32> loc("DEBUG|1|m")
  return %p : tensor<4xf32>
}
