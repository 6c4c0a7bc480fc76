// #1 may pass #2: the empty tensor is converted, not written
func.func @main(%d: !ttnn.device, %a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = "ttnn.empty"(%d) : (!ttnn.device) -> tensor<4xf32> loc("DEBUG|0|m")
  %l = "ttnn.to_layout"(%e) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|2|m")
  %s = "ttnn.relu"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %l, %s : tensor<4xf32>, tensor<4xf32>
}
