// A tensor is a value for StableHLO and MLIR, but the free is forced.
func.func private @g(tensor<4xf32>)
func.func @main(%t: tensor<4xf32>) -> tensor<4xf32> {
  func.call @g(%t) : (tensor<4xf32>) -> () loc("DEBUG|0|m")
  %x = stablehlo.add %t, %t : tensor<4xf32> loc("DEBUG|5|m")
  "ttnn.deallocate"(%t) <{force = true}> : (tensor<4xf32>) -> () loc("DEBUG|1|m")
  return %x : tensor<4xf32>
}
