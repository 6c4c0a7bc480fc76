// #1 may pass #2: both are numbers
emitc.func @main() {
  %p = "emitc.constant"() <{value = 1 : i32}> : () -> i32 loc("DEBUG|2|m")
  %q = "emitc.constant"() <{value = 2 : i32}> : () -> i32 loc("DEBUG|1|m")
  emitc.return
}
