// The function of the executable may divide by zero.
func.func @main(%c: i1, %t: tensor<4xi32>) -> tensor<4xi32> {
  cf.assert %c, "zero" loc("DEBUG|5|m")
  %r = flow.dispatch @e::@d(%t) : (tensor<4xi32>) -> tensor<4xi32> loc("DEBUG|1|m")
  return %r : tensor<4xi32>
}
