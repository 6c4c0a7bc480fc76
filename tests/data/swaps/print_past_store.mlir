// #1 may pass #2: it prints a number
func.func @main(%m: memref<8xf32>, %i: index, %x: f32) {
  vector.print %x : f32 loc("DEBUG|2|m")
  memref.store %x, %m[%i] : memref<8xf32> loc("DEBUG|1|m")
  return
}
