// Unless a custom call of MHLO says that it has no side effect, it has one.
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = mhlo.custom_call @foo(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
  %q = mhlo.custom_call @bar(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
