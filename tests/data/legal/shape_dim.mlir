// If the index is out of bounds "the behavior is undefined", and the assertion excludes that.
func.func @main(%t: tensor<2x3xf32>, %i: index, %c: i1) -> index {
  cf.assert %c, "out of bounds" loc("DEBUG|5|m")
  %s = shape.dim %t, %i : tensor<2x3xf32>, index -> index loc("DEBUG|1|m")
  return %s : index
}
