// Both ops write into the argument, as the groups of their operands show, and the second one stays.
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %r = "ttir.scatter"(%a, %b, %o) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %s = "ttir.scatter"(%b, %a, %o) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %s : tensor<4xf32>
}
