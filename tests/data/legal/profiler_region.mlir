func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    "debug.profiler_start"() : () -> () loc("DEBUG|5|m")
    %u = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
