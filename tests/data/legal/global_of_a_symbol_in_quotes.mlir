// The names may be the same.
ml_program.global private mutable @a(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @"c d"(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  ml_program.global_store @"c d" = %x : tensor<4xf32> loc("DEBUG|5|m")
  %q = ml_program.global_load @"c\20d" : tensor<4xf32> loc("DEBUG|1|m")
  return %q : tensor<4xf32>
}
