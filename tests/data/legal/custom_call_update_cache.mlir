// tt-mlir makes this call ttir.update_cache, which writes the cache in place.
func.func @main(%c: tensor<1x12x16x64xbf16>, %u: tensor<1x12x1x64xbf16>, %i: tensor<1xi32>) -> (tensor<1x12x16x64xbf16>, tensor<1x12x16x64xbf16>) {
  %e = stablehlo.negate %c : tensor<1x12x16x64xbf16> loc("DEBUG|5|m")
  %r = stablehlo.custom_call @tt.update_cache(%c, %u, %i) {api_version = 0 : i32, mhlo.frontend_attributes = {batch_offset = "0"}} : (tensor<1x12x16x64xbf16>, tensor<1x12x1x64xbf16>, tensor<1xi32>) -> tensor<1x12x16x64xbf16> loc("DEBUG|1|m")
  return %e, %r : tensor<1x12x16x64xbf16>, tensor<1x12x16x64xbf16>
}
