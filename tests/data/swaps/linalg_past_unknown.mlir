// #1 may pass #2: all extents are known
func.func @main(%t: tensor<4xf32>, %o: tensor<4xf32>, %x: i32, %k: i32, %c: i1) -> tensor<4xf32> {
  "my.op"() : () -> () loc("DEBUG|2|m")
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<4xf32> loc("DEBUG|1|m")
  return %r : tensor<4xf32>
}
