// It may do anything with the memref.
func.func @main(%m: memref<8xf32>, %i: index, %f: f32) {
  stablehlo.custom_call @foo(%m) : (memref<8xf32>) -> () loc("DEBUG|5|m")
  memref.store %f, %m[%i] : memref<8xf32> loc("DEBUG|1|m")
  return
}
