// The function that is called updates the tensor in place. For other ops of MLIR it is a value.
func.func private @g(tensor<1x1x4x4xf32>)
func.func @update(%t: tensor<1x1x4x4xf32>, %u: tensor<1x1x4x4xf32>) {
  "ttnn.fill_cache"(%t, %u) <{batch_offset = 0 : i32}> : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> ()
  return
}
func.func @main(%t: tensor<1x1x4x4xf32>, %u: tensor<1x1x4x4xf32>, %i: index) -> f32 {
  func.call @g(%t) : (tensor<1x1x4x4xf32>) -> () loc("DEBUG|0|m")
  func.call @update(%t, %u) : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> () loc("DEBUG|5|m")
  %x = tensor.extract %t[%i, %i, %i, %i] : tensor<1x1x4x4xf32> loc("DEBUG|1|m")
  return %x : f32
}
