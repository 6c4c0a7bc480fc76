// tt-mlir makes this scatter ttir.update_cache, which writes the cache in place, whatever else reads it.
func.func @main(%c: tensor<1x12x16x64xbf16>, %u: tensor<1x12x1x64xbf16>, %i: tensor<1x1xi32>) -> (tensor<1x12x16x64xbf16>, tensor<1x12x16x64xbf16>) {
  %e = stablehlo.negate %c : tensor<1x12x16x64xbf16> loc("DEBUG|5|m")
  %r = "stablehlo.scatter"(%c, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1, 3], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    stablehlo.return %b : tensor<bf16>
  }) : (tensor<1x12x16x64xbf16>, tensor<1x1xi32>, tensor<1x12x1x64xbf16>) -> tensor<1x12x16x64xbf16> loc("DEBUG|1|m")
  return %e, %r : tensor<1x12x16x64xbf16>, tensor<1x12x16x64xbf16>
}
