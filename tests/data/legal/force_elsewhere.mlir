func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %v = "ttnn.reshape"(%a) : (tensor<4xf32>) -> tensor<2x2xf32>
    %u = "ttnn.neg"(%v) : (tensor<2x2xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    "ttnn.deallocate"(%a) <{force = true}> {my = {force = false}} : (tensor<4xf32>) -> () loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
