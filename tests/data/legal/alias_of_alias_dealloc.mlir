!a = tensor<4xf32>
!t = !a
func.func @main(%a: !t) -> !t {
    %t = "ttnn.abs"(%a) : (!t) -> !t loc("DEBUG|0|m")
    %u = "ttnn.neg"(%t) : (!t) -> !t loc("DEBUG|5|m")
    "ttnn.deallocate"(%t) : (!t) -> () loc("DEBUG|1|m")
    return %u : !t
}
