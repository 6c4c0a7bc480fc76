// The divisors are 0. The 3 is an attribute of a longer name.
func.func @main(%c: i1, %a: i32, %b: i32, %m: memref<4xi32>, %n: memref<4xi32>, %i: index, %t: tensor<4xi32>) -> i32 {
  %z = "arith.constant"() <{value = dense<0> : vector<4xi32>}> {my.value = 3 : i32} : () -> vector<4xi32>
  cf.assert %c, "x" loc("DEBUG|5|m")
  %v = vector.broadcast %a : i32 to vector<4xi32>
  %r = arith.divsi %v, %z : vector<4xi32> loc("DEBUG|1|m")
  return %a : i32
}
