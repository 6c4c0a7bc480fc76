// #1 may pass #2: no argument points to what the function allocates itself
func.func @main(%m: memref<4xf32>, %i: index, %x: f32) -> f32 {
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  memref.store %x, %m[%i] : memref<4xf32> loc("DEBUG|2|m")
  memref.store %x, %a[%i] : memref<4xf32> loc("DEBUG|1|m")
  %v = memref.load %a[%i] : memref<4xf32> loc("DEBUG|3|m")
  return %v : f32
}
