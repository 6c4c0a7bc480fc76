// By zero it may trap, though its extents are known.
func.func @main(%c: i1, %a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xui8> {
  cf.assert %c, "zero" loc("DEBUG|5|m")
  %r = "mhlo.remainder"(%a, %b) : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8> loc("DEBUG|1|m")
  return %r : tensor<4xui8>
}
