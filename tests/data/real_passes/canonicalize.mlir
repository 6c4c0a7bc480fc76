// iree-opt func.func(canonicalize)
// Constants where they are needed; they end up at the top.
func.func @softplus(%x: tensor<16xf32>, %y: tensor<16xf32>, %c: i1) -> (tensor<16xf32>, tensor<16xf32>) {
  %a = arith.mulf %x, %y : tensor<16xf32>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %b = arith.addf %one, %a : tensor<16xf32>
  %e = math.exp %b : tensor<16xf32>
  %two = arith.constant dense<2.0> : tensor<16xf32>
  %d = arith.divf %e, %two : tensor<16xf32>
  %l = math.log1p %d : tensor<16xf32>
  %three = arith.constant dense<3.0> : tensor<16xf32>
  %true = arith.constant true
  %s = arith.select %true, %l, %x : tensor<16xf32>
  %m = arith.mulf %s, %three : tensor<16xf32>
  return %m, %d : tensor<16xf32>, tensor<16xf32>
}
