// A line of one op begins with a word at the indentation of the op: #9 stays before #1, which uses its result.
func.func @main(%p: f32, %q: f32) -> (f32, f32) {
  %v = arith.addf %p, %q
  fastmath<fast> : f32 loc("DEBUG|9|c")
  %c = arith.addf %v, %p : f32 loc("DEBUG|1|a")
  return %c, %q : f32, f32
}
