// The dump only declares the function. It may free its argument.
func.func private @ce(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %x = ttcore.load_cached(@ce, [%a]) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %x, %y : tensor<4xf32>, tensor<4xf32>
}
