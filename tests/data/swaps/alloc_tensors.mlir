// #1 may pass #2: each makes a new buffer
func.func @main(%t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = bufferization.alloc_tensor() copy(%t) : tensor<4xf32> loc("DEBUG|2|m")
  %q = bufferization.alloc_tensor() : tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
