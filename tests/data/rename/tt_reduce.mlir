// The restored order is 5, 6, 7. A name inside the region clashes with one outside.
func.func @f(%x: tensor<4xf32>) -> f32 {
  %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    "tt.reduce.return"(%c) : (f32) -> ()
  }) : (tensor<4xf32>) -> f32 loc("DEBUG|6|m")
  %c = arith.constant 1.0 : f32 loc("DEBUG|5|m")
  %d = arith.addf %r, %c : f32 loc("DEBUG|7|m")
  return %d : f32
}
