// #1 may pass #2: both compute with numbers
emitc.func @main(%a: i32, %b: i32) {
  %p = emitc.add %a, %b : (i32, i32) -> i32 loc("DEBUG|2|m")
  %q = emitc.cmp lt, %a, %b : (i32, i32) -> i1 loc("DEBUG|1|m")
  emitc.return
}
