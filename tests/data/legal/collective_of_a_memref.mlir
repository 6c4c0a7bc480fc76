// It reads the memref.
shard.grid @g(shape = 2)
func.func @main(%m: memref<8xf32>, %i: index, %f: f32) -> (memref<8xf32>) {
  %p = shard.all_reduce %m on @g : memref<8xf32> -> memref<8xf32> loc("DEBUG|5|m")
  memref.store %f, %m[%i] : memref<8xf32> loc("DEBUG|1|m")
  return %p : memref<8xf32>
}
