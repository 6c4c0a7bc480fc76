// The function writes the global.
ml_program.global private mutable @a(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @b(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func private @f(%x: tensor<4xf32>) {
  ml_program.global_store @a = %x : tensor<4xf32>
  return
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  func.call @f(%x) : (tensor<4xf32>) -> () loc("DEBUG|5|m")
  %q = ml_program.global_load @a : tensor<4xf32> loc("DEBUG|1|m")
  return %q : tensor<4xf32>
}
