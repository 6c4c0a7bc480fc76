// iree-opt util.func(iree-dispatch-creation-bubble-up-expand-shapes)
// Reshapes around two layers move up to the inputs.
#id = affine_map<(d0, d1) -> (d0, d1)>
util.func public @reshapes(%x: tensor<128xf32>, %y: tensor<8x16xf32>, %z: tensor<128xf32>) -> (tensor<2x4x16xf32>, tensor<8x16xf32>) {
  %e0 = tensor.empty() : tensor<8x16xf32>
  %x2 = tensor.expand_shape %x [[0, 1]] output_shape [8, 16] : tensor<128xf32> into tensor<8x16xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x2, %y : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e0 : tensor<8x16xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %v = arith.addf %l, %r : f32
    linalg.yield %v : f32
  } -> tensor<8x16xf32>
  %e1 = tensor.empty() : tensor<8x16xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %y : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e1 : tensor<8x16xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %v = arith.mulf %l, %r : f32
    linalg.yield %v : f32
  } -> tensor<8x16xf32>
  %w = tensor.expand_shape %b [[0, 1], [2]] output_shape [2, 4, 16] : tensor<8x16xf32> into tensor<2x4x16xf32>
  util.return %w, %a : tensor<2x4x16xf32>, tensor<8x16xf32>
}
