func.func private @pure(%x: tensor<4xf32>) { return }
func.func private @frees(%x: tensor<4xf32>) { "ttnn.deallocate"(%x) : (tensor<4xf32>) -> ()
 return }
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %u = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    "func.call"(%a) <{ // callee = @pure
       callee = @frees}> : (tensor<4xf32>) -> () loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
