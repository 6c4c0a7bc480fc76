// As a signed number 255 is -1, and the smallest number has no negative.
func.func @main(%x: i8, %c: i1) -> i8 {
  %k = arith.constant 255 : i8 loc("DEBUG|0|m")
  cf.assert %c, "fits" loc("DEBUG|5|m")
  %r = arith.divsi %x, %k : i8 loc("DEBUG|1|m")
  return %r : i8
}
