// In 2024 an op wrote its result into its last operand. So %s is the content of %e, which is freed.
func.func @main(%d: !ttnn.device, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %e = "ttnn.empty"(%d) <{dtype = 0 : i32}> : (!ttnn.device) -> tensor<4xf32> loc("DEBUG|0|m")
  %s = "ttnn.add"(%a, %b, %e) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|0|m")
  %f = "ttnn.empty"(%d) <{dtype = 0 : i32}> : (!ttnn.device) -> tensor<4xf32> loc("DEBUG|0|m")
  %r = "ttnn.relu"(%s, %f) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  "ttnn.deallocate"(%e) <{force = false}> : (tensor<4xf32>) -> () loc("DEBUG|1|m")
  return %r : tensor<4xf32>
}
