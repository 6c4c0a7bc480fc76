// #1 may pass #2: neither says that it has a side effect
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = stablehlo.custom_call @foo(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|2|m")
  %q = mhlo.custom_call @bar(%x) {has_side_effect = false} : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
