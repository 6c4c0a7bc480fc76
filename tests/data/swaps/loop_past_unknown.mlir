// #1 may pass #2: the step is one, so the loop ends
func.func @main(%z: f32, %i: index, %n: index, %s: index, %c: i1) -> f32 {
  %c1 = arith.constant 1 : index loc("DEBUG|0|m")
  "my.op"() : () -> () loc("DEBUG|2|m")
  %r = scf.for %k = %i to %n step %c1 iter_args(%a = %z) -> (f32) {
    %b = arith.addf %a, %z : f32
    scf.yield %b : f32
  } loc("DEBUG|1|m")
  return %r : f32
}
