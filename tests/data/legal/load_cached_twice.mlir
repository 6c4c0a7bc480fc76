func.func @consts() -> tensor<4xf32> {
    %0 = "ttnn.full"() : () -> tensor<4xf32>
    return %0 : tensor<4xf32>
}
func.func @main() -> tensor<4xf32> {
    %a = ttcore.load_cached(@consts, []) : () -> tensor<4xf32> loc("DEBUG|0|m")
    %b = ttcore.load_cached(@consts, []) : () -> tensor<4xf32> loc("DEBUG|0|m")
    %u = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    "ttnn.deallocate"(%b) : (tensor<4xf32>) -> () loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
