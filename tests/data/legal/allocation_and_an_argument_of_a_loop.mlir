// The argument of the loop is the allocation.
func.func @main(%i: index, %n: index, %x: f32, %y: f32) {
  %a = memref.alloc() : memref<4xf32> loc("DEBUG|0|m")
  %r = scf.for %k = %i to %n step %n iter_args(%m = %a) -> (memref<4xf32>) {
    memref.store %x, %m[%i] : memref<4xf32> loc("DEBUG|5|m")
    memref.store %y, %a[%i] : memref<4xf32> loc("DEBUG|1|m")
    scf.yield %m : memref<4xf32>
  } loc("DEBUG|0|m")
  return
}
