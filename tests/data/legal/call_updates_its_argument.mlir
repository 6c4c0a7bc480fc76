func.func private @g(%arg0: tensor<4xf32>, %x: tensor<4xf32>, %i: tensor<1xi32>) {
    %v = "ttnn.to_layout"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    "ttnn.update_cache"(%v, %x, %i) <{batch_offset = 0 : i32}> : (tensor<4xf32>, tensor<4xf32>, tensor<1xi32>) -> ()
    return
}
func.func @main(%c: tensor<4xf32>, %x: tensor<4xf32>, %i: tensor<1xi32>) -> tensor<4xf32> {
    call @g(%c, %x, %i) : (tensor<4xf32>, tensor<4xf32>, tensor<1xi32>) -> () loc("DEBUG|5|m")
    %u = "ttnn.neg"(%c) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
