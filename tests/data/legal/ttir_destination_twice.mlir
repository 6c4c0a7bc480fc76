// Both ops write into one empty tensor, and the second one stays.
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ttir.empty() : tensor<4xf32> loc("DEBUG|0|m")
  %p = "ttir.add"(%a, %b, %0) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %q = "ttir.exp"(%a, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %q : tensor<4xf32>
}
