func.func @pure() { return }
func.func @main(%m: memref<i32>, %f: () -> ()) -> i32 {
    %x = memref.load %m[] : memref<i32> loc("DEBUG|5|m")
    call_indirect %f() {hint = @pure} : () -> () loc("DEBUG|1|m")
    return %x : i32
}
