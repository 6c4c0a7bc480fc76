// #1 may pass #2: the divisor is positive
func.func @main(%x: i32, %c: i1) -> i32 {
  %k = arith.constant 7 : i32 loc("DEBUG|0|m")
  "my.op"() : () -> () loc("DEBUG|2|m")
  %r = arith.divsi %x, %k : i32 loc("DEBUG|1|m")
  return %r : i32
}
