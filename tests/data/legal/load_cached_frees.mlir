func.func private @ce(%x: tensor<4xf32>) -> tensor<4xf32> { %n = "ttnn.neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
 "ttnn.deallocate"(%x) : (tensor<4xf32>) -> ()
 return %n : tensor<4xf32> }
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %u = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    %c = ttcore.load_cached(@ce, [%a]) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
    return %c : tensor<4xf32>
}
