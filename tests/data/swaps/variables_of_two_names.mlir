// #1 may pass #2: they are two variables
tosa.variable @a = dense<0.0> : tensor<4xf32>
tosa.variable @b = dense<0.0> : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  tosa.variable_write @a, %x : tensor<4xf32> loc("DEBUG|2|m")
  %q = tosa.variable_read @b : tensor<4xf32> loc("DEBUG|1|m")
  return %q : tensor<4xf32>
}
