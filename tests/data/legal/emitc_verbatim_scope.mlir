// The text closes a scope. A variable that is declared inside is not known behind it.
emitc.func @f() {
  emitc.verbatim "{" loc("DEBUG|0|m")
  emitc.verbatim "}" loc("DEBUG|5|m")
  %v = "emitc.variable"() <{value = 1 : i32}> : () -> !emitc.lvalue<i32> loc("DEBUG|1|m")
  %w = emitc.load %v : !emitc.lvalue<i32>
  emitc.call_opaque "g"(%w) : (i32) -> ()
  emitc.return
}
