// #1 may pass #2: views of two allocations
func.func @main(%i: index, %x: f32) -> (memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  %b = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  %v = memref.subview %a[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>> loc("DEBUG|0|m")
  %w = memref.cast %b : memref<4xf32> to memref<?xf32> loc("DEBUG|0|m")
  memref.store %x, %v[%i] : memref<2xf32, strided<[1], offset: 1>> loc("DEBUG|2|m")
  memref.store %x, %w[%i] : memref<?xf32> loc("DEBUG|1|m")
  return %a, %b : memref<4xf32>, memref<4xf32>
}
