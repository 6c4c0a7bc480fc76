// iree-opt util.func(iree-dispatch-creation-hoist-uniform-scalar-compute)
// Scalars that are the same for every element of a tensor.
#id = affine_map<(d0) -> (d0)>
util.func public @f(%x: tensor<16xf32>, %s: f32) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %t = math.exp %x : tensor<16xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%t : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%l: f32, %o: f32):
    %two = arith.constant 2.0 : f32
    %twice = arith.mulf %s, %two : f32
    %root = math.sqrt %twice : f32
    %v = arith.mulf %l, %root : f32
    linalg.yield %v : f32
  } -> tensor<16xf32>
  util.return %a : tensor<16xf32>
}
