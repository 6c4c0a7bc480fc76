// iree-opt linalg-fuse-elementwise-ops
// Three elementwise layers with other work between them.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @layers(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %v = arith.addf %l, %r : f32
    linalg.yield %v : f32
  } -> tensor<8x16xf32>
  %side = math.tanh %y : tensor<8x16xf32>
  %f = tensor.empty() : tensor<8x16xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %side : tensor<8x16xf32>, tensor<8x16xf32>) outs(%f : tensor<8x16xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %v = arith.mulf %l, %r : f32
    linalg.yield %v : f32
  } -> tensor<8x16xf32>
  %more = math.exp %side : tensor<8x16xf32>
  %g = tensor.empty() : tensor<8x16xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<8x16xf32>) outs(%g : tensor<8x16xf32>) {
  ^bb0(%l: f32, %o: f32):
    %v = math.exp %l : f32
    linalg.yield %v : f32
  } -> tensor<8x16xf32>
  return %c, %more : tensor<8x16xf32>, tensor<8x16xf32>
}
