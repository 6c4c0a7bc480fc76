// Both ops write into one tensor, and the second one stays.
func.func @main(%d: !ttnn.device, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = "ttnn.empty"(%d) : (!ttnn.device) -> tensor<8xf32> loc("DEBUG|0|m")
  %r = "ttnn.concat"(%a, %b, %e) <{dim = 0 : si32}> : (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<8xf32> loc("DEBUG|5|m")
  %s = "ttnn.concat"(%b, %a, %e) <{dim = 0 : si32}> : (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<8xf32> loc("DEBUG|1|m")
  return %r, %s : tensor<8xf32>, tensor<8xf32>
}
