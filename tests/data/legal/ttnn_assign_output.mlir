// tt-metal copies into the second tensor of the assignment, which is read before.
func.func @f(%m: tensor<4xbf16>, %x: tensor<4xbf16>) -> tensor<4xbf16> {
  %s = "ttnn.neg"(%m) : (tensor<4xbf16>) -> tensor<4xbf16> loc("DEBUG|5|m")
  %r = "ttnn.assign"(%x, %m) : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16> loc("DEBUG|1|m")
  return %s : tensor<4xbf16>
}
