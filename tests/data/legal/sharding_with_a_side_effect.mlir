// Both calls say that they do more than to annotate.
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = stablehlo.custom_call @Sharding(%a) {has_side_effect = true, mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %q = stablehlo.custom_call @Sharding(%b) {has_side_effect = true, mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
