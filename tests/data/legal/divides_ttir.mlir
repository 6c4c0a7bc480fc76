// By zero it may trap, though its extents are known.
func.func @main(%c: i1, %a: tensor<4x4xsi32>, %b: tensor<4x4xsi32>) -> tensor<4x4xsi32> {
  cf.assert %c, "zero" loc("DEBUG|5|m")
  %r = "ttir.remainder"(%a, %b) : (tensor<4x4xsi32>, tensor<4x4xsi32>) -> tensor<4x4xsi32> loc("DEBUG|1|m")
  return %r : tensor<4x4xsi32>
}
