// The restored order is 5, 6, 7. A name inside the region clashes with one outside.
func.func @f(%x: f32) -> f32 {
  "my.r"() ({
  ^bb0(%a: f32):
    "my.use"(%a) : (f32) -> ()
  }) : () -> () loc("DEBUG|6|m")
  %a = arith.negf %x : f32 loc("DEBUG|5|m")
  %b = arith.negf %a : f32 loc("DEBUG|7|m")
  return %b : f32
}
