// A custom call may change its operand in place: tt-mlir makes this one ttir.update_cache.
func.func @main(%c: tensor<1x1x16x4xbf16>, %u: tensor<1x1x1x4xbf16>, %i: tensor<1xi32>) -> (tensor<1x1x16x4xbf16>, tensor<1x1x16x4xbf16>) {
  %e = stablehlo.negate %c : tensor<1x1x16x4xbf16> loc("DEBUG|5|m")
  %r = stablehlo.custom_call @tt.update_cache(%c, %u, %i) : (tensor<1x1x16x4xbf16>, tensor<1x1x1x4xbf16>, tensor<1xi32>) -> tensor<1x1x16x4xbf16> loc("DEBUG|1|m")
  return %e, %r : tensor<1x1x16x4xbf16>, tensor<1x1x16x4xbf16>
}
