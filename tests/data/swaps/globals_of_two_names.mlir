// #1 may pass #2: they are two globals
ml_program.global private mutable @a(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @b(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  ml_program.global_store @a = %x : tensor<4xf32> loc("DEBUG|2|m")
  %q = ml_program.global_load @b : tensor<4xf32> loc("DEBUG|1|m")
  return %q : tensor<4xf32>
}
