// MLIR prefers the attribute to the symbol: the call is of @f, which may do anything.
func.func private @f()
func.func @g() {
  return
}
func.func @main(%m: memref<i32>) -> i32 {
  call @g() {callee = @f} : () -> () loc("DEBUG|5|m")
  %x = memref.load %m[] : memref<i32> loc("DEBUG|1|m")
  return %x : i32
}
