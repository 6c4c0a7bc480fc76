func.func @main(%d: memref<4xf32>, %s: memref<4xf32>, %dep: !gpu.async.token) -> f32 {
    %c = arith.constant 0 : index loc("DEBUG|0|m")
    %t = gpu.memcpy async [%dep] %d, %s : memref<4xf32>, memref<4xf32> loc("DEBUG|5|m")
    %x = memref.load %d[%c] : memref<4xf32> loc("DEBUG|1|m")
    return %x : f32
}
