// The smallest number has no negative, and the assertion does not hold.
func.func @main(%x: i32, %c: i1) -> i32 {
  %k = arith.constant -1 : i32 loc("DEBUG|0|m")
  cf.assert %c, "fits" loc("DEBUG|5|m")
  %r = arith.divsi %x, %k : i32 loc("DEBUG|1|m")
  return %r : i32
}
