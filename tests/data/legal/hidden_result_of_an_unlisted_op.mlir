// my.allocate shows the device alone. Its result is a tensor, as its use shows, and the free is forced.
func.func @main(%d: !ttnn.device) -> tensor<4xf32> {
  %t = my.allocate %d : !ttnn.device loc("DEBUG|0|m")
  %e = "ttnn.neg"(%t) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  "ttnn.deallocate"(%t) <{force = true}> : (tensor<4xf32>) -> () loc("DEBUG|1|m")
  return %e : tensor<4xf32>
}
