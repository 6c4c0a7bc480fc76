// No use shows the type of %p either: a pointer, through which the listed op writes.
func.func @main(%x: f32, %v: vector<4xf32>, %m: memref<4xf32>, %i: index) -> f32 {
  %p = my.pointer %x : f32 loc("DEBUG|0|m")
  emitc.assign %x : f32 to %p : <f32> loc("DEBUG|5|m")
  %l = memref.load %m[%i] : memref<4xf32> loc("DEBUG|1|m")
  return %l : f32
}
