// iree-opt util.func(iree-global-opt-propagate-linalg-transpose)
// Transposes around two layers: an inverse pair cancels.
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
util.func public @layers(%x: tensor<4x8x16xf32>, %a: tensor<4x16x8xf32>, %w: tensor<4x16x8xf32>) -> (tensor<4x8x16xf32>, tensor<4x16x8xf32>) {
  %e0 = tensor.empty() : tensor<4x16x8xf32>
  %t0 = linalg.transpose ins(%x : tensor<4x8x16xf32>) outs(%e0 : tensor<4x16x8xf32>) permutation = [0, 2, 1]
  %e1 = tensor.empty() : tensor<4x16x8xf32>
  %s0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t0 : tensor<4x16x8xf32>) outs(%e1 : tensor<4x16x8xf32>) {
  ^bb0(%l: f32, %o: f32):
    %v = math.exp %l : f32
    linalg.yield %v : f32
  } -> tensor<4x16x8xf32>
  %b = math.exp %a : tensor<4x16x8xf32>
  %e2 = tensor.empty() : tensor<4x16x8xf32>
  %s1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s0, %b : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%e2 : tensor<4x16x8xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %v = arith.mulf %l, %r : f32
    linalg.yield %v : f32
  } -> tensor<4x16x8xf32>
  %e3 = tensor.empty() : tensor<4x8x16xf32>
  %t1 = linalg.transpose ins(%s1 : tensor<4x16x8xf32>) outs(%e3 : tensor<4x8x16xf32>) permutation = [0, 2, 1]
  %c = math.exp %w : tensor<4x16x8xf32>
  util.return %t1, %c : tensor<4x8x16xf32>, tensor<4x16x8xf32>
}
