// By zero it traps.
emitc.func @main(%a: i32, %b: i32) {
  emitc.call_opaque "exit_if_zero"(%b) : (i32) -> () loc("DEBUG|5|m")
  %q = emitc.div %a, %b : (i32, i32) -> i32 loc("DEBUG|1|m")
  emitc.return
}
