// It is one variable.
tosa.variable @a = dense<0.0> : tensor<4xf32>
tosa.variable @b = dense<0.0> : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  tosa.variable_write @a, %x : tensor<4xf32> loc("DEBUG|5|m")
  %q = "tosa.variable_read"() <{name = "a"}> : () -> tensor<4xf32> loc("DEBUG|1|m")
  return %q : tensor<4xf32>
}
