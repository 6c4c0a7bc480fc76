module {
  func.func private @ext() -> ()
  func.func @pure() { return }
  func.func @main(%m: memref<i32>) -> i32 {
    %x = memref.load %m[] : memref<i32> loc("DEBUG|5|m")
    "func.call"() {hint = @pure, callee = @ext} : () -> () loc("DEBUG|1|m")
    return %x : i32
  }
}
