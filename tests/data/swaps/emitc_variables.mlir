// #1 may pass #2: their initialisers are numbers
emitc.func @main() -> i32 {
  %a = "emitc.variable"() <{value = 1 : i32}> : () -> !emitc.lvalue<i32> loc("DEBUG|2|m")
  %b = "emitc.variable"() <{value = 2 : i32}> : () -> !emitc.lvalue<i32> loc("DEBUG|1|m")
  %x = emitc.load %a : <i32> loc("DEBUG|3|m")
  %y = emitc.load %b : <i32> loc("DEBUG|4|m")
  %s = emitc.add %x, %y : (i32, i32) -> i32 loc("DEBUG|5|m")
  emitc.return %s : i32
}
