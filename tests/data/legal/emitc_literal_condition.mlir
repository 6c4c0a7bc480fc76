// A literal is printed where it is used: both conditions are calls, and the first one opens what the second one reads.
emitc.func @f() {
  %a = emitc.literal "open()" : i1 loc("DEBUG|0|m")
  %b = emitc.literal "read()" : i1 loc("DEBUG|0|m")
  emitc.if %a {
  } loc("DEBUG|5|m")
  emitc.if %b {
  } loc("DEBUG|1|m")
  emitc.return
}
