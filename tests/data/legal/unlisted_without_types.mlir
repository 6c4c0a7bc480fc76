func.func @main() -> tensor<4xf32> {
    %b = my.make loc("DEBUG|0|m")
    %u = "ttnn.neg"(%b) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    my.inplace %b loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
