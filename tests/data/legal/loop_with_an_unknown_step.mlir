// The step may be zero where the assertion does not hold.
func.func @main(%z: f32, %i: index, %n: index, %s: index, %c: i1) -> f32 {
  %c1 = arith.constant 1 : index loc("DEBUG|0|m")
  cf.assert %c, "fits" loc("DEBUG|5|m")
  %r = scf.for %k = %i to %n step %s iter_args(%a = %z) -> (f32) {
    %b = arith.addf %a, %z : f32
    scf.yield %b : f32
  } loc("DEBUG|1|m")
  return %r : f32
}
