// A caller may pass the global.
memref.global "private" @a : memref<4xf32> = dense<0.0>
memref.global "private" @b : memref<4xf32> = dense<0.0>
func.func @main(%f: f32, %i: index, %a: memref<4xf32>) -> (f32) {
  %m = memref.get_global @a : memref<4xf32>
  %c = arith.constant 1 : index
  memref.store %f, %m[%i] : memref<4xf32> loc("DEBUG|5|m")
  %q = memref.load %a[%c] : memref<4xf32> loc("DEBUG|1|m")
  return %q : f32
}
