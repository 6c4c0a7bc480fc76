func.func @main(%t: tensor<4xf32>, %v: f32, %c: index) -> tensor<4xf32> {
    %m = "ttir.ttnn_metal_layout_cast"(%t) : (tensor<4xf32>) -> memref<4xf32> loc("DEBUG|0|m")
    %u = "ttnn.neg"(%t) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    memref.store %v, %m[%c] : memref<4xf32> loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
