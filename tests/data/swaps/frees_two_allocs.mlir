// #1 may pass #2: frees of two allocations
func.func @main() {
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  %b = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  memref.dealloc %a : memref<4xf32> loc("DEBUG|2|m")
  memref.dealloc %b : memref<4xf32> loc("DEBUG|1|m")
  return
}
