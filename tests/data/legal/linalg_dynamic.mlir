// The extents may differ where the assertion does not hold.
func.func @main(%t: tensor<?xf32>, %o: tensor<?xf32>, %x: i32, %k: i32, %c: i1) -> tensor<?xf32> {
  cf.assert %c, "fits" loc("DEBUG|5|m")
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<?xf32> loc("DEBUG|1|m")
  return %r : tensor<?xf32>
}
