// #1 may pass #2: nothing else uses the empty tensors that they write
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = ttir.empty() : tensor<4xf32> loc("DEBUG|0|m")
  %p = "ttir.add"(%a, %b, %0) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|2|m")
  %1 = ttir.empty() : tensor<4xf32> loc("DEBUG|0|m")
  %q = "ttir.exp"(%a, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
