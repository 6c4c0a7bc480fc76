// The dimension is 7, which the tensor lacks. The 0 is an attribute of a longer name.
func.func @main(%c: i1, %a: i32, %b: i32, %m: memref<4xi32>, %n: memref<4xi32>, %i: index, %t: tensor<4xi32>) -> i32 {
  %z = arith.constant {my.value = 0 : index} 7 : index
  cf.assert %c, "x" loc("DEBUG|5|m")
  %r = tensor.dim %t, %z : tensor<4xi32> loc("DEBUG|1|m")
  return %a : i32
}
