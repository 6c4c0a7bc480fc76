// The empty tensor was the destination, in another layout. The result is written there.
func.func @main(%a: tensor<4xf32>, %d: !ttnn.device) -> tensor<4xf32> {
  %e = "ttnn.empty"(%d) <{shape = #ttnn.shape<4>}> : (!ttnn.device) -> tensor<4xf32> loc("DEBUG|0|m")
  %o = "ttnn.to_layout"(%e) <{layout = #ttnn.layout<tile>}> : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|0|m")
  %x = "ttnn.concat"(%a, %o) <{dim = 0 : si32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %y = "ttnn.neg"(%o) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %y : tensor<4xf32>
}
