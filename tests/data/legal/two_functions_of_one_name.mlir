module {
  func.func @f() { return }
  module @inner {
    func.func @f() {
      %c = arith.constant 1 : i32
      %m = memref.get_global @g : memref<i32>
      memref.store %c, %m[] : memref<i32>
      return
    }
    func.func @main() -> i32 {
      %m = memref.get_global @g : memref<i32> loc("DEBUG|0|m")
      %x = memref.load %m[] : memref<i32> loc("DEBUG|5|m")
      call @f() : () -> () loc("DEBUG|1|m")
      return %x : i32
    }
  }
}
