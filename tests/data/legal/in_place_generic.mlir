// One-shot bufferization writes the memory of the memref in place. Run by MLIR: 7 before, 0 in the other order.
func.func @main(%m: memref<4xf32>, %z: f32, %c0: index, %c1: index, %c4: index, %q: vector<4xf32>) -> (f32, tensor<4xf32>) {
  %t = "bufferization.to_tensor"(%m) <{restrict, writable}> : (memref<4xf32>) -> tensor<4xf32> loc("DEBUG|0|m")
  %v = memref.load %m[%c0] : memref<4xf32> loc("DEBUG|5|m")
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : tensor<4xf32>) {
  ^bb0(%a: f32):
    linalg.yield %z : f32
  } -> tensor<4xf32> loc("DEBUG|1|m")
  return %v, %r : f32, tensor<4xf32>
}
