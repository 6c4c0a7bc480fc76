// By zero it may trap, though its extents are known.
func.func @main(%c: i1, %a: i8, %b: i8) -> i8 {
  cf.assert %c, "zero" loc("DEBUG|5|m")
  %r = comb.divu %a, %b : i8 loc("DEBUG|1|m")
  return %r : i8
}
