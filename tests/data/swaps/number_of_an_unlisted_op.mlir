// #1 may pass #2: what my.get gives is a number, as its use shows
func.func @main(%x: f32, %m: memref<f32>) -> f32 {
  %n = my.get : f32 loc("DEBUG|0|m")
  memref.store %x, %m[] : memref<f32> loc("DEBUG|2|m")
  %q = arith.mulf %n, %x : f32 loc("DEBUG|1|m")
  return %q : f32
}
