// tt-mlir makes this call ttir.paged_fill_cache, which writes the cache in place.
func.func @main(%c: tensor<1x12x16x64xbf16>, %u: tensor<1x12x1x64xbf16>, %p: tensor<1x1xi32>) -> (tensor<1x12x16x64xbf16>, tensor<1x12x16x64xbf16>) {
  %e = stablehlo.negate %c : tensor<1x12x16x64xbf16> loc("DEBUG|5|m")
  %r = stablehlo.custom_call @tt.paged_fill_cache(%c, %u, %p) : (tensor<1x12x16x64xbf16>, tensor<1x12x1x64xbf16>, tensor<1x1xi32>) -> tensor<1x12x16x64xbf16> loc("DEBUG|1|m")
  return %e, %r : tensor<1x12x16x64xbf16>, tensor<1x12x16x64xbf16>
}
