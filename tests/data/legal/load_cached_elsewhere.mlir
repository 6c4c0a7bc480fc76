// The function is in another module, so it is not known here.
module {
  func.func private @ce(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
  module {
    func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %y = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
      %x = "ttcore.load_cached"(%a) <{callee = @ce}> : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
      return %x, %y : tensor<4xf32>, tensor<4xf32>
    }
  }
}
