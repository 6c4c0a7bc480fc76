// The result is undefined for shapes that do not fit, and the assertion compares them.
func.func @main(%a: !shape.shape, %b: !shape.shape, %c: i1) -> !shape.shape {
  cf.assert %c, "no common shape" loc("DEBUG|5|m")
  %s = shape.any %a, %b : !shape.shape, !shape.shape -> !shape.shape loc("DEBUG|1|m")
  return %s : !shape.shape
}
