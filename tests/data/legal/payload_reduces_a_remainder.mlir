// The short form prints the division without its operands.
func.func @main(%c: i1, %a: tensor<4x4xi32>, %o: tensor<4xi32>) -> tensor<4xi32> {
  cf.assert %c, "zero" loc("DEBUG|5|m")
  %r = linalg.reduce { arith.remui } ins(%a : tensor<4x4xi32>) outs(%o : tensor<4xi32>) dimensions = [1] loc("DEBUG|1|m")
  return %r : tensor<4xi32>
}
