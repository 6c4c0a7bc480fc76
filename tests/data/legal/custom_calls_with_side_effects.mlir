// Both calls say that they do more than to compute their results.
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = stablehlo.custom_call @foo(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %q = stablehlo.custom_call @bar(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
