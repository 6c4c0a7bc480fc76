// The product is written into the argument, which is freed. Nothing but the number of operands shows it.
func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = "ttnn.matmul"(%a, %b, %o) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc("DEBUG|0|m")
  %r = "ttnn.relu"(%s) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("DEBUG|5|m")
  "ttnn.deallocate"(%o) <{force = true}> : (tensor<4x4xf32>) -> () loc("DEBUG|1|m")
  return %r : tensor<4x4xf32>
}
