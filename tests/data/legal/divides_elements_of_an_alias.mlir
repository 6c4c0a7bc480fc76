// The element type is that of an alias.
!t = tensor<4xi64>
func.func @main(%c: i1, %a: !t, %b: !t, %o: !t) -> !t {
  cf.assert %c, "zero" loc("DEBUG|5|m")
  %r = linalg.div ins(%a, %b : !t, !t) outs(%o : !t) -> !t loc("DEBUG|1|m")
  return %r : !t
}
