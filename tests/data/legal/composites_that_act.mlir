// The decomposition says that it has a side effect.
func.func private @d(%x: tensor<4xf32>) -> tensor<4xf32> {
  stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<4xf32>) -> ()
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = stablehlo.composite "a.b" %x {decomposition = @d} : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %q = stablehlo.composite "a.c" %x {decomposition = @d} : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
