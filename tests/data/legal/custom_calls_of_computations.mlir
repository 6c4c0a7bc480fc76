// The calls run a function of the program.
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = stablehlo.custom_call @foo(%x) {called_computations = [@f]} : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %q = stablehlo.custom_call @bar(%x) {called_computations = [@f]} : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
