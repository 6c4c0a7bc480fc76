// The divisor is 0. The 3 is an attribute of a longer name.
func.func @main(%c: i1, %a: i32, %b: i32, %m: memref<4xi32>, %n: memref<4xi32>, %i: index, %t: tensor<4xi32>) -> i32 {
  %z = arith.constant {my.value = 3 : i32} 0 : i32
  cf.assert %c, "x" loc("DEBUG|5|m")
  %r = arith.ceildivui %a, %z : i32 loc("DEBUG|1|m")
  return %a : i32
}
