// The short form prints the division without its operands.
func.func @main(%c: i1, %a: tensor<4xi32>, %b: tensor<4xi32>, %o: tensor<4xi32>) -> tensor<4xi32> {
  cf.assert %c, "zero" loc("DEBUG|5|m")
  %r = linalg.map { arith.divsi } ins(%a, %b : tensor<4xi32>, tensor<4xi32>) outs(%o : tensor<4xi32>) loc("DEBUG|1|m")
  return %r : tensor<4xi32>
}
