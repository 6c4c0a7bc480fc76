// The program config says that the first operand is written.
func.func @main(%a: tensor<4xf32>, %d: !ttnn.device) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %n = "ttnn.distributed_rms_norm"(%a, %d) <{cluster_axis = 1 : ui32, epsilon = 1.0e-05 : f32, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 1>, program_config = #ttnn.layernorm_sharded_multicore_program_config<compute_with_storage_grid_size = #ttnn.core_coord<8, 1>, subblock_w = 1, block_h = 1, block_w = 4, inplace = true>}> : (tensor<4xf32>, !ttnn.device) -> tensor<4xf32> loc("DEBUG|1|m")
  return %e, %n : tensor<4xf32>, tensor<4xf32>
}
