// The variable to update is given by its address, an integer. The update writes to memory all the same.
func.func @main(%x: i64, %m: memref<i32>) -> i32 {
    %d = "acc.update_device"(%x) <{varType = i32}> : (i64) -> i64 loc("DEBUG|5|m")
    %v = memref.load %m[] : memref<i32> loc("DEBUG|1|m")
    return %v : i32
}
