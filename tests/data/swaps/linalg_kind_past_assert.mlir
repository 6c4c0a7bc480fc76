// #1 may pass #2: fix puts them in order
func.func @main(%c: i1, %a: tensor<4xi32>, %o: tensor<4xi32>) -> tensor<4xi32> {
  cf.assert %c, "zero" loc("DEBUG|2|m")
  %r = linalg.elementwise kind=#linalg.elementwise_kind<add> ins(%a, %a : tensor<4xi32>, tensor<4xi32>) outs(%o : tensor<4xi32>) -> tensor<4xi32> loc("DEBUG|1|m")
  return %r : tensor<4xi32>
}
