// #1 may pass #2: it computes with numbers
emitc.func @main(%a: f32) {
  %v = "emitc.variable"() <{value = 0.0 : f32}> : () -> !emitc.lvalue<f32> loc("DEBUG|0|m")
  emitc.assign %a : f32 to %v : <f32> loc("DEBUG|2|m")
  %q = emitc.mul %a, %a : (f32, f32) -> f32 loc("DEBUG|1|m")
  emitc.return
}
