// The product is written into the argument, as the groups of operands show, and the other op reads it.
func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %o: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %q = "ttnn.neg"(%o) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("DEBUG|5|m")
  %p = "ttnn.linear"(%a, %b, %o) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4x4xf32>, tensor<4x4xf32>
}
