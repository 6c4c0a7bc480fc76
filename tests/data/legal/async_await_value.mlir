func.func @main(%m: memref<4xf32>, %c: index, %v: f32) -> f32 {
    %tok, %r = async.execute -> !async.value<f32> {
      memref.store %v, %m[%c] : memref<4xf32>
      async.yield %v : f32
    } loc("DEBUG|0|m")
    %y = async.await %r : !async.value<f32> loc("DEBUG|5|m")
    %x = memref.load %m[%c] : memref<4xf32> loc("DEBUG|1|m")
    return %x : f32
}
