// The function prints what is in the memref.
func.func private @printMemrefF32(%m: memref<*xf32>)
func.func @main(%m: memref<8xf32>, %x: f32, %i: index) {
  %u = memref.cast %m : memref<8xf32> to memref<*xf32> loc("DEBUG|0|m")
  memref.store %x, %m[%i] : memref<8xf32> loc("DEBUG|5|m")
  func.call @printMemrefF32(%u) : (memref<*xf32>) -> () loc("DEBUG|1|m")
  return
}
