// The numbers are 0 twice. The other ones belong to attributes of a longer name.
func.func @main(%c: i1, %a: i32, %b: i32, %m: memref<4xi32>, %n: memref<4xi32>, %i: index, %t: tensor<4xi32>) -> i32 {
  %z = arith.constant {my.value = 3 : index} 0 : index
  %y = arith.constant {my.value = 2 : index} 0 : index
  memref.store %a, %m[%z] : memref<4xi32> loc("DEBUG|5|m")
  %r = memref.load %m[%y] : memref<4xi32> loc("DEBUG|1|m")
  return %a : i32
}
