// #1 may pass #2: what is stored is no address, and the operand behind it is an allocation
func.func @main(%m: memref<4xf32>, %i: index) -> (memref<4xf32>, memref<4xf32>) {
  %x = memref.load %m[%i] : memref<4xf32> loc("DEBUG|0|m")
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  %b = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  memref.store %x, %a[%i] : memref<4xf32> loc("DEBUG|2|m")
  memref.store %x, %b[%i] : memref<4xf32> loc("DEBUG|1|m")
  return %a, %b : memref<4xf32>, memref<4xf32>
}
