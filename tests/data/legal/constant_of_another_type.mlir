// The number has the type of the result, 8 bits, in which it is negative.
func.func @main(%c: i1, %a: vector<4xi8>, %b: i8) -> i8 {
  %z = "llvm.mlir.constant"() <{value = 255 : i64}> : () -> i8
  cf.assert %c, "zero" loc("DEBUG|5|m")
  %r = arith.divsi %b, %z : i8 loc("DEBUG|1|m")
  return %r : i8
}
