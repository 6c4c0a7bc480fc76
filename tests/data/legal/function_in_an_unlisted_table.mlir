module {
  func.func @f() { return }
  "my.module"() ({
    func.func private @f() -> ()
    func.func @main(%m: memref<i32>) -> i32 {
      %x = memref.load %m[] : memref<i32> loc("DEBUG|5|m")
      call @f() : () -> () loc("DEBUG|1|m")
      return %x : i32
    }
  }) : () -> ()
}
