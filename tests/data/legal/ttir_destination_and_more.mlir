// The op has one operand more than an input and a destination, so it is another op than today's.
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ttir.empty() : tensor<4xf32> loc("DEBUG|0|m")
  %p = "ttir.exp"(%a, %b, %0) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %q = "ttir.neg"(%b) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %q : tensor<4xf32>
}
