func.func @main(%b: !my.buffer, %c: !my.buffer) -> tensor<4xf32> {
    %t = builtin.unrealized_conversion_cast %b : !my.buffer to tensor<4xf32> loc("DEBUG|0|m")
    "my.write"(%c) : (!my.buffer) -> () loc("DEBUG|5|m")
    %u = "ttnn.neg"(%t) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
