!m = memref<4xf32>
func.func @main(%d: !m, %c: index, %v: f32) -> f32 {
    "memref.store"(%v, %d, %c) : (f32, !m, index) -> () loc("DEBUG|5|m")
    %x = "memref.load"(%d, %c) : (!m, index) -> f32 loc("DEBUG|1|m")
    return %x : f32
}
