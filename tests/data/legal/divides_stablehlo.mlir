// By zero it may trap, though its extents are known.
func.func @main(%c: i1, %a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  cf.assert %c, "zero" loc("DEBUG|5|m")
  %r = stablehlo.divide %a, %b : tensor<4xi32> loc("DEBUG|1|m")
  return %r : tensor<4xi32>
}
