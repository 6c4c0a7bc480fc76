func.func @main(%d: memref<4xf32>, %s: memref<4xf32>, %c: index) -> f32 {
    "gpu.memcpy"(%d, %s) : (memref<4xf32>, memref<4xf32>) -> () loc("DEBUG|5|m")
    %x = "memref.load"(%d, %c) : (memref<4xf32>, index) -> f32 loc("DEBUG|1|m")
    return %x : f32
}
