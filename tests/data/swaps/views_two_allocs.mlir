// #1 may pass #2: the views are of two allocations
func.func @main(%i: index, %z: f32) {
  %m = memref.alloc() : memref<8xf32>
  %n = memref.alloc() : memref<8xf32>
  %sm = memref.subview %m[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>> loc("DEBUG|0|m")
  %tn = memref.subview %n[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>> loc("DEBUG|0|m")
  memref.store %z, %sm[%i] : memref<4xf32, strided<[1], offset: 2>> loc("DEBUG|2|m")
  memref.store %z, %tn[%i] : memref<4xf32, strided<[1], offset: 2>> loc("DEBUG|1|m")
  return
}
