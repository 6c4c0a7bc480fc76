!0 = tensor<4xf32>
func.func @main(%a: !0) -> !0 {
    %u = "ttnn.neg"(%a) : (!0) -> !0 loc("DEBUG|5|m")
    "ttnn.deallocate"(%a) : (!0) -> () loc("DEBUG|1|m")
    return %u : !0
}
