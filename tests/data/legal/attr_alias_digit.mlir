#0 = #ttnn.conv2d_config<deallocate_activation = true>
func.func @main(%a: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
    %u = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    %c = "ttnn.conv2d"(%a, %w) <{conv2d_config = #0}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
    return %c : tensor<4xf32>
}
