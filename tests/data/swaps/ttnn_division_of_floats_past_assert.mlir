// #1 may pass #2: fix puts them in order
#dram = #ttnn.buffer_type<dram>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
func.func @main(%c: i1, %a: tensor<32x32xbf16, #layout>) -> tensor<32x32xbf16, #layout> {
  cf.assert %c, "zero" loc("DEBUG|2|m")
  %r = "ttnn.divide"(%a, %a) : (tensor<32x32xbf16, #layout>, tensor<32x32xbf16, #layout>) -> tensor<32x32xbf16, #layout> loc("DEBUG|1|m")
  return %r : tensor<32x32xbf16, #layout>
}
