// #1 may pass #2: processes exchange tensors, and no memory
shard.grid @g(shape = 2)
func.func @main(%x: tensor<4xf32>, %m: memref<8xf32>, %i: index, %f: f32) -> (tensor<4xf32>) {
  %p = shard.all_reduce %x on @g : tensor<4xf32> -> tensor<4xf32> loc("DEBUG|2|m")
  memref.store %f, %m[%i] : memref<8xf32> loc("DEBUG|1|m")
  return %p : tensor<4xf32>
}
