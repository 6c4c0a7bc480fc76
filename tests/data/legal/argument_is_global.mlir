ttcore.global @g = tensor<4xf32>
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    %g = "ttcore.get_global"() <{sym_name = "g"}> : () -> tensor<4xf32>
    %u = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    "ttnn.deallocate"(%g) : (tensor<4xf32>) -> () loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
func.func @main() -> tensor<4xf32> {
    %a = "ttcore.get_global"() <{sym_name = "g"}> : () -> tensor<4xf32>
    %r = func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
}
