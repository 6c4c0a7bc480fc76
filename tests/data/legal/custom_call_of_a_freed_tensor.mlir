// The free of the tensor is forced.
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %p = stablehlo.custom_call @foo(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  "ttnn.deallocate"(%x) <{force = true}> : (tensor<4xf32>) -> () loc("DEBUG|1|m")
  return %p : tensor<4xf32>
}
