// #1 may pass #2: fix puts them in order
func.func @main(%c: i1, %a: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  cf.assert %c, "zero" loc("DEBUG|2|m")
  %r = linalg.div ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %r : tensor<4xf32>
}
