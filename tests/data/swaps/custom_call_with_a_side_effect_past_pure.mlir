// #1 may pass #2: the tensor is a value, whatever else the call does
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = "stablehlo.custom_call"(%x) <{call_target_name = "foo", has_side_effect = true}> : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|2|m")
  %q = stablehlo.add %x, %x : tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
