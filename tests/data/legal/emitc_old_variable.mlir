// Until 2024 a variable was a plain value, and its users read what was assigned to it last.
func.func @f(%a: i1) {
  %v = "emitc.variable"() {value = false} : () -> i1 loc("DEBUG|0|m")
  emitc.assign %a : i1 to %v : i1 loc("DEBUG|5|m")
  emitc.if %v {
  } loc("DEBUG|1|m")
  return
}
