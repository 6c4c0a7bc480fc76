// #1 may pass #2: a tensor is a value for IREE, too
util.func private @g(%t: tensor<4xf32>) -> tensor<4xf32>
util.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %1 = util.call @g(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|2|m")
  %2 = arith.negf %a : tensor<4xf32> loc("DEBUG|1|m")
  %3 = arith.mulf %1, %2 : tensor<4xf32> loc("DEBUG|3|m")
  util.return %3 : tensor<4xf32>
}
