// #1 may pass #2: fix puts them in order
func.func @main(%a: memref<4xi32>, %x: i32) -> i32 {
  %y = arith.constant {my.value = 2 : index} 0 : index
  %z = "arith.constant"() <{value = 1 : index}> {my.value = 0 : index} : () -> index
  memref.store %x, %a[%y] : memref<4xi32> loc("DEBUG|2|m")
  %r = memref.load %a[%z] : memref<4xi32> loc("DEBUG|1|m")
  return %r : i32
}
