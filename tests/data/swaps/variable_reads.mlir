// #1 may pass #2: both only read
tosa.variable @a = dense<0.0> : tensor<4xf32>
tosa.variable @b = dense<0.0> : tensor<4xf32>
func.func @main() -> (tensor<4xf32>, tensor<4xf32>) {
  %p = tosa.variable_read @a : tensor<4xf32> loc("DEBUG|2|m")
  %q = "tosa.variable_read"() <{name = "a"}> : () -> tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
