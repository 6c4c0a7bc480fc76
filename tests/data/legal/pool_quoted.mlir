func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %u = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    %c = "ttnn.max_pool2d"(%a) <{"in_place_halo" = true}> : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
    return %c : tensor<4xf32>
}
