// The runtime writes its outputs into the buffers that the op gets.
func.func @main(%i: tensor<4xf32>, %x: tensor<4xf32>, %s: tensor<4xf32>, %m: tensor<4xf32>, %b0: tensor<4xf32>, %b1: tensor<4xf32>, %b2: tensor<4xf32>, %sem: !ttnn.global_semaphore) -> tensor<4xf32> {
  %e = "ttnn.neg"(%b0) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %q:3 = "ttnn.all_to_all_dispatch_metadata"(%x, %x, %s, %m, %b0, %b1, %b2, %sem) <{cluster_axis = 0 : i64, num_devices = 8 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1>}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, !ttnn.global_semaphore) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) loc("DEBUG|1|m")
  return %e : tensor<4xf32>
}
