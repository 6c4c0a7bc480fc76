// The class defines what its operator does.
emitc.func @main(%a: !emitc.opaque<"Log">, %b: i32) {
  %p = emitc.bitwise_left_shift %a, %b : (!emitc.opaque<"Log">, i32) -> !emitc.opaque<"Log"> loc("DEBUG|5|m")
  %q = emitc.bitwise_left_shift %a, %b : (!emitc.opaque<"Log">, i32) -> !emitc.opaque<"Log"> loc("DEBUG|1|m")
  emitc.return
}
