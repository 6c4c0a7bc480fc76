func.func @main(%d: i32, %t: memref<4xf32>) -> memref<4xf32> {
    gpu.set_default_device %d loc("DEBUG|5|m")
    %m = gpu.alloc () : memref<4xf32> loc("DEBUG|1|m")
    return %m : memref<4xf32>
}
