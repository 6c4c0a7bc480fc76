// The extents must match, and the assertion compares them.
func.func @main(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %c: i1) -> tensor<?x4xf32> {
  cf.assert %c, "same extents" loc("DEBUG|5|m")
  %g = "ttir.maximum"(%a, %b) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32> loc("DEBUG|1|m")
  return %g : tensor<?x4xf32>
}
