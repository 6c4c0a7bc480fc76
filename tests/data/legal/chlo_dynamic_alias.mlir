// The type with the unknown extent has another name. The loop may not end.
!t = tensor<?xf32>
func.func @main(%a: !t, %b: !t, %c: i1) -> !t {
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.yield
  } loc("DEBUG|5|m")
  %g = chlo.broadcast_maximum %a, %b : (!t, !t) -> !t loc("DEBUG|1|m")
  return %g : !t
}
