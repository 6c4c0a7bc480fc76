// #1 may pass #2: the unknown function is called by a known one
func.func private @g(tensor<4xf32>) -> tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %1 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|2|m")
  %2 = arith.negf %a : tensor<4xf32> loc("DEBUG|1|m")
  %3 = arith.mulf %1, %2 : tensor<4xf32> loc("DEBUG|3|m")
  return %3 : tensor<4xf32>
}
