// The included text may be any statements, such as those that open the scope of the variable.
emitc.func @f() {
  emitc.include "begin.inc" loc("DEBUG|5|m")
  %v = "emitc.variable"() <{value = 1 : i32}> : () -> !emitc.lvalue<i32> loc("DEBUG|1|m")
  emitc.include "end.inc"
  emitc.return
}
