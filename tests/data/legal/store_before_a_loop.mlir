func.func @main(%m: memref<i32>, %v: i32, %c: i1) {
    memref.store %v, %m[] : memref<i32> loc("DEBUG|5|m")
    scf.while : () -> () {
      scf.condition(%c)
    } do {
      scf.yield
    } loc("DEBUG|1|m")
    return
}
