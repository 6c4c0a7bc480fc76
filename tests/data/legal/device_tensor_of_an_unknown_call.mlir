// The unknown function may free its argument, a buffer on the device, in what it calls later too.
func.func private @keeps(tensor<4xf32>)
func.func private @frees()
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  call @keeps(%a) : (tensor<4xf32>) -> () loc("DEBUG|0|m")
  %u = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  call @frees() : () -> () loc("DEBUG|1|m")
  return %u : tensor<4xf32>
}
