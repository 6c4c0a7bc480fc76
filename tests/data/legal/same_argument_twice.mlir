func.func private @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %u = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    "ttnn.deallocate"(%b) : (tensor<4xf32>) -> () loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %r = func.call @f(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
}
