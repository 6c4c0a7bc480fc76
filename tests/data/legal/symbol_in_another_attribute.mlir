module {
  func.func @f() attributes {my.sym_name = "g"} { return }
  func.func private @g() -> ()
  func.func @main(%m: memref<i32>) -> i32 {
    %x = memref.load %m[] : memref<i32> loc("DEBUG|5|m")
    call @g() : () -> () loc("DEBUG|1|m")
    return %x : i32
  }
}
