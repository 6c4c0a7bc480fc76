// A tensor is a value for StableHLO and MLIR, but update_cache writes it in place.
func.func private @g(tensor<1x1x4x4xf32>)
func.func @main(%t: tensor<1x1x4x4xf32>, %u: tensor<1x1x1x4xf32>, %k: tensor<1xi32>, %i: index) -> f32 {
  func.call @g(%t) : (tensor<1x1x4x4xf32>) -> () loc("DEBUG|0|m")
  "ttnn.update_cache"(%t, %u, %k) <{batch_offset = 0 : i32}> : (tensor<1x1x4x4xf32>, tensor<1x1x1x4xf32>, tensor<1xi32>) -> () loc("DEBUG|5|m")
  %x = tensor.extract %t[%i, %i, %i, %i] : tensor<1x1x4x4xf32> loc("DEBUG|1|m")
  return %x : f32
}
