// #1 may pass #2: the op has optional operands, which the groups tell
func.func @main(%a: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = "ttnn.rms_norm"(%a, %w) <{epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|2|m")
  %q = "ttnn.rms_norm"(%w, %a) <{epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
