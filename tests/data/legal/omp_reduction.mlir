// The threads combine what they computed into %m when the region ends. Nothing in its body writes there.
omp.declare_reduction @count : i32
init {
^bb0(%arg: i32):
  %0 = arith.constant 1 : i32
  omp.yield (%0 : i32)
}
combiner {
^bb1(%a: i32, %b: i32):
  %1 = arith.addi %a, %b : i32
  omp.yield (%1 : i32)
}
func.func @main(%m: memref<i32>) -> i32 {
  omp.parallel reduction(@count %m -> %prv : memref<i32>) {
    omp.terminator
  } loc("DEBUG|5|m")
  %l = memref.load %m[] : memref<i32> loc("DEBUG|1|m")
  return %l : i32
}
