// An argument of an unknown type may be a buffer, which an op without a row may change through another one.
func.func @main(%b: !my.buffer, %c: !my.buffer) -> tensor<4xf32> {
    %u = "ttnn.neg"(%b) : (!my.buffer) -> tensor<4xf32> loc("DEBUG|5|m")
    "my.write"(%c) : (!my.buffer) -> () loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
