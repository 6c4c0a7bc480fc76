func.func @main(%a: tensor<1x1x4x4xbf16>, %w: tensor<4x4x1x1xbf16>, %d: !ttnn.device) -> (tensor<1x1x4x4xbf16>, tensor<1x1x4x4xbf16>) {
    %t = "ttnn.abs"(%a) : (tensor<1x1x4x4xbf16>) -> tensor<1x1x4x4xbf16> loc("DEBUG|0|m")
    %r = "ttnn.reshape"(%t) : (tensor<1x1x4x4xbf16>) -> tensor<1x1x4x4xbf16> loc("DEBUG|0|m")
    %u = "ttnn.neg"(%r) : (tensor<1x1x4x4xbf16>) -> tensor<1x1x4x4xbf16> loc("DEBUG|5|m")
    %c = "ttnn.conv_transpose2d"(%t, %w, %d) <{conv2d_config = #ttnn.conv2d_config<deallocate_activation = true>}> : (tensor<1x1x4x4xbf16>, tensor<4x4x1x1xbf16>, !ttnn.device) -> tensor<1x1x4x4xbf16> loc("DEBUG|1|m")
    return %u, %c : tensor<1x1x4x4xbf16>, tensor<1x1x4x4xbf16>
}
