func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %t = "ttnn.abs"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|0|m")
    %m = builtin.unrealized_conversion_cast %t : tensor<4xf32> to tensor<4x1xf32> loc("DEBUG|0|m")
    %u = "ttnn.neg"(%t) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    "ttnn.deallocate"(%m) : (tensor<4x1xf32>) -> () loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
