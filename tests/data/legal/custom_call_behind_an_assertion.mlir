// It may fail.
func.func @main(%x: tensor<4xf32>, %c: i1) -> (tensor<4xf32>) {
  cf.assert %c, "no" loc("DEBUG|5|m")
  %p = stablehlo.custom_call @foo(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %p : tensor<4xf32>
}
