// By zero it may trap, though its extents are known.
func.func @main(%c: i1, %a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  cf.assert %c, "zero" loc("DEBUG|5|m")
  %r = "chlo.broadcast_divide"(%a, %b) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64> loc("DEBUG|1|m")
  return %r : tensor<4xi64>
}
