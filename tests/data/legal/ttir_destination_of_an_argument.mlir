// The sum is written into the argument, which the second op reads.
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %o: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = ttir.empty() : tensor<4xf32> loc("DEBUG|0|m")
  %q = "ttir.exp"(%o, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %p = "ttir.add"(%a, %b, %o) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
