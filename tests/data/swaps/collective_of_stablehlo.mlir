// #1 may pass #2: it reads the tensor that devices exchange
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|2|m")
  %q = stablehlo.add %x, %x : tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
