// The step is 0, so the loop does not end. The 1 is an attribute of a longer name.
func.func @main(%c: i1, %i: index, %n: index) {
  %s = arith.constant {my.value = 1 : index} 0 : index
  cf.assert %c, "zero" loc("DEBUG|5|m")
  scf.for %k = %i to %n step %s {
  } loc("DEBUG|1|m")
  return
}
