// Both indices are 0. The 5 is an attribute of a longer name.
func.func @main(%m: memref<8xi32>, %x: i32) -> i32 {
  %z = arith.constant {my.value = 5 : index} 0 : index
  %c0 = arith.constant 0 : index
  memref.store %x, %m[%c0] : memref<8xi32> loc("DEBUG|5|m")
  %r = memref.load %m[%z] : memref<8xi32> loc("DEBUG|1|m")
  return %r : i32
}
