// Nobody knows the decomposition.
func.func private @d(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = stablehlo.composite "a.b" %x {decomposition = @d} : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %q = stablehlo.composite "a.c" %x {decomposition = @d} : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
