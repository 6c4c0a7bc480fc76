// #1 may pass #2: it reads the tensor that processes exchange
shard.grid @g(shape = 2)
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = shard.all_reduce %x on @g : tensor<4xf32> -> tensor<4xf32> loc("DEBUG|2|m")
  %q = math.exp %x : tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
