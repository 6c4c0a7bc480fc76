func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %t = "ttnn.abs"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|0|m")
    %w = "ttnn.reshape"(%t) : (tensor<4xf32>) -> tensor<2x2xf32> loc("DEBUG|0|m")
    "my.inplace"(%w) : (tensor<2x2xf32>) -> () loc("DEBUG|5|m")
    %u = "ttnn.neg"(%t) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
