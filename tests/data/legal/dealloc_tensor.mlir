func.func @main(%a: tensor<4xf32>, %c: index) -> f32 {
    %x = tensor.extract %a[%c] : tensor<4xf32> loc("DEBUG|5|m")
    bufferization.dealloc_tensor %a : tensor<4xf32> loc("DEBUG|1|m")
    return %x : f32
}
