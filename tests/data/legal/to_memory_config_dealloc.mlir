func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %t = "ttnn.abs"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|0|m")
    %m = "ttnn.to_memory_config"(%t) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|0|m")
    %u = "ttnn.neg"(%m) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    "ttnn.deallocate"(%t) <{force = true}> : (tensor<4xf32>) -> () loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
