// The tensor is what the memref holds when the collective reads it.
shard.grid @g(shape = 2)
func.func @main(%m: memref<8xf32>, %i: index, %f: f32) -> (tensor<8xf32>) {
  %x = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32> loc("DEBUG|0|m")
  %p = shard.all_reduce %x on @g : tensor<8xf32> -> tensor<8xf32> loc("DEBUG|5|m")
  memref.store %f, %m[%i] : memref<8xf32> loc("DEBUG|1|m")
  return %p : tensor<8xf32>
}
