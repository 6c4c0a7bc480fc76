// The initialisers are C++ expressions, which run where the variables are declared: 0 - 1, not 1 - 0.
emitc.global extern @counter : i32
emitc.func @f() -> i32 {
  %a = "emitc.variable"() <{value = #emitc.opaque<"counter++">}> : () -> !emitc.lvalue<i32> loc("DEBUG|5|m")
  %b = "emitc.variable"() <{value = #emitc.opaque<"counter++">}> : () -> !emitc.lvalue<i32> loc("DEBUG|1|m")
  %x = emitc.load %a : !emitc.lvalue<i32>
  %y = emitc.load %b : !emitc.lvalue<i32>
  %d = emitc.sub %x, %y : (i32, i32) -> i32
  emitc.return %d : i32
}
