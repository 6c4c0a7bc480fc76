!$t = tensor<4xf32>
func.func @main(%a: !$t) -> !$t {
    %u = "ttnn.neg"(%a) : (!$t) -> !$t loc("DEBUG|5|m")
    "ttnn.deallocate"(%a) : (!$t) -> () loc("DEBUG|1|m")
    return %u : !$t
}
