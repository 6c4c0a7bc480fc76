// Both calls may give the same tensor, and the free of it is forced.
func.func private @get() -> tensor<4xf32>
func.func @main(%h: tensor<4xf32>) -> tensor<4xf32> {
  %a = func.call @get() : () -> tensor<4xf32> loc("DEBUG|0|m")
  %b = func.call @get() : () -> tensor<4xf32> loc("DEBUG|0|m")
  "ttnn.deallocate"(%a) <{force = true}> : (tensor<4xf32>) -> () loc("DEBUG|5|m")
  %x = stablehlo.add %b, %b : tensor<4xf32> loc("DEBUG|1|m")
  return %x : tensor<4xf32>
}
