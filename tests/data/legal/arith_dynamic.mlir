// The behaviour of an elementwise op is undefined for extents that do not match, and the assertion compares them.
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  cf.assert %c, "same extents" loc("DEBUG|5|m")
  %g = arith.addf %a, %b : tensor<?xf32> loc("DEBUG|1|m")
  return %g : tensor<?xf32>
}
