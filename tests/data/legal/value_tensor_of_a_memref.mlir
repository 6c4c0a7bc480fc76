// The tensor is also a memref that the unknown function may write.
func.func private @g(memref<4xf32>)
func.func @main(%m: memref<4xf32>) -> tensor<4xf32> {
  %t = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32> loc("DEBUG|0|m")
  %u = arith.negf %t : tensor<4xf32> loc("DEBUG|5|m")
  call @g(%m) : (memref<4xf32>) -> () loc("DEBUG|1|m")
  return %u : tensor<4xf32>
}
