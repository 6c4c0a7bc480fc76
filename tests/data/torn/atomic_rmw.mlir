// A line of one op begins with a word at the indentation of the op: #9 stays before #1, which uses its result.
func.func @main(%p: i32, %q: i32, %m: memref<4xi32>, %i: index) -> (i32, i32) {
  %v = memref.atomic_rmw
  addi %p, %m[%i] : (i32, memref<4xi32>) -> i32 loc("DEBUG|9|c")
  %c = arith.addi %v, %p : i32 loc("DEBUG|1|a")
  return %c, %q : i32, i32
}
