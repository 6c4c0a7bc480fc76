// The function writes to its argument, which is the allocation.
func.func @f(%m: memref<4xf32>, %x: f32, %i: index) {
  memref.store %x, %m[%i] : memref<4xf32>
  return
}
func.func @main(%i: index, %x: f32) -> f32 {
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  call @f(%a, %x, %i) : (memref<4xf32>, f32, index) -> () loc("DEBUG|5|m")
  %l = memref.load %a[%i] : memref<4xf32> loc("DEBUG|1|m")
  return %l : f32
}
