// The first value of the private copy is read from %m before it is overwritten.
omp.private {type = firstprivate} @copied : memref<i32> init {
^bb0(%from: memref<i32>, %to: memref<i32>):
  omp.yield(%to : memref<i32>)
} copy {
^bb0(%from: memref<i32>, %to: memref<i32>):
  %v = memref.load %from[] : memref<i32>
  memref.store %v, %to[] : memref<i32>
  omp.yield(%to : memref<i32>)
}
func.func @main(%m: memref<i32>, %v: i32) {
  "omp.teams"(%m) <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 1, 0, 0>, private_syms = [@copied]}> ({
  ^bb0(%x: memref<i32>):
    omp.terminator
  }) : (memref<i32>) -> () loc("DEBUG|5|m")
  memref.store %v, %m[] : memref<i32> loc("DEBUG|1|m")
  return
}
