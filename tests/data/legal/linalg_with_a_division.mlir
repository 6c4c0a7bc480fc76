// The division may be by zero where the assertion does not hold.
func.func @main(%t: tensor<4xf32>, %o: tensor<4xf32>, %x: i32, %k: i32, %c: i1) -> tensor<4xf32> {
  cf.assert %c, "fits" loc("DEBUG|5|m")
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %q = arith.divsi %x, %k : i32
    %n = arith.sitofp %q : i32 to f32
    linalg.yield %n : f32
  } -> tensor<4xf32> loc("DEBUG|1|m")
  return %r : tensor<4xf32>
}
