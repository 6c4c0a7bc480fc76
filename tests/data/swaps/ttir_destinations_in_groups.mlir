// #1 may pass #2: the groups of operands end with the empty tensor, which nothing else uses
func.func @main(%a: tensor<2x4xf32>, %w: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = tensor.empty() : tensor<2x4xf32> loc("DEBUG|0|m")
  %p = "ttir.rms_norm"(%a, %w, %0) <{epsilon = 1.0e-05 : f32, normalized_shape = array<i64: 4>, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (tensor<2x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> loc("DEBUG|2|m")
  %1 = tensor.empty() : tensor<2x4xf32> loc("DEBUG|0|m")
  %q = "ttir.add"(%a, %a, %1) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<2x4xf32>, tensor<2x4xf32>
}
