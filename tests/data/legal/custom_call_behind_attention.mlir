// Attention reads the cache before tt-mlir updates it in place.
func.func @main(%c: tensor<1x12x16x64xbf16>, %u: tensor<1x12x1x64xbf16>, %i: tensor<1xi32>) -> (tensor<1x12x1x64xbf16>, tensor<1x12x16x64xbf16>) {
  %s = stablehlo.dot_general %u, %c, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x12x1x64xbf16>, tensor<1x12x16x64xbf16>) -> tensor<1x12x1x16xbf16> loc("DEBUG|5|m")
  %r = stablehlo.custom_call @tt.update_cache(%c, %u, %i) {api_version = 0 : i32, mhlo.frontend_attributes = {batch_offset = "0"}} : (tensor<1x12x16x64xbf16>, tensor<1x12x1x64xbf16>, tensor<1xi32>) -> tensor<1x12x16x64xbf16> loc("DEBUG|1|m")
  return %u, %r : tensor<1x12x1x64xbf16>, tensor<1x12x16x64xbf16>
}
