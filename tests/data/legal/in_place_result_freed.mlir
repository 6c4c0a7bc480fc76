// The result is the first operand, since the program config says so, and that is freed.
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %n = "ttnn.layer_norm"(%a) <{epsilon = 1.0e-05 : f32, operandSegmentSizes = array<i32: 1, 0, 0>, program_config = #ttnn.layernorm_sharded_multicore_program_config<compute_with_storage_grid_size = #ttnn.core_coord<8, 1>, subblock_w = 1, block_h = 1, block_w = 4, inplace = true>}> : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|0|m")
  %e = "ttnn.neg"(%n) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  "ttnn.deallocate"(%a) <{force = true}> : (tensor<4xf32>) -> () loc("DEBUG|1|m")
  return %e : tensor<4xf32>
}
