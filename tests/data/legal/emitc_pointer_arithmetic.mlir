// They are no operators on numbers.
emitc.func @main(%a: !emitc.ptr<i32>, %b: i32) {
  %p = emitc.add %a, %b : (!emitc.ptr<i32>, i32) -> !emitc.ptr<i32> loc("DEBUG|5|m")
  %q = emitc.sub %a, %b : (!emitc.ptr<i32>, i32) -> !emitc.ptr<i32> loc("DEBUG|1|m")
  emitc.return
}
