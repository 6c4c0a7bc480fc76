// The statistics are scratch memory that the devices exchange.
func.func @main(%a: tensor<4xf32>, %st: tensor<4xf32>, %d: !ttnn.device) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = "ttnn.neg"(%st) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %n = "ttnn.distributed_rms_norm"(%a, %st, %d) <{cluster_axis = 1 : ui32, operandSegmentSizes = array<i32: 1, 0, 0, 1, 0, 1>}> : (tensor<4xf32>, tensor<4xf32>, !ttnn.device) -> tensor<4xf32> loc("DEBUG|1|m")
  return %e, %n : tensor<4xf32>, tensor<4xf32>
}
