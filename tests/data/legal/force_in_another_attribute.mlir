// The free has no attribute "force" itself, so it is forced, and the use is one of a view.
func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>) -> tensor<4xf32> {
  %v = "ttnn.reshape"(%t) <{shape = [4 : i32]}> : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|0|m")
  %y = "ttnn.neg"(%v) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  "ttnn.deallocate"(%t) {config = {force = false}} : (tensor<4xf32>) -> () loc("DEBUG|1|m")
  return %y : tensor<4xf32>
}
