// The unlisted op sets the seed of the device, from which the other one draws.
func.func @f(%m: tensor<4xbf16>, %x: tensor<4xbf16>, %d: !ttnn.device) -> tensor<4xbf16> {
  "ttnn.set_random_seed"(%d) : (!ttnn.device) -> () loc("DEBUG|5|m")
  %r = "ttnn.rand"(%d) <{size = #ttnn.shape<4>, seed = 0 : ui32, low = 0.0 : f32, high = 1.0 : f32, dtype = #ttcore.supportedDataTypes<bf16>, layout = #ttnn.layout<tile>}> : (!ttnn.device) -> tensor<4xbf16> loc("DEBUG|1|m")
  return %r : tensor<4xbf16>
}
