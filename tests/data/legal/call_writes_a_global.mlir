memref.global @g : memref<i32>
func.func @set(%v: i32) {
    %m = memref.get_global @g : memref<i32>
    memref.store %v, %m[] : memref<i32>
    return
}
func.func @twice(%v: i32) {
    call @set(%v) : (i32) -> ()
    return
}
func.func @main(%v: i32) -> i32 {
    %m = memref.get_global @g : memref<i32> loc("DEBUG|0|m")
    %x = memref.load %m[] : memref<i32> loc("DEBUG|5|m")
    call @twice(%v) : (i32) -> () loc("DEBUG|1|m")
    return %x : i32
}
