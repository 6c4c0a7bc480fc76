// The output is another one.
func.func @main(%x: f32, %y: f32) {
  vector.print %x : f32 loc("DEBUG|5|m")
  vector.print %y : f32 loc("DEBUG|1|m")
  return
}
