func.func @keeps(%t: tensor<4xf32>) {
    "my.keep"(%t) : (tensor<4xf32>) -> ()
    return
}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    call @keeps(%a) : (tensor<4xf32>) -> () loc("DEBUG|0|m")
    %u = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    "my.change_what_was_kept"() : () -> () loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
