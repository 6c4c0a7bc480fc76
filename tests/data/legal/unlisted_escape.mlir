func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %t = "ttnn.abs"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|0|m")
    "my.keep"(%t) : (tensor<4xf32>) -> () loc("DEBUG|0|m")
    "my.change_what_was_kept"() : () -> () loc("DEBUG|5|m")
    %u = "ttnn.neg"(%t) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
