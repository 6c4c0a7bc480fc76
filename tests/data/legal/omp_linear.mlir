// The variable of a linear clause has its last value when the loop ends.
func.func @main(%m: memref<i32>, %n: i32) -> i32 {
  %c = arith.constant 1 : i32 loc("DEBUG|0|m")
  omp.simd linear(%m = %c : memref<i32>) {
    omp.loop_nest (%i) : i32 = (%c) to (%n) step (%c) {
      omp.yield
    }
  } {linear_var_types = [i32]} loc("DEBUG|5|m")
  %l = memref.load %m[] : memref<i32> loc("DEBUG|1|m")
  return %l : i32
}
