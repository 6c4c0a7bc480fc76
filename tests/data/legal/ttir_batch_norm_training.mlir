// ttnn.batch_norm_training, which tt-mlir makes of it, writes the running statistics in place.
func.func @main(%x: tensor<4xf32>, %s: tensor<4xf32>, %o: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e = "ttir.neg"(%v) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %r:3 = "ttir.batch_norm_training"(%x, %s, %o, %m, %v) <{dimension = 1 : i32, epsilon = 1.0e-05 : f32, momentum = 0.1 : f32}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) loc("DEBUG|1|m")
  return %e, %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
