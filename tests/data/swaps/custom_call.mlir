// #1 may pass #2: StableHLO's tensors are values, which the custom call does not change
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %1 = stablehlo.custom_call @log(%a) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|2|m")
  %2 = stablehlo.abs %a : tensor<4xf32> loc("DEBUG|1|m")
  %3 = stablehlo.add %1, %2 : tensor<4xf32> loc("DEBUG|3|m")
  return %3 : tensor<4xf32>
}
