// Nothing is known of the extents of an unranked tensor. They must be such that they can be broadcast.
func.func @main(%a: tensor<*xf32>, %b: tensor<*xf32>, %c: i1) -> tensor<*xf32> {
  cf.assert %c, "can be broadcast" loc("DEBUG|5|m")
  %g = tosa.maximum %a, %b : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32> loc("DEBUG|1|m")
  return %g : tensor<*xf32>
}
