func.func @main(%d: memref<4xf32>, %c: index, %t: !gpu.async.token) -> f32 {
    gpu.wait [%t] loc("DEBUG|5|m")
    %x = memref.load %d[%c] : memref<4xf32> loc("DEBUG|1|m")
    return %x : f32
}
