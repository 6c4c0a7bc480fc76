// It slices by the rank of the process, which MPI gives only behind mpi.init.
func.func @main(%t: tensor<4xf32>) -> tensor<2xf32> {
  mpi.init loc("DEBUG|5|m")
  %y = shard.all_slice %t on @g grid_axes = [0] slice_axis = 0 : tensor<4xf32> -> tensor<2xf32> loc("DEBUG|1|m")
  return %y : tensor<2xf32>
}
