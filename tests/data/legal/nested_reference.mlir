module {
  func.func @f() { return }
  module @f_ {
    func.func private @f() -> ()
  }
  func.func @main(%m: memref<i32>) -> i32 {
    %x = memref.load %m[] : memref<i32> loc("DEBUG|5|m")
    "func.call"() <{callee = @f_::@f}> : () -> () loc("DEBUG|1|m")
    return %x : i32
  }
}
