// MPI exchanges data only behind its initialization.
shard.grid @g(shape = 2)
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  mpi.init loc("DEBUG|5|m")
  %p = shard.all_reduce %x on @g : tensor<4xf32> -> tensor<4xf32> loc("DEBUG|1|m")
  return %p : tensor<4xf32>
}
