// ttnn.adamw, which tt-mlir makes of it, writes the parameter and the moments in place.
func.func @main(%p: tensor<4xf32>, %g: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e = "ttir.neg"(%p) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %r:3 = "ttir.adamw"(%p, %g, %m, %v) <{beta1 = 0.9 : f32, beta1_pow = 0.9 : f32, beta2 = 0.99 : f32, beta2_pow = 0.99 : f32, epsilon = 1.0e-08 : f32, lr = 1.0e-03 : f32, weight_decay = 1.0e-02 : f32}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) loc("DEBUG|1|m")
  return %e, %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
