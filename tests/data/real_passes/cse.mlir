// iree-opt func.func(cse)
// One value computed twice, needed in two orders.
func.func @twice(%x: f32, %y: f32) -> (f32, f32) {
  %a = math.exp %y : f32
  %b = math.sqrt %x : f32
  %c = math.exp %y : f32
  %d = arith.addf %b, %c : f32
  %e = arith.addf %b, %a : f32
  %f = arith.mulf %d, %e : f32
  return %f, %d : f32, f32
}
