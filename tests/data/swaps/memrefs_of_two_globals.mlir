// #1 may pass #2: they are two globals
memref.global "private" @a : memref<4xf32> = dense<0.0>
memref.global "private" @b : memref<4xf32> = dense<0.0>
func.func @main(%f: f32, %i: index) -> (f32) {
  %m = memref.get_global @a : memref<4xf32>
  %n = memref.get_global @b : memref<4xf32>
  memref.store %f, %m[%i] : memref<4xf32> loc("DEBUG|2|m")
  %q = memref.load %n[%i] : memref<4xf32> loc("DEBUG|1|m")
  return %q : f32
}
