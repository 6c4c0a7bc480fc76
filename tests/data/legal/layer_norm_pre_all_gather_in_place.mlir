// The program config says that the first operand is written.
func.func @main(%a: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %n = "ttnn.layer_norm_pre_all_gather"(%a, %s) <{epsilon = 1.0e-05 : f32, program_config = #ttnn.layernorm_sharded_multicore_program_config<compute_with_storage_grid_size = #ttnn.core_coord<8, 1>, subblock_w = 1, block_h = 1, block_w = 4, inplace = true>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %e, %n : tensor<4xf32>, tensor<4xf32>
}
