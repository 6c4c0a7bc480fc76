// The divisor is 0. The 5 is an attribute of a longer name.
func.func @main(%c: i1, %a: i32) -> i32 {
  %z = arith.constant {my.value = 5 : i32} 0 : i32
  cf.assert %c, "zero" loc("DEBUG|5|m")
  %r = arith.divsi %a, %z : i32 loc("DEBUG|1|m")
  return %r : i32
}
