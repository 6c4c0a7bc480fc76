// The argument of the second block is the allocation.
func.func @main(%i: index, %x: f32, %y: f32) -> f32 {
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  cf.br ^bb1(%a : memref<4xf32>)
^bb1(%m: memref<4xf32>):
  memref.store %x, %m[%i] : memref<4xf32> loc("DEBUG|5|m")
  memref.store %y, %a[%i] : memref<4xf32> loc("DEBUG|1|m")
  %v = memref.load %a[%i] : memref<4xf32> loc("DEBUG|7|m")
  return %v : f32
}
