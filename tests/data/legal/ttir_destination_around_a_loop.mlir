// Each round writes into the empty tensor, which then is what the next round reads.
func.func @main(%a: tensor<4xf32>, %n: index, %c0: index, %c1: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = ttir.empty() : tensor<4xf32> loc("DEBUG|0|m")
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a, %t = %a) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = ttir.empty() : tensor<4xf32> loc("DEBUG|0|m")
    %q = "ttir.exp"(%s, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    %p = "ttir.add"(%a, %a, %0) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
    scf.yield %p, %q : tensor<4xf32>, tensor<4xf32>
  } loc("DEBUG|0|m")
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
