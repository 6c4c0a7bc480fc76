// #1 may pass #2: all lanes take part in both
func.func @main(%v: f32, %o: i32, %w: i32) -> f32 {
  %p, %pv = gpu.shuffle xor %v, %o, %w : f32 loc("DEBUG|2|m")
  %q, %qv = gpu.shuffle down %v, %o, %w : f32 loc("DEBUG|1|m")
  %r = arith.addf %p, %q : f32 loc("DEBUG|3|m")
  return %r : f32
}
