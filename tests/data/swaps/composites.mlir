// #1 may pass #2: their decompositions do nothing but compute
func.func private @d(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = stablehlo.composite "a.b" %x {decomposition = @d} : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|2|m")
  %q = "stablehlo.composite"(%x) <{name = "a.c", decomposition = @d, version = 1 : i32}> : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
