// The dump does not define #config, which may say that the convolution frees its input.
func.func @main(%a: tensor<4xf32>, %w: tensor<4xf32>, %d: !ttnn.device) -> (tensor<4xf32>, tensor<4xf32>) {
    %u = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    %v = "ttnn.conv2d"(%a, %w, %d) <{conv2d_config = #config}> : (tensor<4xf32>, tensor<4xf32>, !ttnn.device) -> tensor<4xf32> loc("DEBUG|1|m")
    return %u, %v : tensor<4xf32>, tensor<4xf32>
}
