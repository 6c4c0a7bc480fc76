// Another process may run the two in this order: in the other one they would wait for each other.
shard.grid @g(shape = 2)
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = shard.all_reduce %x on @g : tensor<4xf32> -> tensor<4xf32> loc("DEBUG|5|m")
  %q = shard.all_reduce %y on @g : tensor<4xf32> -> tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
